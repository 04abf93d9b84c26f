import type { TenantTx } from "../db/transaction.ts";
import type { EventDefinition, EventPayload, StoredEvent } from "./define.ts";

/**
 * Gets events inside the transaction that emitted them: what a listener writes is part of the
 * change.
 */
export type Listener = {
  /** Gets every event of the transaction, and selects those it wants. */
  hear(tx: TenantTx, events: readonly StoredEvent[]): Promise<void>;
  /** Gets the subjects that the transaction erases, after the events of the same round. */
  hearErased?(tx: TenantTx, subjects: readonly string[]): Promise<void>;
};

/** An event with the data of its definition, or of one of several definitions. */
export type EventOf<Definition extends EventDefinition> = StoredEvent<EventPayload<Definition>>;

/**
 * Makes a listener for the events of one or several definitions. It must import the definitions, so
 * a module cannot listen to modules above itself.
 */
export function listen<Definition extends EventDefinition>(
  definitions: Definition | readonly Definition[],
  handle: (tx: TenantTx, events: readonly EventOf<Definition>[]) => Promise<void>,
): Listener {
  const wanted = new Set<EventDefinition>([definitions].flat());
  // The type guard is correct, because `emit` accepts only data that fit the definition.
  const isWanted = (event: StoredEvent): event is EventOf<Definition> =>
    wanted.has(event.definition);
  return {
    async hear(tx, events) {
      const heard = events.filter(isWanted);
      if (heard.length > 0) await handle(tx, heard);
    },
  };
}

/** Makes a listener for all events; their data can be of any type. */
export function listenToEverything(
  handle: (tx: TenantTx, events: readonly StoredEvent[]) => Promise<void>,
): Listener {
  return { hear: handle };
}

/**
 * Makes a listener for erasures, to erase what is stored about events of the subjects. Not all of them
 * have an event of their own: the receipts of a pass go with it.
 */
export function listenToErasures(
  handle: (tx: TenantTx, subjects: readonly string[]) => Promise<void>,
): Listener {
  return { hear: async () => undefined, hearErased: handle };
}
