import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { TenantContext } from "#kernel/context.ts";
import { bodyTooLarge } from "#kernel/http/body-size.ts";
import { newId } from "#kernel/ids.ts";
import { findConnector } from "../connectors.ts";
import {
  type Arrival,
  type Connection,
  type Connector,
  DeliveryProblem,
  type Inbound,
  type Reading,
} from "../kit/connector.ts";
import { parseVendorJson } from "../kit/values.ts";
import { webhookUrlOf } from "./address.service.ts";
import { inboxNotFound, refuseFull, refuseSignature, refuseUnreadable } from "./inbox.errors.ts";
import { extensionDeliveryFailed } from "./inbox.events.ts";
import { peopleOf } from "./inbox.people.ts";
import { insertDelivery, type NewDelivery, UNREADABLE_TOPIC } from "./inbox.repository.ts";
import { BODY_BYTES_MAX } from "./inbox.room.ts";
import { INBOX_HINT } from "./inbox.signal.ts";
import { insertTraces } from "./inbox-claim.repository.ts";
import { enterDoor } from "./inbox-door.service.ts";
import { takeRoom, takeUnreadableRoom } from "./inbox-room.cache.ts";

/** A request to an inbox, as it arrived. */
export type InboxRequest = {
  readonly connector: string;
  readonly token: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: Buffer;
};

const KEY_CHARS_MAX = 200;
const TOPIC_CHARS_MAX = 200;
const SUBJECT_CHARS_MAX = 300;
const HEADERS_MAX = 60;
const HEADER_CHARS_MAX = 1_000;

/** By these a vendor may sign in; what is stored is shown to administrators. */
const CREDENTIALS =
  /^(?:authorization|cookie|proxy-authorization|x-api-key)$|secret|token|password/;

/**
 * Verifies a delivery, stores it, and returns the status that the vendor needs to see. The work itself
 * is done later: vendors wait for a second at most. A delivery that was stored before stays as it is.
 */
export async function receiveDelivery(
  context: TenantContext,
  request: InboxRequest,
): Promise<number> {
  const { connector, inbound, connection } = await openDoor(context, request);
  const headers = plainHeaders(request.headers);
  const { rawBody } = request;
  if (rawBody.length > (inbound.bodyBytesMax ?? BODY_BYTES_MAX)) throw bodyTooLarge();
  const now = context.clock.now();
  const publicUrl = webhookUrlOf(context, connector.name, request.token);
  const signed = { method: "POST", publicUrl, headers, rawBody, now };
  const verdict = inbound.verify(signed, connection);
  if (!verdict.ok) throw refuseSignature(inbound.ack.badSignature, verdict.reason);
  const arrival = { headers, rawBody, json: parseVendorJson(rawBody) };
  return await store(context, connector, inbound, connection, arrival, now);
}

type OpenDoor = {
  readonly connector: Connector;
  readonly inbound: Inbound;
  readonly connection: Connection;
};

/** Throws the same for whatever is missing: nobody learns which tenants use which vendors. */
async function openDoor(context: TenantContext, request: InboxRequest): Promise<OpenDoor> {
  const connector = findConnector(request.connector);
  const inbound = connector?.inbound as Inbound | undefined;
  if (connector === undefined || inbound === undefined) throw inboxNotFound();
  const connection = await enterDoor(context, connector, request.token);
  if (connection === undefined) throw inboxNotFound();
  return { connector, inbound, connection };
}

