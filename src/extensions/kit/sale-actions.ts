import type { Identifiers } from "#src/customers/public.ts";
import type { PassWish } from "#src/passes/public.ts";
import type { Action } from "./action.ts";
import { type CustomerPaths, customerChange, fieldsOf } from "./mapping.ts";

/** Where a vendor's customer stands in what the vendor sent. */
export type CustomerSource = {
  readonly identifiers: Identifiers;
  /** The vendor's own object. */
  readonly from: unknown;
  readonly paths: CustomerPaths;
};

type SaleSettings = {
  readonly passType: string;
  readonly fields?: Readonly<Record<string, string>> | undefined;
};

type More = {
  /** A customer and a pass that are there already stay as they are. */
  readonly onlyIfMissing?: boolean;
  readonly companions?: PassWish["companions"];
};

/** A customer of the vendor becomes a customer with a pass. */
export function customerActions(
  { passType, fields }: SaleSettings,
  { identifiers, from, paths }: CustomerSource,
  { onlyIfMissing = false, companions }: More = {},
): Action[] {
  const additionalData = fieldsOf(fields, from);
  const wish: PassWish = { action: "upsert", passType, identifiers, additionalData, companions };
  return [
    { do: "customer", identifiers, change: customerChange(from, paths), onlyIfMissing },
    { do: "pass", wish, onlyIfMissing },
  ];
}
