import type { Static, TSchema } from "typebox";

export type EventDefinition<Payload extends TSchema = TSchema> = {
  /** `noun.happened`; a `*` segment stands for an id (`store.*.updated`) and is filled in by `emit`. */
  readonly name: string;
  readonly version: number;
  readonly summary: string;
  readonly payload: Payload;
  /** A whole `data` member for the documentation, checked against the schema by a test. */
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
  /** Whose story it belongs to, by id: told, and erased, as a whole. */
  readonly subject: string | undefined;
};

/** Names and fields are a published contract: add, never rename or remove. */
export function defineEvent<Payload extends TSchema>(
  definition: EventDefinition<Payload>,
): EventDefinition<Payload> {
  return definition;
}
