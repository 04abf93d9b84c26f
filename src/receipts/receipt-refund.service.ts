import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { decimalFromUnits, readDecimal, unitsOf } from "#kernel/decimal.ts";
import { validationProblem } from "#kernel/errors.ts";
import { fieldErrors } from "#kernel/http/validation.ts";
import {
  receiptNotFound,
  receiptReferenceTaken,
  receiptRefundTooLarge,
  receiptTooManyRefunds,
} from "./receipt.errors.ts";
import { receiptUpdated } from "./receipt.events.ts";
import * as receipts from "./receipt.repository.ts";
import {
  presentForEvent,
  REFUNDS_MAX,
  type Receipt,
  type Refund,
  RefundCreate,
  versionOf,
} from "./receipt.schema.ts";
import { about, readMoment, summary } from "./receipt.service.ts";

export type Refunded = {
  readonly receipt: Receipt;
  /** False if the refund was recorded before. */
  readonly isNew: boolean;
};

/** The purchase that something is given back of, as its source names it. */
export type PurchaseName = { readonly source: string; readonly reference: string };

/**
 * Records a refund in the transaction of the caller, once for each of its references. Undefined if
 * there is no receipt of the purchase (yet). Throws 409 for more than is left of it.
 */
export async function recordRefund(
  tx: TenantTx,
  { source, reference }: PurchaseName,
  sent: RefundCreate,
): Promise<Refunded | undefined> {
  const errors = fieldErrors(RefundCreate, sent);
  if (errors !== undefined) throw validationProblem(errors);
  const receipt = await receipts.findReferencedForUpdate(tx, source, reference);
  return receipt && (await addRefund(tx, receipt, sent));
}

export function refundReceipt(
  context: TenantContext,
  receiptId: string,
  sent: RefundCreate,
): Promise<Refunded> {
  return context.transaction(async (tx) => {
    const receipt = await receipts.findReceiptForUpdate(tx, receiptId);
    if (receipt === undefined) throw receiptNotFound({ receiptId });
    context.requireMatch(versionOf(receipt));
    return await addRefund(tx, receipt, sent);
  });
}

/** The receipt must be locked. */
async function addRefund(tx: TenantTx, known: Receipt, sent: RefundCreate): Promise<Refunded> {
  const { id: receiptId } = known;
  const refund: Refund = {
    reference: sent.reference,
    amount: readDecimal(sent.amount),
    occurredAt: readMoment(sent.occurredAt, tx.now).toISOString(),
    reason: sent.reason ?? null,
  };
  const earlier = known.refunds.find(({ reference }) => reference === refund.reference);
  if (earlier !== undefined) {
    if (earlier.amount !== refund.amount)
      throw receiptReferenceTaken({ receiptId, what: "refund" });
    tx.concerns(receiptId);
    return { receipt: known, isNew: false };
  }
  if (known.refunds.length === REFUNDS_MAX) throw receiptTooManyRefunds({ most: REFUNDS_MAX });
  const left = unitsOf(known.total) - unitsOf(known.refunded);
  if (unitsOf(refund.amount) > left) {
    throw receiptRefundTooLarge({ receiptId, left: decimalFromUnits(left > 0n ? left : 0n) });
  }
  const receipt: Receipt = {
    ...known,
    refunds: [...known.refunds, refund],
    refunded: decimalFromUnits(unitsOf(known.refunded) + unitsOf(refund.amount)),
    version: known.version + 1,
    updatedAt: tx.now,
  };
  await receipts.updateRefunds(tx, receipt);
  const previous = presentForEvent(known);
  tx.emit(receiptUpdated, presentForEvent(receipt), { previous, subject: receiptId });
  tx.audit({ ...about(receipt), before: summary(known), after: summary(receipt) });
  return { receipt, isNew: true };
}