async function store(
  context: TenantContext,
  connector: Connector,
  inbound: Inbound,
  connection: Connection,
  arrival: Arrival,
  now: Date,
): Promise<number> {
  const { ack } = inbound;
  const kept = { headers: keptHeaders(arrival.headers), body: arrival.rawBody };
  let reading: Reading | undefined;
  try {
    reading = inbound.read(arrival, connection);
  } catch (error) {
    if (!(error instanceof DeliveryProblem)) throw error;
    await storeUnreadable(context, connector, arrival, unreadable(connector, kept, now, error));
    if (ack.unreadable >= 400) throw refuseUnreadable(ack.unreadable, error.message);
    return ack.unreadable;
  }
  if (reading === undefined) return ack.ignored;
  const { runtime, tenantId } = context;
  if (!(await takeRoom(runtime, tenantId, connector.name, arrival.rawBody.length))) {
    throw refuseFull(ack.full ?? 503).because("too many deliveries wait");
  }
  const delivery = {
    ...kept,
    id: newId("inb", now.getTime()),
    connector: connector.name,
    dedupeKey: shortKey(reading.dedupeKey),
    topic: cleaned(reading.topic, TOPIC_CHARS_MAX),
    subject: cleaned(reading.subject, SUBJECT_CHARS_MAX),
    tells: reading.tells ?? null,
    occurredAt: reading.occurredAt ?? now,
    receivedAt: now,
    problem: null,
  };
  const people = inbound.ofAnySystem === true ? peopleOf(connector, arrival) : [];
  if (!(await insertTraced(context, delivery, people))) return ack.duplicate;
  runtime.db.hint(INBOX_HINT, tenantId);
  return ack.stored;
}

/** One statement where an erasure finds the delivery by its subject alone. */
async function insertTraced(
  context: TenantContext,
  delivery: NewDelivery,
  people: readonly string[],
): Promise<boolean> {
  if (people.length < 2) return await insertDelivery(context, delivery);
  return await context.transaction(async (tx) => {
    const isNew = await insertDelivery(tx, delivery);
    if (isNew) insertTraces(tx, delivery.id, termsOf(delivery.connector, people));
    return isNew;
  });
}

const termsOf = (connector: string, people: readonly string[]): string[] =>
  people.map((person) => `${connector}.${person}`);

/**
 * Somebody should look at it. Beyond what anybody can look at, no more of them are stored: whoever can
 * sign could fill the disk by them.
 */
async function storeUnreadable(
  context: TenantContext,
  connector: Connector,
  arrival: Arrival,
  delivery: NewDelivery,
): Promise<void> {
  const { runtime, tenantId } = context;
  const { id, topic, receivedAt, body } = delivery;
  if (!(await takeUnreadableRoom(runtime, tenantId, connector.name, body.length))) return;
  const people = peopleOf(connector, arrival);
  await context.transaction(async (tx) => {
    if (!(await insertDelivery(tx, delivery))) return;
    if (people.length > 0) insertTraces(tx, id, termsOf(connector.name, people));
    tx.emit(extensionDeliveryFailed, {
      connector: connector.name,
      deliveryId: id,
      topic,
      receivedAt: receivedAt.toISOString(),
      attempts: 0,
    });
  });
}

/** Working on it is of no use. */
function unreadable(
  { name }: Connector,
  kept: Pick<NewDelivery, "headers" | "body">,
  now: Date,
  { message: problem }: DeliveryProblem,
): NewDelivery {
  const id = newId("inb", now.getTime());
  return {
    ...kept,
    id,
    connector: name,
    dedupeKey: `unreadable ${hash("sha256", kept.body, "base64url")}`,
    topic: UNREADABLE_TOPIC,
    subject: `unreadable=${id}`,
    tells: null,
    occurredAt: now,
    receivedAt: now,
    problem,
  };
}

function shortKey(key: string): string {
  const clean = cleaned(key, Number.POSITIVE_INFINITY);
  return clean.length <= KEY_CHARS_MAX ? clean : hash("sha256", clean, "base64url");
}

function cleaned(text: string, charsMax: number): string {
  const short = charsMax === Number.POSITIVE_INFINITY ? text : text.slice(0, charsMax);
  return short.replaceAll("\0", "").toWellFormed();
}

/** Of a header that was sent twice, all values. */
function plainHeaders(sent: IncomingHttpHeaders): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(sent)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return headers;
}

function keptHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(headers)
    .filter(([name]) => !CREDENTIALS.test(name))
    .slice(0, HEADERS_MAX)
    .map(([name, value]) => [name, value.slice(0, HEADER_CHARS_MAX)] as const);
  return Object.fromEntries(kept);
}
