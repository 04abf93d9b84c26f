import { hash } from "node:crypto";
import { isAllowed } from "#kernel/actor.ts";
import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { readDecimal, ZERO } from "#kernel/decimal.ts";
import { validationProblem } from "#kernel/errors.ts";
import { eraseTracesOf } from "#kernel/events/erasure.ts";
import type { ListInput } from "#kernel/http/lists/list-page.ts";
import { parseTimestamp } from "#kernel/http/lists/list-values.ts";
import { rightMissing } from "#kernel/http/right-missing.ts";
import type { Answer } from "#kernel/http/route.ts";
import { fieldErrors } from "#kernel/http/validation.ts";
import { newId, randomBase62 } from "#kernel/ids.ts";
import { canonicalLocale } from "#kernel/intl.ts";
import { holdCustomer } from "#src/customers/public.ts";
import { getPass, type PassCompanion } from "#src/passes/public.ts";
import { findStoreWithin } from "#src/stores/public.ts";
import { receiptNotFound, receiptReferenceTaken } from "./receipt.errors.ts";
import { receiptCreated, receiptDeleted } from "./receipt.events.ts";
import * as receipts from "./receipt.repository.ts";
import {
  OWN_SOURCE,
  presentForEvent,
  presentSummary,
  type Receipt,
  ReceiptCreate,
  versionOf,
} from "./receipt.schema.ts";
import {
  addressOf,
  linkNewest,
  lockPass,
  type ReceiptDesk,
  receiptDeskOf,
} from "./receipt-desk.service.ts";
import { listReceipts as listPageOf } from "./receipt-list.repository.ts";

const SECRET_LENGTH = 24;
const EXPANDED_MAX = 100;
/** Tills are set by hand, and some of them to another day. */
const AHEAD_MS_MAX = 86_400_000;
/** A receipt may be erased between the refusal of another one and the look at it. */
const TRIES_MAX = 3;
const READ_SCOPE = "Receipt.Read";

export type Recorded = {
  readonly receipt: Receipt;
  readonly isNew: boolean;
  /** False if the receipt was there before, and says something else than what was sent now. */
  readonly isSame: boolean;
};

/**
 * Records a purchase in the transaction of the caller, once for each source and reference: later
 * ones get the receipt that is there, and change nothing. The pass gets the link to its newest
 * receipt. Throws 400 for what does not fit, also for an unknown pass or customer. Whoever has locked
 * the pass already has held it before that (`holdPasses`), as this function does.
 */
export async function recordReceipt(
  tx: TenantTx,
  desk: ReceiptDesk,
  sent: ReceiptCreate,
): Promise<Recorded> {
  const errors = fieldErrors(ReceiptCreate, sent);
  if (errors !== undefined) throw validationProblem(errors);
  const { customerId, passId } = sent;
  // The customer before the pass, as their erasure does.
  if (customerId !== undefined && !(await holdCustomer(tx, customerId))) {
    throw validationProblem({ customerId: ["must be a customer of this tenant"] });
  }
  const pass = passId === undefined ? undefined : await lockPass(tx, passId);
  const receipt = await receiptOf(tx, sent);
  for (let count = 1; ; count += 1) {
    if (await receipts.insertReceipt(tx, receipt)) break;
    const known = await receipts.findReceiptToShow(tx, receipt.source, receipt.reference);
    if (known !== undefined) {
      tx.concerns(known.id);
      return { receipt: known, isNew: false, isSame: known.fingerprint === receipt.fingerprint };
    }
    if (count === TRIES_MAX) throw new Error("A receipt came and went again and again.");
  }
  if (passId !== undefined) {
    if (pass === undefined) throw validationProblem({ passId: ["must be a pass of this tenant"] });
    await linkNewest(tx, desk, pass);
  }
  tx.emit(receiptCreated, presentForEvent(receipt), { subject: receipt.id });
  tx.audit({ ...about(receipt), after: summary(receipt) });
  return { receipt, isNew: true, isSame: true };
}

