import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, afterEach, describe, it } from "node:test";
import {
  EVENT,
  EVENT_FILES,
  GALA,
  NOTIFIED,
  SILENT,
  startEventClasses,
} from "#test/support/event-classes.ts";
import { ISSUER_ID, seedGoogleTenant } from "#test/support/google-stand-in.ts";
import { until } from "#test/support/webhook-receiver.ts";

const { google, api, saved, settled } = await startEventClasses({ after });
const key = api.operatorKey;

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

  it("notifies the holders of the time that newer files give an event that all passes share", async () => {
    const pass = await saved("gala", {});
    const before = google.calls.length;
    const later = GALA.replaceAll("2027-09-01T20:00", "2027-09-01T21:00");
    await seedGoogleTenant(api, "acme", { ...EVENT_FILES, "server/passes/gala.yml": later });
    await until(() => pass.ofClass().dateTime.start === "2027-09-01T21:00:00+02:00");
    await settled(pass.id);
    const asked = google.calls.slice(before).filter(({ path }) => path.includes(pass.classId));
    assert.deepEqual(
      asked.map(({ method, body }) => [method, body.notifyPreference]),
      NOTIFIED,
    );
    await seedGoogleTenant(api, "acme", EVENT_FILES);
    await until(() => pass.ofClass().dateTime.start === "2027-09-01T20:00:00+02:00");
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
    await seedGoogleTenant(api, "acme", { ...EVENT_FILES, "server/passes/event.yml": red });
    await until(() => pass.ofClass().hexBackgroundColor === "#aa0000");
    const last = google.callsTo(pass.classId).at(-1);
    assert.deepEqual([last?.method, last?.body.notifyPreference], ["PATCH", undefined]);
  });

  it("notifies no holder of the form that an upgrade gives it", async () => {
    const pass = await saved("event", { id: "old", start: "2027-05-01T20:00" });
    await api.sql(
      "update google_class set facts = null, fact_sources = '{}', content_hash = 'old' where class_id = $1",
      [pass.classId],
    );
    await api.sql("update google_object set taken_facts = null where pass_id = $1", [pass.id]);
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
    assert.deepEqual(await first.change({ name: "Ada" }), []);
    assert.deepEqual(await first.change({ boarding: "2027-06-01T17:50" }), SILENT);
    assert.deepEqual(await second.change({ gate: "A2" }), NOTIFIED);
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
