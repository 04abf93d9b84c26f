import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, afterEach, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { sql } from "#kernel/db/sql.ts";
import { startGoogleFixture } from "#test/support/google-fixture.ts";
import { ISSUER_ID, seedGoogleTenant } from "#test/support/google-stand-in.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { claimObjects } from "../objects/object-queue.repository.ts";
import { updateOutdated } from "./outdated.jobs.ts";
import { listOutdatedTenants, scheduleOutdated } from "./outdated.repository.ts";

const HEAD = `organization: Harbour Club
description: Pass of the Harbour Club
images: { icon: images/icon.png, logo: images/icon.png }
`;
const FIELDS = `fields:
  primary: [ { key: start, label: Starts, value: "{{ data.start }}", change: "Now at %@" } ]
`;
const EVENT = `kind: eventTicket
name: Concert
${HEAD}event: { id: "{{ data.id }}", name: Concert, start: "{{ data.start }}", seat: "{{ data.seat }}" }
${FIELDS}`;
/** All passes have the class of the template. */
const GALA = `kind: eventTicket
name: Gala
${HEAD}event: { name: Gala, start: "2027-05-01T20:00", seat: "{{ data.seat }}" }
${FIELDS}`;
const FLIGHT = `kind: boardingPass
name: Flight
${HEAD}transit:
  type: air
  carrier: LX
  number: "15"
  passenger: Ada
  origin: { code: ZRH }
  destination: { code: BER }
  departure: "{{ data.start }}"
  gate: "{{ data.gate }}"
${FIELDS}`;
const TRAIN = `kind: boardingPass
name: Train
${HEAD}transit: { type: train, departure: "{{ data.start }}", origin: { name: Bern }, destination: { name: Ulm } }
${FIELDS}`;
const CARD = `kind: generic
name: Card
${HEAD}${FIELDS}`;
const FILES = {
  "tenant.yml": "name: Acme\ntimeZone: Europe/Zurich\n",
  "server/passes/event.yml": EVENT,
  "server/passes/gala.yml": GALA,
  "server/passes/flight.yml": FLIGHT,
  "server/passes/train.yml": TRAIN,
  "server/passes/card.yml": CARD,
};

const { google, api, rowOf, sendPass, settled, hurry } = await startGoogleFixture({ after });
await seedGoogleTenant(api, "acme", FILES);
await seedGoogleTenant(api, "quiet");
const key = api.operatorKey;
// By its schedule it would run between two steps of a test.
await api.sql("delete from pgboss.schedule where name = $1", [updateOutdated.name]);

async function saved(passType: string, data: Readonly<Record<string, string>> = {}) {
  const body = { additionalData: { start: "2027-05-01T20:00", ...data } };
  const made = await api.post(`/api/acme/passes?passType=${passType}`, { key, body });
  assert.equal(made.status, 201, made.text);
  const passId: string = made.body.id;
  await sendPass(passId);
  await settled(passId);
  const classId = String((await rowOf(passId))?.class_id);
  return { passId, classId };
}

/** As a process of the former release leaves a pass and its class. */
async function writtenByFormer({ passId, classId }: { passId: string; classId: string }) {
  await api.sql(
    `update google_object set content_hash = 'former', taken_facts = null
      where pass_id = $1`,
    [passId],
  );
  await api.sql(
    `update google_class set content_hash = 'former', facts = null, fact_sources = '{}'
      where class_id = $1`,
    [classId],
  );
}

const runJob = () =>
  updateOutdated.run(
    systemCall(api.runtime, updateOutdated.name),
    {},
    new AbortController().signal,
  );
const isUpToDate = async (passId: string) => {
  const row = await rowOf(passId);
  return row?.state === "sent" && row.due_at === null && row.content_hash !== "former";
};
const callsSince = (count: number) =>
  google.calls
    .slice(count)
    .map(({ method, path, body }) => [method, path.split("/")[1], body.notifyPreference]);

