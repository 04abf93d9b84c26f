import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { isSameJson } from "#kernel/json.ts";
import {
  findPassesForUpdate,
  holdPasses,
  type Pass,
  type PassTypes,
  passTypesOf,
  updatePassWithin,
} from "#src/passes/public.ts";
import { configurationOf, publicAddress } from "#src/tenants/public.ts";
import { writeAmount } from "./receipt.money.ts";
import { findNewest } from "./receipt.repository.ts";
import { urlOf } from "./receipt.schema.ts";

/** The member of `metadata` in which a pass has its newest receipt. */
const MEMBER = "receipts";

/**
 * What is needed to write receipts. Asked for before the transaction begins: whoever holds a
 * connection asks for no second one.
 */
export type ReceiptDesk = {
  /** The public address of the tenant. */
  readonly address: string;
  readonly types: PassTypes;
};

export async function receiptDeskOf(context: TenantContext): Promise<ReceiptDesk> {
  return { address: await addressOf(context), types: await passTypesOf(context) };
}

/** The address under which the pages of the tenant's receipts are given out. */
export async function addressOf(context: TenantContext): Promise<string> {
  const { settings } = await configurationOf(context);
  return publicAddress(context.runtime.baseUrl, settings.customDomain);
}

/**
 * Locks a pass before its receipts, as every transaction does. Until the end of this one the pass is
 * not erased, and nobody else adds a receipt to it. Undefined if there is no such pass.
 */
export async function lockPass(tx: TenantTx, passId: string): Promise<Pass | undefined> {
  holdPasses(tx, [passId]);
  const [pass] = await findPassesForUpdate(tx, [passId]);
  return pass;
}

/**
 * Writes the newest receipt of a pass into its metadata, where templates find it:
 * `{{ metadata.receipts.url }}`. The pass must be locked, and as this transaction left it.
 */
export async function linkNewest(
  tx: TenantTx,
  { address, types }: ReceiptDesk,
  pass: Pick<Pass, "id" | "metadata">,
): Promise<void> {
  const newest = await findNewest(tx, pass.id);
  const link = newest && {
    url: urlOf(address, tx.tenantId, newest),
    total: writeAmount(newest.total, newest.currency),
    currency: newest.currency,
    date: newest.occurredAt.toISOString(),
    count: newest.count,
  };
  const member = link ?? null;
  if (isSameJson(pass.metadata[MEMBER] ?? null, member)) return;
  await updatePassWithin(tx, types, pass.id, () => ({ metadata: { [MEMBER]: member } }));
}
