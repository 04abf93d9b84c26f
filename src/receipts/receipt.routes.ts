import Type from "typebox";
import { problemKinds } from "#kernel/http/problem.ts";
import { answer, defineRoute, type Route } from "#kernel/http/route.ts";
import { definePassRoutes } from "#src/privileges/public.ts";
import {
  receiptNotFound,
  receiptReferenceTaken,
  receiptRefundTooLarge,
  receiptTooManyRefunds,
} from "./receipt.errors.ts";
import {
  RECEIPT_EXAMPLE,
  RECEIPT_LISTED,
  RECEIPT_SENT,
  REFUNDED_EXAMPLE,
} from "./receipt.examples.ts";
import {
  presentReceipt,
  ReceiptCreate,
  ReceiptParams,
  ReceiptSummary,
  ReceiptView,
  RefundCreate,
  versionOf,
} from "./receipt.schema.ts";
import {
  createReceipt,
  deleteReceipt,
  getReceipt,
  listReceipts,
  listReceiptsOfPass,
} from "./receipt.service.ts";
import { addressOf } from "./receipt-desk.service.ts";
import { RECEIPT_LIST } from "./receipt-list.repository.ts";
import { refundReceipt } from "./receipt-refund.service.ts";

const KEPT = "Kept for ten years, or as long as `retention.receiptDays` of `tenant.yml` says.";

const receiptCreate = defineRoute({
  op: "receipt.create",
  method: "POST",
  url: "/api/:tenantId/receipts",
  scope: "Receipt.Write",
  summary: "Record a purchase as a receipt with a public page",
  description:
    "Give `url` to the customer. With `passId`, the pass has it too, as `metadata.receipts.url`, until a newer purchase comes. The same `source` and `reference` again answer 200 with the receipt that is there, and 409 if they come with something else. Amounts are kept and shown to the last digit; nothing is added up.",
  body: ReceiptCreate,
  reply: ReceiptView,
  status: 201,
  otherStatuses: [200],
  replyHeaders: ["Location", "ETag"],
  errors: [receiptReferenceTaken],
  example: { body: RECEIPT_SENT, reply: RECEIPT_EXAMPLE },
  async handle(context, { body }) {
    const { receipt, isNew } = await createReceipt(context, body);
    return answer(presentReceipt(receipt, await addressOf(context), context.tenantId), {
      status: isNew ? 201 : 200,
      headers: { location: `/api/${context.tenantId}/receipts/${receipt.id}` },
      version: versionOf(receipt),
    });
  },
});

const receiptList = defineRoute({
  op: "receipt.list",
  method: "GET",
  url: "/api/:tenantId/receipts",
  scope: "Receipt.Read",
  summary: "List receipts",
  description: `Those that were recorded last come first, without their lines. ${KEPT}`,
  list: RECEIPT_LIST,
  reply: Type.Array(ReceiptSummary),
  example: { reply: [RECEIPT_LISTED] },
  handle: listReceipts,
});

const receiptListsOfPass = definePassRoutes({
  op: "receipt.list-of-pass",
  method: "GET",
  path: "/receipts",
  scope: "Receipt.Read",
  summary: "List the receipts of a pass",
  description: `Those that were recorded last come first, without their lines. ${KEPT}`,
  params: Type.Object({}),
  list: RECEIPT_LIST,
  reply: Type.Array(ReceiptSummary),
  example: { reply: [RECEIPT_LISTED] },
  handle: listReceiptsOfPass,
});

const receiptGet = defineRoute({
  op: "receipt.get",
  method: "GET",
  url: "/api/:tenantId/receipts/:receiptId",
  scope: "Receipt.Read",
  summary: "Read one receipt",
  params: ReceiptParams,
  reply: ReceiptView,
  errors: [receiptNotFound],
  example: { reply: RECEIPT_EXAMPLE },
  async handle(context, { params }) {
    const receipt = await getReceipt(context, params.receiptId);
    return answer(presentReceipt(receipt, await addressOf(context), context.tenantId), {
      version: versionOf(receipt),
    });
  },
});

const receiptRefund = defineRoute({
  op: "receipt.refund",
  method: "POST",
  url: "/api/:tenantId/receipts/:receiptId/refunds",
  scope: "Receipt.Write",
  summary: "Note on a receipt what was given back",
  description:
    "Only noted: no money and no points are moved. The same `reference` again answers 200 and changes nothing.",
  params: ReceiptParams,
  body: RefundCreate,
  reply: ReceiptView,
  status: 201,
  otherStatuses: [200],
  replyHeaders: ["ETag"],
  errors: [
    receiptNotFound,
    receiptReferenceTaken,
    receiptRefundTooLarge,
    receiptTooManyRefunds,
    problemKinds.preconditionFailed,
  ],
  example: { body: { reference: "R-17", amount: 2.2 }, reply: REFUNDED_EXAMPLE },
  async handle(context, { params, body }) {
    const { receipt, isNew } = await refundReceipt(context, params.receiptId, body);
    return answer(presentReceipt(receipt, await addressOf(context), context.tenantId), {
      status: isNew ? 201 : 200,
      version: versionOf(receipt),
    });
  },
});

const receiptDelete = defineRoute({
  op: "receipt.delete",
  method: "DELETE",
  url: "/api/:tenantId/receipts/:receiptId",
  scope: "Receipt.Write",
  summary: "Erase a receipt",
  description:
    "Its page is gone at once, and so are the contents of its events. A pass that linked to it links to the newest one that is left. Cannot be undone.",
  params: ReceiptParams,
  errors: [receiptNotFound],
  async handle(context, { params }) {
    await deleteReceipt(context, params.receiptId);
  },
});

export const receiptRoutes: readonly Route[] = [
  receiptCreate,
  receiptList,
  ...receiptListsOfPass,
  receiptGet,
  receiptRefund,
  receiptDelete,
];