describe("what a former release left at Google with times in UTC", () => {
  afterEach(() => google.heal());

  for (let writes = 1; writes <= 2; writes += 1) {
    it(`is sent once more and rings no phone, also when it was written again (${writes})`, async () => {
      const train = await saved("train");
      const leg = google.resource("transitObject", `${ISSUER_ID}.${train.passId}`).ticketLeg;
      for (let write = 0; write < writes; write += 1) {
        leg.departureDateTime = "2027-05-01T18:00:00.000Z";
        await writtenByFormer(train);
        const before = google.calls.length;
        await runJob();
        await hurry();
        await until(() => isUpToDate(train.passId));
        assert.deepEqual(callsSince(before), [["PATCH", "transitObject", undefined]]);
      }
      const { ticketLeg } = google.resource("transitObject", `${ISSUER_ID}.${train.passId}`);
      assert.equal(ticketLeg.departureDateTime, "2027-05-01T20:00:00+02:00");
    });
  }

  it("on the class of an event, is sent with the ticket that was changed last, and no other ticket is sent", async () => {
    const tickets = [await saved("event", { id: "one" }), await saved("event", { id: "one" })];
    const classId = String(tickets[0]?.classId);
    google.resource("eventTicketClass", classId).dateTime.start = "2027-05-01T18:00:00.000Z";
    for (const ticket of tickets) await writtenByFormer(ticket);
    const last = String(tickets[1]?.passId);
    await api.sql("update google_object set queued_at = now() where pass_id = $1", [last]);
    const before = google.calls.length;
    await runJob();
    await hurry();
    await until(() => isUpToDate(last));
    assert.deepEqual(callsSince(before), [
      ["PATCH", "eventTicketClass", undefined],
      ["PATCH", "eventTicketObject", undefined],
    ]);
    const { start } = google.resource("eventTicketClass", classId).dateTime;
    assert.equal(start, "2027-05-01T20:00:00+02:00");
    const other = await rowOf(String(tickets[0]?.passId));
    assert.deepEqual([other?.content_hash, other?.due_at], ["former", null]);
  });

  for (const passType of ["gala", "event"]) {
    it(`on a class that ${passType === "gala" ? "all passes share" : "is of one event"} is sent once, and nothing is left to do`, async () => {
      const ticket = await saved(passType, { id: "alone" });
      const ofClass = () => google.resource("eventTicketClass", ticket.classId);
      ofClass().dateTime.start = "2027-05-01T18:00:00.000Z";
      await writtenByFormer(ticket);
      await runJob();
      await hurry();
      await until(() => ofClass().dateTime.start === "2027-05-01T20:00:00+02:00");
      await settled(ticket.passId);
      const context = systemCall(api.runtime, updateOutdated.name);
      await until(async () => (await listOutdatedTenants(context)).length === 0);
    });
  }

  it("on a class that a new pass brings first is complete with the next pass of before", async () => {
    const first = await saved("flight", { gate: "B7" });
    await writtenByFormer(first);
    const newcomer = await saved("flight");
    assert.equal(newcomer.classId, first.classId);
    await runJob();
    await hurry();
    await until(() => isUpToDate(newcomer.passId));
    await api.patch(`/api/acme/passes/${first.passId}`, {
      key,
      body: { additionalData: { seat: "2" } },
    });
    const gate = () => google.resource("flightClass", first.classId).origin.gate;
    await until(() => gate() === "B7");
    await until(async () => (await listOutdatedTenants(systemCall(api.runtime, "x"))).length === 0);
  });

  it("is sent with the class of which a process that died may have sent another content", async () => {
    const { passId, classId } = await saved("event", { id: "died" });
    const ofClass = () => google.resource("eventTicketClass", classId);
    ofClass().dateTime.start = "2027-05-09T20:00:00+02:00";
    await api.sql(
      `update google_class set content_hash = '', problem = 'No answer.',
              claimed_until = now() + interval '1 hour' where class_id = $1`,
      [classId],
    );
    await runJob();
    assert.equal((await rowOf(passId))?.due_at, null, "it may be at it still");
    await api.sql("update google_class set claimed_until = now() where class_id = $1", [classId]);
    await runJob();
    await hurry();
    await until(() => ofClass().dateTime.start === "2027-05-01T20:00:00+02:00");
    await settled(passId);
  });

  it("on a class hides no later move: its holders are notified of that", async () => {
    const tickets = [await saved("event", { id: "moves" }), await saved("event", { id: "moves" })];
    for (const ticket of tickets) await writtenByFormer(ticket);
    await runJob();
    await hurry();
    const context = systemCall(api.runtime, updateOutdated.name);
    await until(async () => (await listOutdatedTenants(context)).length === 0);
    const [row] = await api.sql(
      "select pass_id from google_object where taken_facts is null and class_id = $1",
      [tickets[0]?.classId],
    );
    const before = google.calls.length;
    const body = { additionalData: { start: "2027-05-02T20:00" } };
    const { status, text } = await api.patch(`/api/acme/passes/${row?.pass_id}`, { key, body });
    assert.equal(status, 202, text);
    const classId = String(tickets[0]?.classId);
    const start = () => google.resource("eventTicketClass", classId).dateTime.start;
    await until(() => start() === "2027-05-02T20:00:00+02:00");
    const [sent] = google.calls.slice(before).filter(({ path }) => path.includes(classId));
    assert.equal(sent?.body.notifyPreference, "NOTIFY_ON_UPDATE");
    await settled(String(row?.pass_id));
  });

  it("on a class without any pass is left to the next pass of it", async () => {
    const { passId, classId } = await saved("event", { id: "nobody" });
    await writtenByFormer({ passId, classId });
    await api.delete(`/api/acme/passes/${passId}`, { key });
    await until(async () => (await rowOf(passId)) === undefined);
    await runJob();
    const [row] = await api.sql("select content_hash from google_class where class_id = $1", [
      classId,
    ]);
    assert.equal(row?.content_hash, "no-pass");
  });

  it("rings no phone after a failure, and with newer files, either", async () => {
    const train = await saved("train");
    await writtenByFormer(train);
    google.fail(({ path }) => (path.includes(train.passId) ? 503 : undefined));
    await runJob();
    await hurry();
    await until(async () => (await rowOf(train.passId))?.problem !== null);
    assert.equal((await rowOf(train.passId))?.state, "sent");
    google.heal();
    const before = google.calls.length;
    const files = { ...FILES, "server/passes/train.yml": TRAIN.replace("Starts", "Begins") };
    await seedGoogleTenant(api, "acme", files);
    await until(() => isUpToDate(train.passId));
    const own = google.calls.slice(before).filter(({ path }) => path.includes(train.passId));
    assert.deepEqual(
      own.map(({ method, body }) => [method, body.notifyPreference]),
      [["PATCH", undefined]],
    );
    await seedGoogleTenant(api, "acme", FILES);
    await settled(train.passId);
  });

  it("is sent at once if the pass changes before its turn, and the link is given at once", async () => {
    const train = await saved("train");
    await writtenByFormer(train);
    await api.sql(
      "update google_object set due_at = now() + interval '1 hour' where pass_id = $1",
      [train.passId],
    );
    const before = google.calls.length;
    await sendPass(train.passId);
    assert.equal(google.calls.length, before);
    const body = { additionalData: { start: "2027-05-01T21:00" } };
    const changed = await api.patch(`/api/acme/passes/${train.passId}`, { key, body });
    assert.equal(changed.status, 202, changed.text);
    await until(() => isUpToDate(train.passId));
    const own = google.calls.slice(before).filter(({ path }) => path.includes(train.passId));
    assert.deepEqual(
      own.map(({ method, body: sent }) => [method, sent.notifyPreference]),
      [["PATCH", "NOTIFY_ON_UPDATE"]],
    );
  });
});

