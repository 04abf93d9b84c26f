import type { Static, TSchema } from "typebox";

export type EventDefinition<Payload extends TSchema = TSchema> = {
  /** `noun.happened`. A segment `*` stands for an id (`store.*.updated`), which `emit` fills in. */
  readonly name: string;
  readonly version: number;
  readonly summary: string;
  readonly payload: Payload;
  /** A complete `data` member for the documentation; a test checks it against the schema. */
  readonly example: unknown;
};

export type EventPayload<Definition> =
  Definition extends EventDefinition<infer Payload> ? Static<Payload> : never;

export type PendingEvent = {
  readonly id: string;
  readonly definition: EventDefinition;
  readonly name: string;
  readonly tenantId: string;
  readonly data: unknown;
  readonly previous: unknown;
  /** The id of the customer or pass that the event concerns; all its events are erased together. */
  readonly subject: string | undefined;
  /** The request that caused the event; undefined for what the service does by itself. */
  readonly requestId: string | undefined;
};

/** A pending event that its transaction has written. */
export type StoredEvent<Data = unknown> = PendingEvent & {
  readonly occurredAt: Date;
  readonly data: Data;
};

/** Names and fields are a published contract: add, never rename or remove. */
export function defineEvent<Payload extends TSchema>(
  definition: EventDefinition<Payload>,
): EventDefinition<Payload> {
  return definition;
}
