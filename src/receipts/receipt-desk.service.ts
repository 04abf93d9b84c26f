import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { isSameJson } from "#kernel/json.ts";
import {
  findPassesForUpdate,
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
 * Writes the newest receipt of a pass into its metadata, where templates find it:
 * `{{ metadata.receipts.url }}`. False if there is no such pass.
 */
export async function linkNewest(
  tx: TenantTx,
  { address, types }: ReceiptDesk,
  passId: string,
): Promise<boolean> {
  // Before the look at the receipts: others may be adding one to this pass.
  const [pass] = await findPassesForUpdate(tx, [passId]);
  if (pass === undefined) return false;
  const newest = await findNewest(tx, passId);
  const link = newest && {
    url: urlOf(address, tx.tenantId, newest),
    total: writeAmount(newest.total, newest.currency),
    currency: newest.currency,
    date: newest.occurredAt.toISOString(),
    count: newest.count,
  };
  const member = link ?? null;
  if (isSameJson(pass.metadata[MEMBER] ?? null, member)) return true;
  await updatePassWithin(tx, types, passId, () => ({ metadata: { [MEMBER]: member } }));
  return true;
}
