import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, afterEach, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import {
  askForLink,
  ISSUER_ID,
  seedGoogleTenant,
  startGoogle,
} from "#test/support/google-stand-in.ts";
import { startApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { findClass, upsertClass } from "./class.repository.ts";

const HEAD = `organization: Harbour Club
description: Pass of the Harbour Club
images: { icon: images/icon.png, logo: images/icon.png }
`;

const EVENT = `kind: eventTicket
name: Concert
${HEAD}event:
  id: "{{ data.id }}"
  name: Concert
  venue: "{{ data.venue | default: 'Lune Hall' }}"
  address: 1 Moon Street
  start: "{{ data.start }}"
  seat: "{{ data.seat }}"
fields:
  primary: [ { key: event, label: Event, value: Concert } ]
  secondary:
    - { key: start, label: Starts, value: "{{ data.start }}", format: { time: short }, change: "Now at %@" }
`;

const FLIGHT = `kind: boardingPass
name: Flight
${HEAD}transit:
  type: air
  carrier: LX
  number: "15"
  passenger: Ada
  origin: { code: JFK, timeZone: America/New_York }
  destination: { code: ZRH, timeZone: Europe/Zurich }
  departure: "{{ data.departure }}"
  estimatedDeparture: "{{ data.estimated }}"
  estimatedBoarding: "{{ data.boarding }}"
  gateClosing: "{{ data.closing }}"
  gate: "{{ data.gate }}"
  status: "{{ data.status }}"
  statusReason: Fog
fields:
  primary: [ { key: from, label: From, value: JFK }, { key: to, label: To, value: ZRH } ]
  secondary: [ { key: gate, label: Gate, value: "{{ data.gate }}", change: "Go to gate %@" } ]
`;

const google = await startGoogle({ after });
const api = await startApi({ after }, { env: { GOOGLE_WALLET_URL: google.url } });
const key = api.operatorKey;
const FILES = {
  "tenant.yml": "name: Acme\ntimeZone: Europe/Zurich\n",
  "server/passes/event.yml": EVENT,
  "server/passes/silent.yml": EVENT.replace(', change: "Now at %@"', "").replace("Concert", "Jazz"),
  "server/passes/flight.yml": FLIGHT,
};
await seedGoogleTenant(api, "acme", FILES);

type Data = Readonly<Record<string, string>>;

async function created(passType: string, additionalData: Data): Promise<string> {
  const path = `/api/acme/passes?passType=${passType}`;
  const { status, body, text } = await api.post(path, { key, body: { additionalData } });
  assert.equal(status, 201, text);
  return body.id;
}

async function saved(passType: string, additionalData: Data) {
  const id = await created(passType, additionalData);
  assert.equal((await askForLink(api, "acme", id)).status, 200);
  const resource = passType === "flight" ? "flight" : "eventTicket";
  const object = () => google.resource(`${resource}Object`, `${ISSUER_ID}.${id}`);
  const classId: string = object().classId;
  return {
    id,
    object,
    classId,
    ofClass: () => google.resource(`${resource}Class`, classId),
    /** Changes its data, waits until Google has that, and gives what the class was sent meanwhile. */
    async change(data: Data) {
      const before = google.calls.length;
      const path = `/api/acme/passes/${id}`;
      const changed = await api.patch(path, {
        key,
        body: { additionalData: data, options: { BypassQueue: true } },
      });
      assert.equal(changed.status, 200, changed.text);
      await sent(id);
      return (
        google.calls
          .slice(before)
          .filter(({ path }) => path.includes("Class"))
          // Other classes may follow a publication meanwhile.
          .filter(({ method, path }) => method === "POST" || path.includes(classId))
          .map(({ method, body: { notifyPreference } }) => [method, notifyPreference])
      );
    },
  };
}

async function sent(id: string): Promise<void> {
  await until(async () => {
    const [row] = await api.sql("select state from google_object where pass_id = $1", [id]);
    return row?.state === "sent";
  });
}

const NOTIFIED = [["PATCH", "NOTIFY_ON_UPDATE"]];
const SILENT = [["PATCH", undefined]];

describe("a class at Google whose event or journey changes", () => {
  afterEach(() => google.heal());

  it("stays the class when an event with an id is postponed, and notifies the holders once", async () => {
    const [one, other] = [
      await saved("event", { id: "jazz-1", start: "2027-05-01T20:00", seat: "1" }),
      await saved("event", { id: "jazz-1", start: "2027-05-01T20:00", seat: "2" }),
    ];
    assert.equal(one.classId, other.classId);
    const later = { start: "2027-05-02T20:00" };
    assert.deepEqual(await one.change(later), NOTIFIED);
    assert.deepEqual(await other.change(later), []);
    assert.equal(one.object().classId, one.classId);
    assert.equal(one.ofClass().dateTime.start, "2027-05-02T20:00:00+02:00");
  });

  it("is another one without an id, as in former releases", async () => {
    const pass = await saved("event", { start: "2027-05-01T20:00" });
    const former = JSON.stringify(["Concert", "Lune Hall", "2027-05-01T20:00"]);
    const hash = createHash("sha256").update(former).digest("hex").slice(0, 16);
    assert.equal(pass.classId, `${ISSUER_ID}.acme.event-${hash}`);
    assert.deepEqual(await pass.change({ start: "2027-05-02T20:00" }), [["POST", undefined]]);
    assert.notEqual(pass.object().classId, pass.classId);
  });

  it("notifies three times in a day, and then changes without; messages count those notifications", async () => {
    const pass = await saved("event", { id: "often", start: "2027-05-01T20:00" });
    for (const hour of ["17", "18", "19"]) {
      assert.deepEqual(await pass.change({ start: `2027-05-01T${hour}:00` }), NOTIFIED);
    }
    assert.deepEqual(await pass.change({ start: "2027-05-01T21:00" }), SILENT);
    const path = `/api/acme/passes/${pass.id}/notification`;
    const message = await api.put(path, { key, body: { content: "See you" } });
    assert.ok(message.status < 300, message.text);
    await until(() => (pass.object().messages ?? []).length > 0);
    assert.equal(pass.object().messages[0].messageType, "TEXT");
    await api.sql("update google_class set notified_at = '{2026-01-01}' where class_id = $1", [
      pass.classId,
    ]);
    assert.deepEqual(await pass.change({ start: "2027-05-01T22:00" }), NOTIFIED);
  });

  it("changes without when Google wants no more notifications", async () => {
    const pass = await saved("event", { id: "full", start: "2027-05-01T20:00" });
    const error = { code: 429, message: "quotaExceeded", errors: [{ reason: "quotaExceeded" }] };
    google.fail(({ path, body }) =>
      path.includes("Class") && body.notifyPreference !== undefined
        ? { status: 429, body: { error } }
        : undefined,
    );
    assert.deepEqual(await pass.change({ start: "2027-05-02T20:00" }), [...NOTIFIED, ...SILENT]);
    assert.equal(pass.ofClass().dateTime.start, "2027-05-02T20:00:00+02:00");
  });

  it("notifies of nothing but times, place and status, and only where the template asks for it", async () => {
    const pass = await saved("event", { id: "seat", start: "2027-05-01T20:00", seat: "1" });
    assert.deepEqual(await pass.change({ seat: "2" }), []);
    assert.deepEqual(await pass.change({ venue: "Sun Hall" }), NOTIFIED);
    const silent = await saved("silent", { id: "silent", start: "2027-05-01T20:00" });
    assert.deepEqual(await silent.change({ start: "2027-05-02T20:00" }), SILENT);
    const red = EVENT.replace("event:\n", 'colors: { background: "#aa0000" }\nevent:\n');
    await seedGoogleTenant(api, "acme", { ...FILES, "server/passes/event.yml": red });
    await until(() => pass.ofClass().hexBackgroundColor === "#aa0000");
    const last = google.callsTo(pass.classId).at(-1);
    assert.deepEqual([last?.method, last?.body.notifyPreference], ["PATCH", undefined]);
  });

  it("notifies no holder of the form that an upgrade gives it", async () => {
    const pass = await saved("event", { id: "old", start: "2027-05-01T20:00" });
    await api.sql(
      "update google_class set announced_hash = null, content_hash = 'old' where class_id = $1",
      [pass.classId],
    );
    await api.sql("update google_object set announced_hash = null where pass_id = $1", [pass.id]);
    assert.deepEqual(await pass.change({ seat: "5" }), SILENT);
    assert.deepEqual(await pass.change({ start: "2027-05-02T20:00" }), NOTIFIED);
  });

  it("notifies no holder that passes of one flight board at other times, or are saved", async () => {
    const group = { departure: "2027-06-01T18:30", gate: "A1" };
    const first = await saved("flight", { ...group, boarding: "2027-06-01T17:45" });
    const before = google.calls.length;
    const second = await saved("flight", { ...group, boarding: "2027-06-01T18:00" });
    assert.equal(second.classId, first.classId);
    const loud = google.calls
      .slice(before)
      .filter(({ body }) => body.notifyPreference !== undefined && body.id === undefined)
      .filter(({ path }) => path.includes("Class"));
    assert.deepEqual(loud, []);
    assert.equal(first.ofClass().localBoardingDateTime, "2027-06-01T18:00:00");
    assert.deepEqual(await first.change({ name: "Ada" }), SILENT);
    assert.deepEqual(await second.change({ gate: "A2" }), NOTIFIED);
  });

  it("notifies the holders, too, when a new ticket is the first that says the new time", async () => {
    const first = await saved("event", { id: "sold", start: "2027-05-01T20:00", seat: "1" });
    const before = google.calls.length;
    await saved("event", { id: "sold", start: "2027-05-02T20:00", seat: "2" });
    const sentClasses = google.calls.slice(before).filter(({ path }) => path.includes("Class"));
    const asked = sentClasses.map(({ method, body }) => [method, body.notifyPreference]);
    assert.deepEqual(asked, NOTIFIED);
    assert.deepEqual(await first.change({ start: "2027-05-02T20:00" }), []);
  });

  it("is not turned back by tickets that still have the time of before", async () => {
    const data = { id: "turn", start: "2027-05-01T20:00" };
    const tickets = [
      await saved("event", { ...data, seat: "1" }),
      await saved("event", { ...data, seat: "2" }),
    ];
    const [moved, late] = tickets as [(typeof tickets)[0], (typeof tickets)[0]];
    assert.deepEqual(await moved.change({ start: "2027-05-02T20:00" }), NOTIFIED);
    assert.deepEqual(await late.change({ seat: "3" }), []);
    const moved8pm = "2027-05-02T20:00:00+02:00";
    assert.equal(moved.ofClass().dateTime.start, moved8pm);
    const published = google.calls.length;
    const blue = EVENT.replace("event:\n", 'colors: { background: "#0000aa" }\nevent:\n');
    await seedGoogleTenant(api, "acme", { ...FILES, "server/passes/event.yml": blue });
    for (const { id } of tickets) await sent(id);
    await until(() => moved.ofClass().hexBackgroundColor === "#0000aa");
    for (const { id } of tickets) await sent(id);
    const starts = google.calls
      .slice(published)
      .filter(({ path }) => path.includes(moved.classId))
      .map(({ body }) => body.dateTime?.start ?? moved8pm);
    assert.ok(starts.length > 0);
    assert.deepEqual([...new Set(starts)], [moved8pm], "also while new files go to all tickets");
    assert.equal(moved.ofClass().dateTime.start, moved8pm);
    assert.deepEqual(await late.change({ start: "2027-05-03T20:00" }), NOTIFIED);
  });

  it("keeps the delay and the gate that a new passenger's pass lacks, also when newer files are published", async () => {
    const departure = "2027-07-01T18:30";
    const late = { estimated: "2027-07-01T19:45", gate: "B7" };
    const first = await saved("flight", { departure });
    assert.deepEqual(await first.change(late), NOTIFIED);
    const before = google.calls.length;
    const newcomer = await saved("flight", { departure });
    assert.equal(newcomer.classId, first.classId);
    const red = FLIGHT.replace("transit:\n", 'colors: { background: "#aa0000" }\ntransit:\n');
    await seedGoogleTenant(api, "acme", { ...FILES, "server/passes/flight.yml": red });
    await until(() => first.ofClass().hexBackgroundColor === "#aa0000");
    for (const { id } of [first, newcomer]) await sent(id);
    const asked = google.calls.slice(before).filter(({ path }) => path.includes(first.classId));
    assert.ok(asked.every(({ body }) => body.notifyPreference === undefined));
    const { origin, localEstimatedOrActualDepartureDateTime: estimated } = first.ofClass();
    assert.deepEqual([origin.gate, estimated], ["B7", "2027-07-01T19:45:00"]);
    assert.deepEqual(await newcomer.change({ ...late, gate: "B9" }), NOTIFIED);
  });

  it("is not turned back by an old ticket that Google gets after a change of its seat", async () => {
    const data = { id: "unsaved", start: "2027-05-01T20:00" };
    const unsaved = await created("event", { ...data, seat: "1" });
    const moved = await saved("event", { ...data, seat: "2" });
    assert.deepEqual(await moved.change({ start: "2027-05-02T20:00" }), NOTIFIED);
    const path = `/api/acme/passes/${unsaved}`;
    const body = { additionalData: { seat: "3" }, options: { BypassQueue: true } };
    assert.equal((await api.patch(path, { key, body })).status, 200);
    const before = google.callsTo(moved.classId).length;
    assert.equal((await askForLink(api, "acme", unsaved)).status, 200);
    assert.equal(google.callsTo(moved.classId).length, before);
    assert.equal(moved.ofClass().dateTime.start, "2027-05-02T20:00:00+02:00");
  });

  it("is not turned back by an old ticket with another seat when the event gets another name", async () => {
    const data = { id: "renamed", start: "2027-05-01T20:00" };
    const late = await saved("event", { ...data, seat: "1" });
    const moved = await saved("event", { ...data, seat: "2" });
    assert.deepEqual(await moved.change({ start: "2027-05-02T20:00" }), NOTIFIED);
    assert.deepEqual(await late.change({ seat: "3" }), []);
    const before = google.callsTo(moved.classId).length;
    const renamed = EVENT.replace("  name: Concert", "  name: Great Concert");
    await seedGoogleTenant(api, "acme", { ...FILES, "server/passes/event.yml": renamed });
    const nameNow = () => moved.ofClass().eventName.defaultValue.value;
    await until(() => nameNow() === "Great Concert");
    for (const { id } of [late, moved]) await sent(id);
    const starts = google
      .callsTo(moved.classId)
      .slice(before)
      .map(({ body }) => body.dateTime?.start ?? "2027-05-02T20:00:00+02:00");
    assert.deepEqual([...new Set(starts)], ["2027-05-02T20:00:00+02:00"]);
    await seedGoogleTenant(api, "acme", FILES);
    await until(() => nameNow() === "Concert");
  });

  it("is sent again if an older one may have overtaken it at Google", async () => {
    const { classId } = await saved("event", { id: "race", start: "2027-05-01T20:00" });
    const context = systemCall(api.runtime, "google.test", { tenantId: "acme" });
    const known = await findClass(context, classId);
    assert.ok(known?.announcedAt);
    const before = google.callsTo(classId).length;
    const older = { ...known, announcedAt: new Date(0), contentHash: "older" };
    await context.transaction((tx) => upsertClass(tx, older));
    await until(() => google.callsTo(classId).length > before);
    assert.equal(google.callsTo(classId).at(-1)?.body.dateTime.start, "2027-05-01T20:00:00+02:00");
    await until(async () => (await findClass(context, classId))?.contentHash === known.contentHash);
  });

  it("has the expected times, the gate and the status of a flight beside the planned ones", async () => {
    const departure = "2027-05-01T18:30";
    const flight = await saved("flight", { departure, gate: "B1" });
    const delay = {
      estimated: "2027-05-01T19:45",
      boarding: "2027-05-01T23:05:00Z",
      closing: "2027-05-01T19:30:00-04:00",
      status: "Delayed",
    };
    assert.deepEqual(await flight.change(delay), NOTIFIED);
    const known = flight.ofClass();
    assert.equal(known.id, flight.object().classId);
    assert.equal(known.localScheduledDepartureDateTime, "2027-05-01T18:30:00");
    assert.equal(known.localEstimatedOrActualDepartureDateTime, "2027-05-01T19:45:00");
    assert.equal(known.localBoardingDateTime, "2027-05-01T19:05:00");
    assert.equal(known.localGateClosingDateTime, "2027-05-01T19:30:00");
    assert.equal(known.flightStatus, "SCHEDULED");
    assert.deepEqual(await flight.change({ gate: "B7" }), NOTIFIED);
    assert.deepEqual(await flight.change({ status: "cancelled" }), NOTIFIED);
    assert.equal(flight.ofClass().flightStatus, "CANCELLED");

    const shown = await api.get(`/api/acme/passes/${flight.id}/preview`, { key });
    assert.equal(shown.status, 200, shown.text);
    const { semantics, relevantDate } = shown.body.apple.pass;
    assert.equal(semantics.originalDepartureDate, "2027-05-01T22:30:00.000Z");
    assert.equal(semantics.currentDepartureDate, "2027-05-01T23:45:00.000Z");
    assert.equal(semantics.currentBoardingDate, "2027-05-01T23:05:00.000Z");
    assert.equal(relevantDate, "2027-05-01T23:45:00.000Z");
    assert.deepEqual(
      [semantics.transitStatus, semantics.transitStatusReason],
      ["Cancelled", "Fog"],
    );
  });
});
