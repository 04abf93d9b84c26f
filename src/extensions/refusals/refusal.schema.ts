import Type, { type Static } from "typebox";

/** An event that the vendor refused again and again, and that was set aside. */
export type StoredRefusal = {
  readonly eventId: string;
  readonly eventName: string;
  readonly reason: string;
  readonly refusedAt: Date;
  /** Somebody asked to send it again. */
  readonly again: boolean;
};

const ID_EXAMPLE = "evt_0VfQm3Ks00x7Rk2LwPq9Zt";

export const RefusedEvent = Type.Object(
  {
    eventId: Type.String({ examples: [ID_EXAMPLE] }),
    event: Type.String({ description: "Its name." }),
    reason: Type.String({ description: "What the vendor said, without whom it is about." }),
    refusedAt: Type.String({ format: "date-time" }),
    isWaiting: Type.Boolean({ description: "Whether it is about to be sent again." }),
  },
  { title: "RefusedEvent" },
);
export type RefusedEvent = Static<typeof RefusedEvent>;

export const RefusedEventParams = Type.Object({
  tenantId: Type.String(),
  connector: Type.String({ description: "The connector, by its name.", examples: ["cdp"] }),
  refusedEventId: Type.String({ description: "The event.", examples: [ID_EXAMPLE] }),
});

export function presentRefusal(refusal: StoredRefusal): RefusedEvent {
  const { eventId, eventName, reason, refusedAt, again } = refusal;
  return {
    eventId,
    event: eventName,
    reason,
    refusedAt: refusedAt.toISOString(),
    isWaiting: again,
  };
}

export const REFUSAL_EXAMPLE: RefusedEvent = {
  eventId: ID_EXAMPLE,
  event: "scan.recorded",
  reason: "not authorized to create event 'pass_scanned'",
  refusedAt: "2026-01-31T09:30:00.000Z",
  isWaiting: false,
};
