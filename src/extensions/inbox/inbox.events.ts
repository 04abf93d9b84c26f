import Type from "typebox";
import { defineEvent } from "#kernel/events/define.ts";

// Names and fields are a public contract: add new ones, but never rename or remove one.
export const extensionDeliveryFailed = defineEvent({
  name: "extension.delivery-failed",
  version: 1,
  summary: "A delivery of a connected vendor could not be worked on. The inbox says why.",
  payload: Type.Object({
    connector: Type.String(),
    deliveryId: Type.String(),
    topic: Type.String(),
    receivedAt: Type.String({ format: "date-time" }),
    attempts: Type.Integer(),
  }),
  example: {
    connector: "shopify",
    deliveryId: "inb_0VfQm3Ks00x7Rk2LwPq9Zt",
    topic: "orders/paid",
    receivedAt: "2026-01-31T09:30:00.000Z",
    attempts: 1,
  },
});
