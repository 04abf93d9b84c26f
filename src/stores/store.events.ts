import { defineEvent, type EventDefinition } from "#kernel/events/define.ts";
import { STORE_EXAMPLE, StoreResource } from "./store.schema.ts";

function storeEvent(name: string, summary: string) {
  return defineEvent({ name, version: 1, summary, payload: StoreResource, example: STORE_EXAMPLE });
}

// Names and fields are a public contract: add new ones, but never rename or remove one. `*` is the
// id of the store.
export const storeCreated = storeEvent(
  "store.*.created",
  "A configuration was published that has a new store.",
);
export const storeUpdated = storeEvent(
  "store.*.updated",
  "A configuration was published in which a store is not as it was.",
);
export const storeDeleted = storeEvent(
  "store.*.deleted",
  "A configuration was published that lacks a store; tells it as it was.",
);

export const storeEvents: readonly EventDefinition[] = [storeCreated, storeUpdated, storeDeleted];
