import type { TenantTx } from "#kernel/db/transaction.ts";
import { ProblemError } from "#kernel/errors.ts";
import {
  LINES_MAX,
  type ReceiptCreate,
  type ReceiptDesk,
  receiptRefundTooLarge,
  receiptTooManyRefunds,
  recordReceipt,
  recordRefund,
} from "#src/receipts/public.ts";
import type { ReceiptAction, ReceiptContent, RefundAction } from "../kit/action.ts";
import {
  findKeptReceipt,
  insertEffect,
  updateReceiptReference,
} from "./action-effect.repository.ts";
import { requireSameCurrency } from "./action-value.service.ts";
import { type ActionOutcome, NotYet } from "./outcome.ts";

const TEXT_CHARS_MAX = 200;

/** Keeps a transaction as a receipt, once for each key. */
export async function applyReceipt(
  tx: TenantTx,
  desk: ReceiptDesk,
  connector: string,
  { key, receipt }: ReceiptAction,
  passId: string | undefined,
): Promise<ActionOutcome> {
  const { currency } = receipt;
  const effect = {
    key,
    ofKey: null,
    passId: passId ?? null,
    privilegeId: null,
    value: null,
    sale: { currency },
  };
  if (!(await insertEffect(tx, connector, effect))) return { do: "receipt", outcome: "unchanged" };
  const content = contentOf(connector, receipt, passId);
  const first = await recordReceipt(tx, desk, content);
  // Some vendors use short numbers again and again.
  const reference = first.isSame ? content.reference : `${receipt.number} (${key})`;
  const { receipt: kept } = first.isSame
    ? first
    : await recordReceipt(tx, desk, { ...content, reference: shortened(reference) });
  updateReceiptReference(tx, connector, key, kept.reference);
  return { do: "receipt", outcome: "done", passId, receiptId: kept.id };
}

function contentOf(
  source: string,
  { number, issuedAt, currency, total, tax, lines }: ReceiptContent,
  passId: string | undefined,
): ReceiptCreate {
  return {
    source,
    reference: shortened(number),
    ...(passId === undefined ? {} : { passId }),
    occurredAt: issuedAt.toISOString(),
    currency,
    total,
    ...(tax === undefined ? {} : { taxes: [{ amount: tax }] }),
    lines: lines.slice(0, LINES_MAX).map(({ name, quantity, price, total: cost }) => ({
      description: shortened(name) || "—",
      quantity,
      unitPrice: price,
      total: cost,
    })),
  };
}

function shortened(text: string): string {
  return text.slice(0, TEXT_CHARS_MAX).toWellFormed();
}

/** Notes that money went back, where there is a receipt of it. */
export async function applyRefund(
  tx: TenantTx,
  connector: string,
  { key, of, amount, currency, waits = false, reason, at }: RefundAction,
): Promise<ActionOutcome> {
  const kept = await findKeptReceipt(tx, connector, of);
  if (kept === undefined && waits) throw new NotYet(`'${of}' is not known yet.`);
  const reference = kept?.reference ?? undefined;
  if (reference === undefined) return { do: "refund", outcome: "skipped", note: "No receipt." };
  requireSameCurrency(kept?.currency, currency);
  try {
    const refunded = await recordRefund(
      tx,
      { source: connector, reference },
      {
        reference: shortened(key),
        amount,
        ...(reason === undefined ? {} : { reason: shortened(reason) }),
        ...(at === undefined ? {} : { occurredAt: at.toISOString() }),
      },
    );
    if (refunded === undefined) return { do: "refund", outcome: "skipped", note: "No receipt." };
    const outcome = refunded.isNew ? "done" : "unchanged";
    return { do: "refund", outcome, receiptId: refunded.receipt.id };
  } catch (error) {
    if (!isBeyondReceipt(error)) throw error;
    return { do: "refund", outcome: "skipped", note: error.message };
  }
}

/** The value of a pass must follow a refund, also where the receipt has no room for it. */
function isBeyondReceipt(error: unknown): error is ProblemError {
  const beyond: readonly string[] = [receiptRefundTooLarge.code, receiptTooManyRefunds.code];
  return error instanceof ProblemError && beyond.includes(error.code);
}