describe("what a former release could not send to Google", () => {
  afterEach(() => google.heal());

  it("is sent: a generic pass that was disabled, and refused because of a member that it does not have", async () => {
    const { passId } = await saved("card");
    const object = () => google.resource("genericObject", `${ISSUER_ID}.${passId}`);
    google.fail(({ path, method }) =>
      method === "PATCH" && path.includes(passId) ? 400 : undefined,
    );
    await api.patch(`/api/acme/passes/${passId}`, { key, body: { status: "disabled" } });
    await settled(passId, "failed");
    google.heal();
    await runJob();
    assert.equal((await rowOf(passId))?.due_at, null, "another reason is not tried again");
    await api.sql("update google_object set problem = $2 where pass_id = $1", [
      passId,
      `Invalid JSON payload received. Unknown name "notifyPreference" at 'resource'`,
    ]);
    assert.equal(object().state, "ACTIVE");
    await runJob();
    const wait = "extract(epoch from due_at - now()) as seconds";
    const [row] = await api.sql(`select ${wait} from google_object where pass_id = $1`, [passId]);
    assert.ok(Number(row?.seconds) > 600, "a process of the former release would fail once more");
    await hurry();
    await settled(passId);
    assert.equal(object().state, "INACTIVE");
  });

  it("is sent once: a generic pass that Google refuses again for the same words", async () => {
    const { passId } = await saved("card");
    const refusal = `Unknown name "notifyPreference" at 'resource'`;
    const body = { error: { code: 400, message: refusal } };
    google.fail(({ path }) => (path.includes(passId) ? { status: 400, body } : undefined));
    await api.patch(`/api/acme/passes/${passId}`, { key, body: { status: "disabled" } });
    await settled(passId, "failed");
    await runJob();
    await hurry();
    await settled(passId, "failed");
    await runJob();
    assert.equal((await rowOf(passId))?.due_at, null);
  });

  it("is emptied: an erased pass that a former process gave up", async () => {
    const { passId } = await saved("card", { name: "Ada Lovelace" });
    await api.sql(
      "update google_object set is_erased = true, state = 'failed', problem = 'No.' where pass_id = $1",
      [passId],
    );
    await runJob();
    await hurry();
    await until(async () => (await rowOf(passId)) === undefined);
    const left = google.resource("genericObject", `${ISSUER_ID}.${passId}`);
    assert.equal(left.header.defaultValue.value, "-");
  });
});

