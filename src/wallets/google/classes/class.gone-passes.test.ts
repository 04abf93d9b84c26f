import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { EVENT, EVENT_FILES, NOTIFIED, startEventClasses } from "#test/support/event-classes.ts";
import { seedGoogleTenant } from "#test/support/google-stand-in.ts";
import { until } from "#test/support/webhook-receiver.ts";

const { google, api, saved, settled } = await startEventClasses({ after });
const key = api.operatorKey;

const FIRST = "2027-05-01T20:00";
const MOVED = "2027-05-02T20:00";
const FIRST_AT_GOOGLE = `${FIRST}:00+02:00`;
const MOVED_AT_GOOGLE = `${MOVED}:00+02:00`;

type Ticket = Awaited<ReturnType<typeof saved>>;
const startOf = ({ ofClass }: Ticket) => ofClass().dateTime.start;

async function erase({ id }: Ticket): Promise<void> {
  assert.equal((await api.delete(`/api/acme/passes/${id}`, { key })).status, 204);
  await until(async () => {
    const rows = await api.sql("select from google_object where pass_id = $1", [id]);
    return rows.length === 0;
  });
}

describe("a class at Google whose facts came from a pass that is gone", () => {
  afterEach(() => google.heal());

  it("has those of the passes that are left", async () => {
    const late = await saved("event", { id: "left", start: FIRST, seat: "1" });
    const moved = await saved("event", { id: "left", start: FIRST, seat: "2" });
    assert.deepEqual(await moved.change({ start: MOVED }), NOTIFIED);
    await erase(moved);
    const renamed = EVENT.replace("Lune Hall", "Sun Hall");
    const venueNow = () => late.ofClass().venue.name.defaultValue.value;
    await seedGoogleTenant(api, "acme", { ...EVENT_FILES, "server/passes/event.yml": renamed });
    await until(() => venueNow() === "Sun Hall");
    await settled(late.id);
    assert.equal(startOf(late), FIRST_AT_GOOGLE);
    await seedGoogleTenant(api, "acme", EVENT_FILES);
    await until(() => venueNow() === "Lune Hall");
    await settled(late.id);
  });

  it("has those of the files, whichever pass brought others", async () => {
    const passes = [
      await saved("event", { id: "named", start: FIRST, seat: "1" }),
      await saved("event", { id: "named", start: FIRST, seat: "2" }),
    ];
    const [one, other] = passes as [Ticket, Ticket];
    const nameNow = () => one.ofClass().eventName.defaultValue.value;
    const hold = (token: string | null, due: string) =>
      api.sql("update google_object set claim_token = $2, due_at = $3 where pass_id = $1", [
        other.id,
        token,
        due,
      ]);
    await hold(crypto.randomUUID(), "infinity");
    for (const name of ["Second", "Third"]) {
      const event = EVENT.replace("  name: Concert", `  name: ${name}`);
      await seedGoogleTenant(api, "acme", { ...EVENT_FILES, "server/passes/event.yml": event });
      if (name === "Second") {
        await until(() => nameNow() === name);
        await settled(one.id);
        await erase(one);
      }
    }
    await hold(null, "now");
    await until(() => nameNow() === "Third");
    await settled(other.id);
    await seedGoogleTenant(api, "acme", EVENT_FILES);
    await until(() => nameNow() === "Concert");
    await settled(other.id);
  });

  it("keeps what other passes have as well, and knows one of them from then on", async () => {
    const late = await saved("event", { id: "many", start: FIRST, seat: "1" });
    const moved = await saved("event", { id: "many", start: FIRST, seat: "2" });
    const follower = await saved("event", { id: "many", start: FIRST, seat: "3" });
    assert.deepEqual(await moved.change({ start: MOVED }), NOTIFIED);
    assert.deepEqual(await follower.change({ start: MOVED }), []);
    await erase(moved);
    for (const seat of ["4", "5"]) {
      assert.deepEqual(await late.change({ seat }), []);
      assert.equal(startOf(late), MOVED_AT_GOOGLE);
    }
    const [row] = await api.sql("select fact_sources from google_class where class_id = $1", [
      late.classId,
    ]);
    assert.equal(Object(row?.fact_sources)["dateTime.start"].passId, follower.id);
  });

  it("is right after a ticket with a wrong time was deleted and made anew", async () => {
    const right = await saved("event", { id: "wrong", start: FIRST, seat: "1" });
    const wrong = await saved("event", { id: "wrong", start: MOVED, seat: "2" });
    assert.equal(startOf(right), MOVED_AT_GOOGLE);
    await erase(wrong);
    await saved("event", { id: "wrong", start: FIRST, seat: "2" });
    assert.equal(startOf(right), FIRST_AT_GOOGLE);
  });

  it("has none where no other pass has any, and that of another pass where one has", async () => {
    const departure = "2027-06-01T18:30";
    const wrong = await saved("flight", { departure, gate: "X1" });
    const plain = await saved("flight", { departure });
    const gate = () => plain.ofClass().origin.gate;
    assert.equal(gate(), "X1");
    await erase(wrong);
    await plain.change({ name: "Ada" });
    assert.equal(gate(), undefined);

    const first = await saved("flight", { departure, gate: "A1" });
    const last = await saved("flight", { departure, gate: "A2" });
    assert.equal(gate(), "A2");
    await erase(last);
    await plain.change({ name: "Grace" });
    await until(() => gate() === "A1");
    await settled(first.id);
  });

  it("is right after a ticket with a wrong time was moved to its own event", async () => {
    const right = await saved("event", { id: "here", start: FIRST, seat: "1" });
    const wrong = await saved("event", { id: "here", start: MOVED, seat: "2" });
    await wrong.change({ id: "there" });
    await right.change({ seat: "3" });
    assert.equal(startOf(right), FIRST_AT_GOOGLE);
  });
});
