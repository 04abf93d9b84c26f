export {
  receiptReferenceTaken,
  receiptRefundTooLarge,
  receiptTooManyRefunds,
} from "./receipt.errors.ts";
export { receiptCreated, receiptDeleted, receiptUpdated } from "./receipt.events.ts";
export {
  LINES_MAX,
  type Receipt,
  type ReceiptCreate,
  type RefundCreate,
  TAXES_MAX,
} from "./receipt.schema.ts";
export { type Recorded, recordReceipt } from "./receipt.service.ts";
export { type ReceiptDesk, receiptDeskOf } from "./receipt-desk.service.ts";
export { type PurchaseName, type Refunded, recordRefund } from "./receipt-refund.service.ts";
