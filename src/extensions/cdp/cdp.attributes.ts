import { isObject } from "#kernel/json.ts";
import type { CdpAttribute } from "./cdp.config.ts";

/** What is asked of a customer, and how the answer is read. Rules only. */

/** Few, because whatever is read stays with the pass. */
const DEFAULT_ATTRIBUTES: readonly CdpAttribute[] = ["first_name", "last_name", "language"];

type Asked = { readonly name: string; readonly question: Readonly<Record<string, string>> };

export function askedOf(attributes: readonly CdpAttribute[] = DEFAULT_ATTRIBUTES): Asked[] {
  return attributes.map((attribute) => {
    if (typeof attribute === "string") {
      return { name: attribute, question: { type: "property", property: attribute } };
    }
    const { type, id, as: name } = attribute;
    if (type === "property") return { name, question: { type, property: id } };
    if (type === "consent") return { name, question: { type, category: id, mode: "valid" } };
    return { name, question: { type, id } };
  });
}

/**
 * The values by name. The answer has one result for each question, in the same order; what has no
 * value, or may not be read, is left out. Undefined if the answer is not such a list.
 */
export function valuesOf(
  asked: readonly Asked[],
  answer: unknown,
): Record<string, unknown> | undefined {
  const results = isObject(answer) ? answer.results : undefined;
  if (!Array.isArray(results) || results.length !== asked.length) return undefined;
  const values = asked.flatMap(({ name }, at) => {
    const result: unknown = results[at];
    if (!isObject(result) || result.success !== true) return [];
    return result.value === undefined || result.value === null ? [] : [[name, result.value]];
  });
  return Object.fromEntries(values);
}
