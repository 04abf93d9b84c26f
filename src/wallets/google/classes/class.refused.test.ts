import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { NOTIFIED, startEventClasses } from "#test/support/event-classes.ts";
import { seedGoogleTenant } from "#test/support/google-stand-in.ts";
import { seedPass } from "#test/support/pass-tenant.ts";
import { until } from "#test/support/webhook-receiver.ts";

const { google, api, saved, sendPass, settled } = await startEventClasses({ after });

describe("a class that Google does not take", () => {
  afterEach(() => {
    google.heal();
    google.calls.length = 0;
  });

  it("is sent once for all of its passes, until the files change", async () => {
    await seedGoogleTenant(api, "club");
    const ids: string[] = [];
    for (let left = 6; left > 0; left -= 1) {
      const { id } = await seedPass(api, "club");
      await sendPass(id, "club");
      ids.push(id);
    }
    google.fail(({ path, method }) =>
      method === "PATCH" && path.startsWith("/loyaltyClass") ? 400 : undefined,
    );
    const layout = (countryCode: string) => ({
      "layouts/loyalty.google.yml": `class: { countryCode: ${countryCode} }\n`,
    });
    google.calls.length = 0;
    await seedGoogleTenant(api, "club", layout("CH"));
    for (const id of ids) await settled(id, "failed");
    const sent = google.calls.filter(({ path }) => path.startsWith("/loyaltyClass"));
    assert.equal(sent.length, 1);
    google.heal();
    await seedGoogleTenant(api, "club", layout("FR"));
    for (const id of ids) await settled(id);
    const known = google.resource("loyaltyClass", sent[0]?.path.split("/")[2] ?? "");
    assert.equal(known.countryCode, "FR");
  });

  it("has what Google took of a change whose cleared members it kept, and clears them later", async () => {
    const departure = "2027-09-01T18:30";
    const pass = await saved("flight", { departure, estimated: "2027-09-01T19:00" });
    google.readNullAsAbsent();
    google.fail(({ method, path }) =>
      method === "PUT" && path.includes("Class") ? 400 : undefined,
    );
    assert.deepEqual(await pass.change({ estimated: "", gate: "Z9" }), [
      ...NOTIFIED,
      ["PUT", undefined],
    ]);
    assert.deepEqual(
      [pass.ofClass().origin.gate, pass.ofClass().localEstimatedOrActualDepartureDateTime],
      ["Z9", "2027-09-01T19:00:00"],
    );
    google.heal();
    assert.deepEqual(await pass.change({ gate: "Z8" }), NOTIFIED);
    assert.equal(pass.ofClass().localEstimatedOrActualDepartureDateTime, undefined);
  });

  it("is sent again after its pass is gone whose change may have reached Google", async () => {
    const pass = await saved("event", { id: "cut", start: "2027-05-01T20:00" });
    const other = await saved("event", { id: "cut", start: "2027-05-01T20:00" });
    google.fail(({ method, path }) =>
      method === "PATCH" && path.includes(pass.classId) ? "cut" : undefined,
    );
    const key = api.operatorKey;
    const body = { additionalData: { start: "2027-05-09T20:00" } };
    await api.patch(`/api/acme/passes/${pass.id}`, { key, body });
    await until(() => pass.ofClass().dateTime.start.startsWith("2027-05-09"));
    await until(async () => {
      const [row] = await api.sql("select problem from google_class where class_id = $1", [
        pass.classId,
      ]);
      return row?.problem !== null;
    });
    google.heal();
    await api.delete(`/api/acme/passes/${pass.id}`, { key });
    await until(async () => {
      const rows = await api.sql("select from google_object where pass_id = $1", [pass.id]);
      return rows.length === 0;
    });
    assert.deepEqual(await other.change({ seat: "2" }), [["PATCH", undefined]]);
    assert.equal(other.ofClass().dateTime.start, "2027-05-01T20:00:00+02:00");
  });
});
