import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import {
  EVENT,
  EVENT_FILES,
  FLIGHT,
  NOTIFIED,
  startEventClasses,
} from "#test/support/event-classes.ts";
import { seedGoogleTenant } from "#test/support/google-stand-in.ts";
import { until } from "#test/support/webhook-receiver.ts";

const { google, api, created, saved, sendPass, settled } = await startEventClasses({ after });
const key = api.operatorKey;

describe("a class at Google of which some passes know less than others", () => {
  afterEach(() => google.heal());

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
    await seedGoogleTenant(api, "acme", { ...EVENT_FILES, "server/passes/event.yml": blue });
    for (const { id } of tickets) await settled(id);
    await until(() => moved.ofClass().hexBackgroundColor === "#0000aa");
    for (const { id } of tickets) await settled(id);
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
    await seedGoogleTenant(api, "acme", { ...EVENT_FILES, "server/passes/flight.yml": red });
    await until(() => first.ofClass().hexBackgroundColor === "#aa0000");
    for (const { id } of [first, newcomer]) await settled(id);
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
    await sendPass(unsaved);
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
    await seedGoogleTenant(api, "acme", { ...EVENT_FILES, "server/passes/event.yml": renamed });
    const nameNow = () => moved.ofClass().eventName.defaultValue.value;
    await until(() => nameNow() === "Great Concert");
    for (const { id } of [late, moved]) await settled(id);
    const starts = google
      .callsTo(moved.classId)
      .slice(before)
      .map(({ body }) => body.dateTime?.start ?? "2027-05-02T20:00:00+02:00");
    assert.deepEqual([...new Set(starts)], ["2027-05-02T20:00:00+02:00"]);
    await seedGoogleTenant(api, "acme", EVENT_FILES);
    await until(() => nameNow() === "Concert");
  });

  it("is not turned back by an old ticket whose seat changes together with newer files", async () => {
    const data = { id: "together", start: "2027-05-01T20:00" };
    const late = await saved("event", { ...data, seat: "1" });
    const moved = await saved("event", { ...data, seat: "2" });
    assert.deepEqual(await moved.change({ start: "2027-05-02T20:00" }), NOTIFIED);
    // As if another process had it until both have happened.
    await api.sql(
      "update google_object set claim_token = gen_random_uuid(), due_at = 'infinity' where pass_id = $1",
      [late.id],
    );
    const body = { additionalData: { seat: "3" } };
    assert.equal((await api.patch(`/api/acme/passes/${late.id}`, { key, body })).status, 202);
    const renamed = EVENT.replace("  name: Concert", "  name: Great Concert");
    await seedGoogleTenant(api, "acme", { ...EVENT_FILES, "server/passes/event.yml": renamed });
    const nameNow = () => moved.ofClass().eventName.defaultValue.value;
    await until(() => nameNow() === "Great Concert");
    await api.sql(
      "update google_object set claim_token = null, due_at = now() where pass_id = $1",
      [late.id],
    );
    for (const { id } of [late, moved]) await settled(id);
    assert.equal(moved.ofClass().dateTime.start, "2027-05-02T20:00:00+02:00");
    await seedGoogleTenant(api, "acme", EVENT_FILES);
    await until(() => nameNow() === "Concert");
  });

  it("keeps the gate that a new passenger's pass lacks, also after Google refused another change of it", async () => {
    const departure = "2027-08-01T18:30";
    const first = await saved("flight", { departure, gate: "B7" });
    google.fail(({ body }) => (body.origin?.gate === "C1" ? 400 : undefined));
    const path = `/api/acme/passes/${first.id}`;
    const body = { additionalData: { gate: "C1" } };
    assert.equal((await api.patch(path, { key, body })).status, 202);
    await until(async () => {
      const [row] = await api.sql("select state from google_object where pass_id = $1", [first.id]);
      return row?.state === "failed";
    });
    await saved("flight", { departure });
    assert.equal(first.ofClass().origin.gate, "B7");
  });
});
