import Type from "typebox";
import { defineEvent, type EventDefinition } from "#kernel/events/define.ts";
import { RECEIPT_TOLD } from "./receipt.examples.ts";
import { ReceiptResource } from "./receipt.schema.ts";

// Names and fields are a published contract: add, never rename or remove.
export const receiptCreated = defineEvent({
  name: "receipt.created",
  version: 1,
  summary: "A purchase became a receipt. Its lines are read by its id.",
  payload: ReceiptResource,
  example: RECEIPT_TOLD,
});

export const receiptUpdated = defineEvent({
  name: "receipt.updated",
  version: 1,
  summary: "Something of a purchase was given back.",
  payload: ReceiptResource,
  example: { ...RECEIPT_TOLD, refunded: 2.2, version: 2, updatedAt: "2026-01-31T10:00:00.000Z" },
});

export const receiptDeleted = defineEvent({
  name: "receipt.deleted",
  version: 1,
  summary:
    "A receipt was erased by itself. Those of an erased pass or customer go with it, and without this event.",
  payload: Type.Object({ receiptId: Type.String() }),
  example: { receiptId: RECEIPT_TOLD.receiptId },
});

export const receiptEvents: readonly EventDefinition[] = [
  receiptCreated,
  receiptUpdated,
  receiptDeleted,
];
