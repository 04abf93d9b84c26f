import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, afterEach, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { SIGNAL_CHANNEL } from "#kernel/db/signal-channel.ts";
import { startGoogleFixture } from "#test/support/google-fixture.ts";
import {
  type GoogleCall,
  ISSUER_ID,
  quiet,
  seedGoogleTenant,
} from "#test/support/google-stand-in.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { confirmClass, findClass } from "./class.repository.ts";

const EVENT = `kind: eventTicket
name: Concert
organization: Harbour Club
description: Pass of the Harbour Club
images: { icon: images/icon.png, logo: images/icon.png }
event:
  id: "{{ data.id }}"
  name: Concert
  venue: Lune Hall
  address: 1 Moon Street
  doors: "{{ data.doors }}"
  start: "{{ data.start }}"
  seat: "{{ data.seat }}"
fields:
  primary: [ { key: event, label: Event, value: Concert } ]
  secondary: [ { key: start, label: Starts, value: "{{ data.start }}", change: "Now at %@" } ]
`;

const { google, api, rowOf, sendPass, settled } = await startGoogleFixture({ after });
// While one waits for Google, the other one sends.
await api.node();
const key = api.operatorKey;
const publish = (event: string) =>
  seedGoogleTenant(api, "acme", {
    "tenant.yml": "name: Acme\ntimeZone: Europe/Zurich\n",
    "server/passes/event.yml": event,
  });
const inColor = (color: string) =>
  EVENT.replace("event:\n", `colors: { background: "${color}" }\nevent:\n`);
await publish(EVENT);

type Data = Readonly<Record<string, string>>;
const FIRST = "2027-05-01T20:00";
const MOVED = "2027-05-02T20:00";
const MOVED_AT_GOOGLE = "2027-05-02T20:00:00+02:00";

async function createdTicket(additionalData: Data): Promise<string> {
  const path = "/api/acme/passes?passType=event";
  const { status, body, text } = await api.post(path, { key, body: { additionalData } });
  assert.equal(status, 201, text);
  return body.id;
}

async function savedTicket(additionalData: Data) {
  const id = await createdTicket(additionalData);
  await sendPass(id);
  const classId: string = google.resource("eventTicketObject", `${ISSUER_ID}.${id}`).classId;
  return {
    id,
    classId,
    ofClass: () => google.resource("eventTicketClass", classId),
    /** Returns when the change waits to be sent. */
    async change(data: Data) {
      const before = Number((await rowOf(id))?.revision);
      const changed = await api.patch(`/api/acme/passes/${id}`, {
        key,
        body: { additionalData: data },
      });
      assert.equal(changed.status, 202, changed.text);
      await until(async () => Number((await rowOf(id))?.revision) > before);
    },
    isSent: () => settled(id),
    /** As if another process had it. */
    hold: () =>
      api.sql("update google_object set claim_token = $2, due_at = 'infinity' where pass_id = $1", [
        id,
        randomUUID(),
      ]),
    async release() {
      await api.sql(
        "update google_object set claim_token = null, due_at = now() where pass_id = $1",
        [id],
      );
      await api.sql("select pg_notify($1, 'google-object acme')", [SIGNAL_CHANNEL]);
    },
    hasFailed: () => until(async () => (await rowOf(id))?.problem !== null),
  };
}

const contextNow = () => systemCall(api.runtime, "google.test", { tenantId: "acme" });

async function knownClass(classId: string) {
  const known = await findClass(contextNow(), classId);
  assert.ok(known !== undefined);
  return known;
}

/** The starts that the class was sent since a call; a change without one leaves the start that it has. */
const startsSince = (count: number, classId: string) =>
  google.calls
    .slice(count)
    .filter(({ path }) => path.includes(classId))
    .map(({ body }) => body.dateTime?.start ?? MOVED_AT_GOOGLE);

/** Two tickets of an event of which one has the time to which it was moved. */
async function movedAndLate(id: string, late: Data = { start: FIRST }) {
  const tickets = { late: await savedTicket({ id, ...late, seat: "2" }) };
  const moved = await savedTicket({ id, start: FIRST, seat: "1" });
  await moved.change({ start: MOVED });
  await moved.isSent();
  assert.equal(moved.ofClass().dateTime.start, MOVED_AT_GOOGLE);
  return { ...tickets, moved };
}

/** Holds the first change of a class until it is released, and answers it then. */
function holdChange(classId: string, status?: number) {
  const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isFirst = true;
  google.fail(async ({ method, path }: GoogleCall) => {
    if (!isFirst || method !== "PATCH" || !path.includes(classId)) return undefined;
    isFirst = false;
    reached.resolve();
    await go.promise;
    return status;
  });
  return { isReached: reached.promise, release: () => go.resolve() };
}

