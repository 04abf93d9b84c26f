import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, afterEach, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { SIGNAL_CHANNEL } from "#kernel/db/signal-channel.ts";
import { startGoogleFixture } from "#test/support/google-fixture.ts";
import { type GoogleCall, ISSUER_ID, seedGoogleTenant } from "#test/support/google-stand-in.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { confirmClass, findClass, upsertClass } from "./class.repository.ts";

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

async function savedTicket(additionalData: Data) {
  const path = "/api/acme/passes?passType=event";
  const { status, body, text } = await api.post(path, { key, body: { additionalData } });
  assert.equal(status, 201, text);
  const id: string = body.id;
  await sendPass(id);
  const classId: string = google.resource("eventTicketObject", `${ISSUER_ID}.${id}`).classId;
  return {
    id,
    classId,
    ofClass: () => google.resource("eventTicketClass", classId),
    async change(data: Data) {
      const changed = await api.patch(`/api/acme/passes/${id}`, {
        key,
        body: { additionalData: data, options: { BypassQueue: true } },
      });
      assert.equal(changed.status, 200, changed.text);
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
  };
}

const contextNow = () => systemCall(api.runtime, "google.test", { tenantId: "acme" });

async function knownClass(classId: string) {
  const known = await findClass(contextNow(), classId);
  assert.ok(known !== undefined);
  return known;
}

/** Two tickets of an event of which one has the time to which it was moved. */
async function movedAndLate(id: string, late: Data = { start: FIRST }) {
  const tickets = { late: await savedTicket({ id, ...late, seat: "2" }) };
  const moved = await savedTicket({ id, start: FIRST, seat: "1" });
  await moved.change({ start: MOVED });
  await moved.isSent();
  assert.equal(moved.ofClass().dateTime.start, MOVED_AT_GOOGLE);
  return { ...tickets, moved };
}

describe("a class at Google that several tickets change at once", () => {
  afterEach(() => {
    google.heal();
    google.calls.length = 0;
  });

  it("is sent again when an older one overtakes it before its ticket is recorded", async () => {
    const ticket = await savedTicket({ id: "overtaken", start: FIRST });
    const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    google.fail(async ({ method, path }: GoogleCall) => {
      if (method !== "PATCH" || !path.includes(ticket.id)) return undefined;
      reached.resolve();
      await go.promise;
      return undefined;
    });
    const before = await knownClass(ticket.classId);
    await ticket.change({ start: MOVED });
    await reached.promise;
    await contextNow().transaction((tx) => upsertClass(tx, { ...before, contentHash: "older" }));
    const sent = google.callsTo(ticket.classId).length;
    assert.equal((await knownClass(ticket.classId)).contentHash, "");
    go.resolve();
    await until(async () => (await knownClass(ticket.classId)).contentHash !== "");
    assert.equal(google.callsTo(ticket.classId).length, sent + 1);
    assert.equal(ticket.ofClass().dateTime.start, MOVED_AT_GOOGLE);
    await ticket.isSent();
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
      const bodies = google.calls
        .slice(before)
        .filter(({ path }) => path.includes(moved.classId))
        .map(({ body }) => body);
      assert.ok(bodies.length > 0);
      assert.ok(bodies.every(({ dateTime }) => dateTime === undefined));
      assert.equal(moved.ofClass().dateTime.start, MOVED_AT_GOOGLE);
      await moved.release();
      await moved.isSent();
      await publish(EVENT);
      await until(() => moved.ofClass().hexBackgroundColor !== "#0000aa");
      await Promise.all([moved.isSent(), late.isSent()]);
    });
  }

  it("has the venue of newer files although the ticket that said its time last is gone", async () => {
    const ticket = await savedTicket({ id: "left", start: FIRST });
    await api.sql(
      "update google_class set announced_at = now() + interval '1 hour' where class_id = $1",
      [ticket.classId],
    );
    await publish(EVENT.replace("Lune Hall", "Sun Hall"));
    await until(() => ticket.ofClass().venue.name.defaultValue.value === "Sun Hall");
    await ticket.isSent();
    await publish(EVENT);
    await until(() => ticket.ofClass().venue.name.defaultValue.value === "Lune Hall");
    await ticket.isSent();
  });

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
      await until(async () => (await rowOf(late.id))?.problem !== null);
      await late.release();
    }
    await until(() => moved.ofClass().hexBackgroundColor === "#aa0000");
    await late.isSent();
    await moved.release();
    await moved.isSent();
    const starts = google.calls
      .slice(before)
      .filter(({ path }) => path.includes(moved.classId))
      .map(({ body }) => body.dateTime?.start ?? MOVED_AT_GOOGLE);
    assert.deepEqual([...new Set(starts)], [MOVED_AT_GOOGLE]);
    assert.equal((await knownClass(moved.classId)).problem, null);
  });

  it("is sent again after an older one, of which no answer came, may have overtaken it", async () => {
    const late = await savedTicket({ id: "unanswered", start: FIRST, seat: "1" });
    const moved = await savedTicket({ id: "unanswered", start: FIRST, seat: "2" });
    const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isFirst = true;
    google.fail(async ({ method, path }: GoogleCall) => {
      if (!isFirst || method !== "PATCH" || !path.includes(late.classId)) return undefined;
      isFirst = false;
      reached.resolve();
      await go.promise;
      return 503;
    });
    await late.change({ start: "2027-05-01T18:00" });
    await reached.promise;
    await moved.change({ start: MOVED });
    await moved.isSent();
    const sent = google.callsTo(moved.classId).length;
    go.resolve();
    await until(() => google.callsTo(moved.classId).length > sent);
    await moved.isSent();
    await until(async () => (await rowOf(late.id))?.problem !== null);
    await late.release();
    await late.isSent();
    assert.equal(google.callsTo(moved.classId).length, sent + 1);
    assert.equal(google.callsTo(moved.classId).at(-1)?.body.dateTime.start, MOVED_AT_GOOGLE);
  });

  it("is not turned back by a ticket that was moved before another one said the time last", async () => {
    const ticket = await savedTicket({ id: "earlier", start: FIRST });
    google.fail(({ method, path }) =>
      method === "PATCH" && path.includes(ticket.classId) ? 503 : undefined,
    );
    await ticket.change({ start: MOVED });
    await until(async () => (await rowOf(ticket.id))?.problem !== null);
    google.heal();
    const before = google.callsTo(ticket.classId).length;
    await api.sql(
      `update google_class set problem = null, announced_at = now() + interval '1 hour',
              content_hash = 'of another ticket' where class_id = $1`,
      [ticket.classId],
    );
    await ticket.release();
    await ticket.isSent();
    assert.equal(google.callsTo(ticket.classId).length, before);
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
    await until(async () => (await rowOf(other.id))?.problem !== null);
    google.heal();
    await other.release();
    await other.isSent();
    assert.equal(other.ofClass().dateTime.start, MOVED_AT_GOOGLE);
  });

  it("is incomplete when it was overtaken between its change and its replacement", async () => {
    const ticket = await savedTicket({ id: "half", start: FIRST });
    google.readNullAsAbsent();
    google.fail(async ({ method, path }) => {
      if (method !== "PATCH" || !path.includes(ticket.classId)) return undefined;
      await api.sql("update google_class set configuration_version = 1000 where class_id = $1", [
        ticket.classId,
      ]);
      return undefined;
    });
    await publish(EVENT.replace("  address: 1 Moon Street\n", ""));
    await until(async () => (await knownClass(ticket.classId)).contentHash === "");
    assert.deepEqual(
      google.callsTo(ticket.classId).map(({ method }) => method),
      ["POST", "PATCH"],
    );
    await publish(EVENT);
  });

  it("counts the notifications of two processes that send it at the same time", async () => {
    const { classId } = await savedTicket({ id: "counted", start: FIRST });
    const known = await knownClass(classId);
    const now = Date.now();
    const older = { ...known, announcedAt: new Date(0), contentHash: "older" };
    for (const [row, minutesAgo] of [
      [known, 3],
      [older, 2],
      [known, 1],
    ] as const) {
      const notifiedAt = [new Date(now - minutesAgo * 60_000)];
      await contextNow().transaction((tx) => upsertClass(tx, { ...row, notifiedAt }));
    }
    assert.equal((await knownClass(classId)).notifiedAt.length, 3);
  });

  it("stays as another process wrote it when a ticket confirms what was there before", async () => {
    const { classId } = await savedTicket({ id: "confirmed", start: FIRST });
    const known = await knownClass(classId);
    const later = new Date(Date.now() + 3_600_000);
    const confirm = (contentHash: string) => {
      const confirmed = { classId, contentHash, configurationVersion: 1_000, announcedAt: later };
      return contextNow().transaction((tx) =>
        confirmClass(tx, { ...confirmed, announcedHash: "other" }),
      );
    };
    await confirm("of-before");
    assert.deepEqual(await knownClass(classId), known);
    await confirm(known.contentHash);
    const { configurationVersion, announcedAt, announcedHash } = await knownClass(classId);
    assert.deepEqual([configurationVersion, announcedAt], [1_000, later]);
    assert.equal(announcedHash, known.announcedHash);
  });
});
