import { fieldErrors } from "#kernel/http/validation.ts";
import { CustomerUpdate } from "#src/customers/public.ts";
import type { CustomerAction } from "./action.ts";
import { memberAt, textAt, valueAt } from "./values.ts";

type Member = string | number | boolean;

/** Members of passes by the paths that the settings name. A value that is null there is cleared. */
export function fieldsOf(
  fields: Readonly<Record<string, string>> | undefined,
  from: unknown,
): Record<string, Member | null> {
  const members: Record<string, Member | null> = {};
  for (const [name, path] of Object.entries(fields ?? {})) {
    const value = valueAt(from, path) === null ? null : memberAt(from, path);
    if (value !== undefined) members[name] = value;
  }
  return members;
}

export type CustomerPaths = Partial<
  Record<"email" | "phone" | "firstName" | "lastName" | "locale", string>
>;

/**
 * Members of customers by their paths. What does not fit, such as a phone number without its country,
 * is left out: a customer without a phone number is better than none.
 */
export function customerChange(from: unknown, paths: CustomerPaths): CustomerAction["change"] {
  const change: Record<string, string | null> = {};
  for (const [name, path] of Object.entries(paths)) {
    const value = valueAt(from, path) === null ? null : textAt(from, path);
    if (value === undefined || fieldErrors(CustomerUpdate, { [name]: value }) !== undefined)
      continue;
    change[name] = value;
  }
  return change;
}