describe("passes that wait to be brought up to date", () => {
  const undone = new Error("undone");
  const inTransaction = (work: Parameters<ReturnType<typeof tenant>["transaction"]>[0]) =>
    assert.rejects(
      tenant().transaction(async (tx) => {
        await work(tx);
        throw undone;
      }),
      undone,
    );
  const tenant = () => systemCall(api.runtime, "google.test", { tenantId: "quiet" });

  it("take their turn one after the other, and no more get a turn while some wait", async () => {
    await inTransaction(async (tx) => {
      await tx.run(sql`
        insert into google_object
          (tenant_id, pass_id, object_id, google_type, content_hash, members, state, due_at, is_erased)
        select ${tx.tenantId}, name, '1.' || name, type, hash, members::text[], state, due, erased
          from (values ('a', 'transit', 'former', '{}', 'sent', null::timestamptz, false),
                       ('b', 'loyalty', 'former', '{id,validTimeInterval}', 'sent', null, false),
                       ('c', 'transit', 'former', '{}', 'sent', null, false),
                       ('d', 'loyalty', 'former', '{id}', 'sent', null, false),
                       ('e', 'transit', 'local:new', '{}', 'sent', null, false),
                       ('f', 'transit', 'former', '{}', 'failed', null, false),
                       ('g', 'transit', null, '{}', 'queued', now() + interval '1 day', false),
                       ('h', 'transit', 'former', '{}', 'sent', null, true))
               as object (name, type, hash, members, state, due, erased)`);
      const share = { count: 3, seconds: 60 };
      assert.equal(await scheduleOutdated(tx, share), 3);
      assert.equal(await scheduleOutdated(tx, share), 0);
      const turns = () =>
        tx.many(sql<{ name: string; seconds: number }>`
          select pass_id as name, extract(epoch from due_at - now())::int as seconds
            from google_object
           where length(pass_id) = 1 and pass_id <> 'g' and due_at is not null
           order by pass_id`);
      assert.deepEqual(await turns(), [
        { name: "a", seconds: 0 },
        { name: "b", seconds: 20 },
        { name: "c", seconds: 40 },
      ]);
      await tx.run(sql`delete from google_object where pass_id in ('a', 'b', 'c')`);
      assert.equal(await scheduleOutdated(tx, share), 1, "the erased one is left");
    });
  });

  it("are claimed after those that have changed", async () => {
    await inTransaction(async (tx) => {
      await tx.run(sql`
        insert into google_object (tenant_id, pass_id, object_id, state, due_at)
        select ${tx.tenantId}, state || n, '1.' || state || n, state, now() - make_interval(secs => age)
          from generate_series(1, 3) as n, (values ('sent', 60), ('queued', 1)) as row (state, age)`);
      const claimed: string[] = [];
      for (const token of [randomUUID(), randomUUID()]) {
        const objects = await claimObjects(tx, { token, seconds: 30, count: 4 });
        const names = objects.map(({ passId }) => passId.replace(/\d/, ""));
        claimed.push(names.sort().join(" "));
      }
      assert.deepEqual(claimed, ["queued queued queued sent", "sent sent"]);
    });
  });
});