describe("a class at Google that several tickets change at once", () => {
  afterEach(() => {
    google.heal();
    google.calls.length = 0;
  });

  it("is sent by one process at a time, and the next one waits", async () => {
    const one = await savedTicket({ id: "busy", start: FIRST, seat: "1" });
    const other = await savedTicket({ id: "busy", start: FIRST, seat: "2" });
    const change = holdChange(one.classId);
    const before = google.calls.length;
    await one.change({ start: "2027-05-01T18:00" });
    await change.isReached;
    await other.change({ start: MOVED });
    await quiet();
    assert.equal(startsSince(before, one.classId).length, 1, "the other one does not send it");
    change.release();
    await Promise.all([one.isSent(), other.isSent()]);
    assert.deepEqual(startsSince(before, one.classId), [
      "2027-05-01T18:00:00+02:00",
      MOVED_AT_GOOGLE,
    ]);
  });

  it("is not taken for sent while a process has it that may never send it", async () => {
    const ticket = await savedTicket({ id: "dead", start: FIRST });
    await api.sql(
      "update google_class set claim_token = $2, claimed_until = 'infinity' where class_id = $1",
      [ticket.classId, randomUUID()],
    );
    await ticket.change({ start: MOVED });
    await ticket.hasFailed();
    const row = await rowOf(ticket.id);
    assert.deepEqual([row?.state, row?.problem], ["queued", "Another process sends the class."]);
    await api.sql("update google_class set claimed_until = now() where class_id = $1", [
      ticket.classId,
    ]);
    await ticket.release();
    await ticket.isSent();
    assert.equal(ticket.ofClass().dateTime.start, MOVED_AT_GOOGLE);
  });

  it("is sent again to a pass that was changed back while the answer of Google was lost", async () => {
    const ticket = await savedTicket({ id: "lost", start: FIRST });
    await ticket.hold();
    // Google has the new time, and the process that sent it died.
    ticket.ofClass().dateTime.start = MOVED_AT_GOOGLE;
    await api.sql(
      "update google_class set content_hash = '', claim_token = $2, claimed_until = now() where class_id = $1",
      [ticket.classId, randomUUID()],
    );
    await ticket.release();
    await until(() => ticket.ofClass().dateTime.start === "2027-05-01T20:00:00+02:00");
  });

  it("has the time of the pass that was changed last, also if another one is sent again after it", async () => {
    const one = await savedTicket({ id: "unanswered", start: FIRST, seat: "1" });
    const other = await savedTicket({ id: "unanswered", start: FIRST, seat: "2" });
    const change = holdChange(one.classId, 503);
    await one.change({ start: "2027-05-01T18:00" });
    await change.isReached;
    await other.change({ start: MOVED });
    change.release();
    await one.hasFailed();
    await other.release();
    await other.isSent();
    await one.release();
    await one.isSent();
    assert.equal(one.ofClass().dateTime.start, MOVED_AT_GOOGLE);
    assert.equal((await knownClass(one.classId)).problem, null);
  });

  for (const { title, id, data } of [
    { title: "without any time", id: "timeless", data: { doors: "", start: "" } },
    { title: "with doors of its own", id: "doors", data: { doors: FIRST, start: FIRST } },
  ]) {
    it(`keeps its times when a ticket ${title} brings newer files`, async () => {
      const { late, moved } = await movedAndLate(id, data);
      await moved.hold();
      const before = google.calls.length;
      await publish(inColor("#0000aa"));
      await until(() => moved.ofClass().hexBackgroundColor === "#0000aa");
      await late.isSent();
      const starts = startsSince(before, moved.classId);
      assert.deepEqual([...new Set(starts)], [MOVED_AT_GOOGLE]);
      await moved.release();
      await moved.isSent();
      await publish(EVENT);
      await until(() => moved.ofClass().hexBackgroundColor !== "#0000aa");
      await Promise.all([moved.isSent(), late.isSent()]);
    });
  }

  it("is not turned back after newer files could not be brought at once", async () => {
    const { late, moved } = await movedAndLate("failing");
    await moved.hold();
    let failures = 0;
    google.fail(({ path, method }) => {
      const isMeant = method === "PATCH" && path.includes(moved.classId) && failures < 2;
      if (!isMeant) return undefined;
      failures += 1;
      return 503;
    });
    const before = google.calls.length;
    await publish(inColor("#aa0000"));
    for (const failure of [1, 2]) {
      await until(() => failures === failure);
      await late.hasFailed();
      await late.release();
    }
    await until(() => moved.ofClass().hexBackgroundColor === "#aa0000");
    await late.isSent();
    await moved.release();
    await moved.isSent();
    assert.deepEqual([...new Set(startsSince(before, moved.classId))], [MOVED_AT_GOOGLE]);
    assert.equal((await knownClass(moved.classId)).problem, null);
  });

  it("is not turned back by the repetition of a ticket after which another one was moved", async () => {
    const one = await savedTicket({ id: "earlier", start: FIRST, seat: "1" });
    const other = await savedTicket({ id: "earlier", start: FIRST, seat: "2" });
    google.fail(({ method, path }) =>
      method === "PATCH" && path.includes(one.classId) ? 503 : undefined,
    );
    await one.change({ start: "2027-05-01T18:00" });
    await one.hasFailed();
    await one.hold();
    google.heal();
    await other.change({ start: MOVED });
    await other.isSent();
    const before = google.calls.length;
    await one.release();
    await one.isSent();
    assert.deepEqual(startsSince(before, one.classId), []);
    assert.equal(one.ofClass().dateTime.start, MOVED_AT_GOOGLE);
  });

  it("takes what another ticket says if Google refused it, also after a failure between", async () => {
    const [refused, other] = [
      await savedTicket({ id: "refused", start: FIRST, seat: "1" }),
      await savedTicket({ id: "refused", start: FIRST, seat: "2" }),
    ];
    await other.hold();
    await other.change({ start: MOVED });
    let status = 400;
    google.fail(({ method, path }) =>
      method === "PATCH" && path.includes(other.classId) ? status : undefined,
    );
    await refused.change({ start: "2027-05-03T20:00" });
    await until(async () => (await rowOf(refused.id))?.state === "failed");
    status = 503;
    await other.release();
    await other.hasFailed();
    google.heal();
    await other.release();
    await other.isSent();
    assert.equal(other.ofClass().dateTime.start, MOVED_AT_GOOGLE);
  });

  it("has what Google has, after it refused a time, for the tickets that follow", async () => {
    const refused = await savedTicket({ id: "kept", start: FIRST, seat: "1" });
    const before = google.calls.length;
    google.fail(({ method, body }) =>
      method === "PATCH" && body.dateTime?.start?.startsWith("2027-05-03") ? 400 : undefined,
    );
    await refused.change({ start: "2027-05-03T20:00" });
    await until(async () => (await rowOf(refused.id))?.state === "failed");
    const newcomer = await savedTicket({ id: "kept", start: FIRST, seat: "2" });
    await newcomer.isSent();
    assert.equal(refused.ofClass().dateTime.start, "2027-05-01T20:00:00+02:00");
    google.heal();
    await refused.change({ seat: "3" });
    await refused.isSent();
    assert.equal(refused.ofClass().dateTime.start, "2027-05-03T20:00:00+02:00");
    const notified = google.calls
      .slice(before)
      .filter(({ path, body }) => path.includes(refused.classId) && body.notifyPreference);
    assert.equal(notified.length, 2, "the time that was refused, and taken later");
  });

  it("is sent again as a whole when the claim on it ended between its change and its replacement", async () => {
    const ticket = await savedTicket({ id: "half", start: FIRST });
    google.readNullAsAbsent();
    let isFirst = true;
    google.fail(async ({ method, path }) => {
      if (!isFirst || method !== "PATCH" || !path.includes(ticket.classId)) return undefined;
      isFirst = false;
      await api.sql(
        "update google_class set claim_token = $2, claimed_until = now() where class_id = $1",
        [ticket.classId, randomUUID()],
      );
      return undefined;
    });
    google.calls.length = 0;
    await publish(EVENT.replace("  address: 1 Moon Street\n", ""));
    await ticket.hasFailed();
    await ticket.release();
    await ticket.isSent();
    assert.equal(ticket.ofClass().venue, undefined);
    assert.deepEqual(
      google.callsTo(ticket.classId).map(({ method }) => method),
      ["PATCH", "PATCH", "PUT"],
    );
    google.heal();
    await publish(EVENT);
    await until(() => ticket.ofClass().venue !== undefined);
    await ticket.isSent();
  });

  it("stays as another process wrote it when a ticket confirms what was there before", async () => {
    const { classId } = await savedTicket({ id: "confirmed", start: FIRST });
    const known = await knownClass(classId);
    const confirm = (contentHash: string, configurationVersion: number) =>
      contextNow().transaction((tx) =>
        confirmClass(tx, { classId, contentHash, configurationVersion }),
      );
    await confirm("of-before", 1_000);
    assert.deepEqual(await knownClass(classId), known);
    await confirm(known.contentHash, 1_000);
    await confirm(known.contentHash, 999);
    assert.equal((await knownClass(classId)).configurationVersion, 1_000);
  });
});
