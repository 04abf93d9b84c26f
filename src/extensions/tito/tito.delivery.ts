import { hash } from "node:crypto";
import { type Arrival, DeliveryProblem, type Reading } from "../kit/connector.ts";
import { textAt, timeAt, valueAt } from "../kit/values.ts";

/**
 * What Tito tells of, and which news of the same second is the later one: Tito counts in seconds.
 * Nobody knows which of void and good again was later then: void counts, because it lets nobody in
 * who should not be. Other topics ask for nothing.
 */
const TOPICS: Readonly<Record<string, number>> = {
  "ticket.created": 0,
  "ticket.completed": 1,
  "ticket.updated": 2,
  "ticket.reassigned": 3,
  "ticket.unsnoozed": 4,
  "ticket.voided": 5,
  "ticket.unvoided": 5,
  "checkin.created": 0,
  "checkin.deleted": 1,
};

export const isCheckIn = (topic: string): boolean => topic.startsWith("checkin.");

/** The identifier of passes that is the id of their ticket. */
export const TICKET = "ticketId";

type Settings = { readonly events?: readonly string[] | undefined };

/**
 * Tito gives its deliveries no id: the bytes stand for it. A ticket is told of as it is, so what is
 * older than what is known is passed over; check-ins have a time of their own (see the plan).
 */
export function readTito(
  { headers, rawBody, json }: Arrival,
  { settings }: { readonly settings: Settings },
): Reading | undefined {
  const topic = headers["x-webhook-name"];
  if (topic === undefined || !Object.hasOwn(TOPICS, topic)) return undefined;
  if (json === undefined) throw new DeliveryProblem("Its body is no JSON.");
  const event = textAt(json, "event.slug");
  const { events } = settings;
  if (events !== undefined && (event === undefined || !events.includes(event))) return undefined;
  // The header is not signed: the id of a check-in must not be taken for that of a ticket.
  if (!isCheckIn(topic) && textAt(json, "ticket_id") !== undefined) {
    throw new DeliveryProblem("Its body is that of a check-in.");
  }
  const id = textAt(json, isCheckIn(topic) ? "ticket_id" : "id");
  if (id === undefined) throw new DeliveryProblem("It does not say which ticket it is about.");
  const digest = hash("sha256", rawBody, "base64url");
  return {
    dedupeKey: `${topic} ${digest}`,
    topic,
    subject: `${TICKET}=${id}`,
    occurredAt: momentOf(topic, json),
    tells: isCheckIn(topic) ? undefined : isVoid(topic, json) ? "gone" : "state",
  };
}

/** Check-ins name their ticket; tickets are the whole body. */
export function peopleOfTito({ json }: Pick<Arrival, "json">): string[] {
  const id = textAt(json, "ticket_id") ?? textAt(json, "id");
  return id === undefined ? [] : [`${TICKET}=${id}`];
}

/** The header is not signed, so the body decides where it says something. */
export function isVoid(topic: string, json: unknown): boolean {
  const state = textAt(json, "state_name");
  if (state !== undefined) return /^(void|voided|cancelled|canceled)$/.test(state);
  return topic === "ticket.voided";
}

/** Whether a check-in was taken back; the header is not signed, so the body decides where it says. */
export function isTakenBack(topic: string, json: unknown): boolean {
  const deletedAt = valueAt(json, "deleted_at");
  return deletedAt === undefined ? topic === "checkin.deleted" : deletedAt !== null;
}

/** When it happened; within a second, in the order of a ticket's life. */
function momentOf(topic: string, json: unknown): Date | undefined {
  const changed = timeAt(json, "updated_at");
  if (!isCheckIn(topic)) return placed(changed, TOPICS[topic]);
  const isBack = isTakenBack(topic, json);
  const at = timeAt(json, isBack ? "deleted_at" : "created_at") ?? changed;
  return placed(at, TOPICS[isBack ? "checkin.deleted" : "checkin.created"]);
}

function placed(at: Date | undefined, rank = 0): Date | undefined {
  if (at === undefined || at.getUTCMilliseconds() !== 0) return at;
  return new Date(at.getTime() + rank);
}
