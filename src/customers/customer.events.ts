import Type from "typebox";
import { defineEvent, type EventDefinition } from "#kernel/events/define.ts";
import { CUSTOMER_EXAMPLE, CustomerResource } from "./customer.schema.ts";

// Names and fields are a public contract: add new ones, but never rename or remove one.
export const customerCreated = defineEvent({
  name: "customer.created",
  version: 1,
  summary: "A customer was created.",
  payload: CustomerResource,
  example: CUSTOMER_EXAMPLE,
});

export const customerUpdated = defineEvent({
  name: "customer.updated",
  version: 1,
  summary: "Something that is known of a customer changed.",
  payload: CustomerResource,
  example: { ...CUSTOMER_EXAMPLE, version: 2 },
});

export const customerDeleted = defineEvent({
  name: "customer.deleted",
  version: 1,
  summary: "A customer was erased.",
  payload: Type.Object({ customerId: Type.String() }),
  example: { customerId: CUSTOMER_EXAMPLE.customerId },
});

export const customerEvents: readonly EventDefinition[] = [
  customerCreated,
  customerUpdated,
  customerDeleted,
];
