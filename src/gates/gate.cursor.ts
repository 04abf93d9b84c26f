import type { TenantContext } from "#kernel/context.ts";
import type { Decimal } from "#kernel/decimal.ts";
import { parseJson } from "#kernel/json.ts";

const PURPOSE = "gate-cursor";
const CURSOR_CHARS_MAX = 16_384;

/** What a list is about. */
export type GateWish = {
  /** Null for all types. */
  readonly passTypes: readonly string[] | null;
  /** Null for a gate that redeems nothing. */
  readonly redeem: { readonly privilegeId: string; readonly amount: Decimal } | null;
};

/** Where a page begins, and the list that it belongs to. */
export type GatePlace = GateWish & {
  readonly salt: string;
  readonly issuedAtMs: number;
  readonly hours: number;
  /** From 0. */
  readonly page: number;
  /** The last pass of the page before. */
  readonly after: string;
  /** The digest of the page before; null for the first page. */
  readonly previous: string | null;
};

/**
 * Sealed, so that nobody gets a signed page that continues something else: the place contains what
 * the signature promises about the pages before.
 */
export function writeCursor({ runtime, tenantId }: TenantContext, place: GatePlace): string {
  const plain = Buffer.from(JSON.stringify(place));
  return runtime.sealer.seal(PURPOSE, tenantId, plain).toString("base64url");
}

/** Undefined for a text that this service did not write for this tenant. */
export function readCursor(
  { runtime, tenantId }: TenantContext,
  cursor: string,
): GatePlace | undefined {
  if (cursor.length > CURSOR_CHARS_MAX || !/^[\w-]+$/.test(cursor)) return undefined;
  const plain = runtime.sealer.open(PURPOSE, tenantId, Buffer.from(cursor, "base64url"));
  return plain && (parseJson(plain.toString("utf8")) as GatePlace | undefined);
}