async function receiptOf(tx: TenantTx, sent: ReceiptCreate): Promise<Receipt> {
  const contents = contentsOf(sent);
  const { now } = tx;
  const source = sent.source ?? OWN_SOURCE;
  return {
    id: newId(receipts.RECEIPT_ID_PREFIX, now.getTime()),
    secret: randomBase62(SECRET_LENGTH),
    source,
    reference: sent.reference,
    ...contents,
    ...(await storeOf(tx, sent.store)),
    occurredAt: readMoment(sent.occurredAt, now),
    fingerprint: hash(
      "sha256",
      JSON.stringify([contents, sent.store ?? null, timeOf(sent.occurredAt) ?? null]),
      "base64url",
    ),
    refunds: [],
    refunded: ZERO,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}

type Contents = Omit<
  Receipt,
  | ("id" | "secret" | "source" | "reference" | "fingerprint" | "occurredAt" | "createdAt")
  | ("storeId" | "storeName" | "storeAddress" | "refunds" | "refunded" | "version" | "updatedAt")
>;

function contentsOf(sent: ReceiptCreate): Contents {
  const maybe = (value: number | string | undefined) =>
    value === undefined ? null : readDecimal(value);
  return {
    passId: sent.passId ?? null,
    customerId: sent.customerId ?? null,
    currency: sent.currency,
    lines: sent.lines.map(({ description, quantity = 1, unitPrice, total, taxRate }) => ({
      description,
      quantity: readDecimal(quantity),
      unitPrice: maybe(unitPrice),
      total: readDecimal(total),
      taxRate: maybe(taxRate),
    })),
    lineCount: sent.lines.length,
    subtotal: maybe(sent.subtotal),
    taxes: (sent.taxes ?? []).map(({ name = null, rate, amount }) => ({
      name,
      rate: maybe(rate),
      amount: readDecimal(amount),
    })),
    total: readDecimal(sent.total),
    paidBy: sent.paidBy ?? null,
    pointsEarned: maybe(sent.pointsEarned),
    note: sent.note ?? null,
    locale: (sent.locale && canonicalLocale(sent.locale)) ?? null,
  };
}

/** A receipt keeps name and address as they were, whatever becomes of the store. */
async function storeOf(
  tx: TenantTx,
  sent: ReceiptCreate["store"],
): Promise<Pick<Receipt, "storeId" | "storeName" | "storeAddress">> {
  const { id = null, name = null, address = null } = sent ?? {};
  const known = id !== null && name === null ? await findStoreWithin(tx, id) : undefined;
  return {
    storeId: id,
    storeName: name ?? known?.name ?? null,
    storeAddress: address ?? known?.address ?? null,
  };
}

function timeOf(sent: string | undefined): number | undefined {
  return sent === undefined ? undefined : parseTimestamp(sent);
}

/** The time of a purchase or refund; now if none was sent. */
export function readMoment(sent: string | undefined, now: Date): Date {
  const told = timeOf(sent) ?? now.getTime();
  if (told - now.getTime() > AHEAD_MS_MAX) {
    throw validationProblem({ occurredAt: ["must not be more than a day ahead"] });
  }
  return new Date(told);
}

export async function createReceipt(
  context: TenantContext,
  sent: ReceiptCreate,
): Promise<Recorded> {
  const desk = await receiptDeskOf(context);
  return await context.transaction(async (tx) => {
    const recorded = await recordReceipt(tx, desk, sent);
    if (!recorded.isSame) {
      throw receiptReferenceTaken({ receiptId: recorded.receipt.id, what: "receipt" });
    }
    return recorded;
  });
}

export async function getReceipt(context: TenantContext, receiptId: string): Promise<Receipt> {
  const receipt = await receipts.findReceipt(context, receiptId);
  if (receipt === undefined) throw receiptNotFound({ receiptId });
  return receipt;
}

export async function listReceipts(context: TenantContext, input: ListInput): Promise<Answer> {
  return await listPageOf(context, await addressOf(context), undefined, input);
}

export async function listReceiptsOfPass(
  context: TenantContext,
  passId: string,
  input: ListInput,
): Promise<Answer> {
  await getPass(context, passId);
  return await listPageOf(context, await addressOf(context), passId, input);
}

/** Also erases the bodies of its events and the stored answers that show it. */
export async function deleteReceipt(context: TenantContext, receiptId: string): Promise<void> {
  const { passId } = await getReceipt(context, receiptId);
  const desk = await receiptDeskOf(context);
  await context.transaction(async (tx) => {
    const pass = passId === null ? undefined : await lockPass(tx, passId);
    const receipt = await receipts.findReceiptForUpdate(tx, receiptId);
    if (receipt === undefined) throw receiptNotFound({ receiptId });
    context.requireMatch(versionOf(receipt));
    await receipts.deleteReceipt(tx, receiptId);
    if (pass !== undefined) await linkNewest(tx, desk, pass);
    await eraseTracesOf(tx, [receiptId]);
    tx.emit(receiptDeleted, { receiptId }, { subject: receiptId });
    tx.audit({ ...about(receipt), before: summary(receipt) });
  });
}

/** `expand=receipts` of a pass. They are erased with it. */
export const receiptsOfPasses: PassCompanion = {
  name: "receipts",
  async attach() {},
  async detach(tx, passIds) {
    const erased = await receipts.deleteReceiptsOfPasses(tx, passIds);
    if (erased.length > 0)
      await eraseTracesOf(
        tx,
        erased.map(({ id }) => id),
      );
  },
  async read(context, passId) {
    const { actor, tenantId } = context;
    if (!isAllowed(actor, READ_SCOPE, tenantId)) {
      throw rightMissing(actor, READ_SCOPE, tenantId, "`expand=receipts`");
    }
    const address = await addressOf(context);
    const entries = await receipts.listEntriesOfPass(context, passId, EXPANDED_MAX);
    return entries.map((entry) => presentSummary(entry, address, tenantId));
  },
};

/** The target and the subject of an audit entry about a receipt. */
export function about({ id }: Pick<Receipt, "id">) {
  return { target: `receipt:${id}`, subject: id };
}

/** Audit entries outlive the receipt, so they do not say what was bought. */
export function summary({ source, passId, version }: Receipt) {
  return { source, passId, version };
}
