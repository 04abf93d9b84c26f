import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { startGoogleFixture } from "#test/support/google-fixture.ts";
import { ISSUER_ID, seedGoogleTenant } from "#test/support/google-stand-in.ts";
import { until } from "#test/support/webhook-receiver.ts";

const { google, api, savedPass, objectOf } = await startGoogleFixture({ after });
const key = api.operatorKey;
const OBJECTS = 12;

const classNotFound = {
  status: 404,
  body: {
    error: { code: 404, message: "Class not found.", errors: [{ reason: "classNotFound" }] },
  },
};

async function rename(tenantId: string, passId: string, firstName: string): Promise<void> {
  const body = { additionalData: { firstName } };
  const { status, text } = await api.patch(`/api/${tenantId}/passes/${passId}`, { key, body });
  assert.ok(status < 300, text);
}

async function statesOf(tenantId: string): Promise<unknown[]> {
  const rows = await api.sql("select distinct state from google_object where tenant_id = $1", [
    tenantId,
  ]);
  return rows.map(({ state }) => state);
}

describe("a class that Google does not know", () => {
  afterEach(() => {
    google.heal();
    google.calls.length = 0;
  });

  it("is sent again once for any number of passes that lack it, and they follow", async () => {
    await seedGoogleTenant(api, "lost");
    const ids: string[] = [];
    for (let left = OBJECTS; left > 0; left -= 1) ids.push(await savedPass("lost"));
    const classId = `${ISSUER_ID}.lost.loyalty`;
    google.lose("loyaltyClass", classId);
    for (const id of ids) google.lose("loyaltyObject", `${ISSUER_ID}.${id}`);
    google.calls.length = 0;
    await Promise.all(ids.map((id) => rename("lost", id, "Ada")));
    for (const id of ids) await until(() => objectOf(id) !== undefined);
    await until(async () => (await statesOf("lost")).join() === "sent");
    assert.deepEqual(
      google.callsTo(classId).map(({ method }) => method),
      ["POST"],
    );
    assert.equal(objectOf(ids[0] ?? "").accountName, "Ada");
  });

  it("is there for the link that is asked for", async () => {
    await seedGoogleTenant(api, "late");
    await savedPass("late");
    google.lose("loyaltyClass", `${ISSUER_ID}.late.loyalty`);
    const id = await savedPass("late");
    assert.equal(objectOf(id).accountName, "Camille");
  });

  it("is sent once for each version if Google goes on not to know it", async () => {
    await seedGoogleTenant(api, "gone");
    const ids = [await savedPass("gone"), await savedPass("gone"), await savedPass("gone")];
    const classId = `${ISSUER_ID}.gone.loyalty`;
    // A class is first sent as new, and as a change only when Google answers that it exists.
    const sent = () => google.callsTo(classId).filter(({ method }) => method === "POST").length;
    google.fail(({ path }) => (path.startsWith("/loyaltyObject") ? classNotFound : undefined));
    google.calls.length = 0;
    for (const name of ["Ada", "Grace"]) {
      for (const id of ids) await rename("gone", id, name);
      await until(async () => (await statesOf("gone")).join() === "failed");
    }
    assert.equal(sent(), 1);
    const [row] = await api.sql("select problem from google_object where pass_id = $1", [ids[0]]);
    assert.equal(row?.problem, "Class not found.");
    // Passes may show what all templates share, so all of them are sent again.
    await seedGoogleTenant(api, "gone", { "locales/fr.yml": "unused: The next version\n" });
    await until(() => sent() > 1);
    await until(async () => (await statesOf("gone")).join() === "failed");
    google.heal();
    for (const id of ids) await rename("gone", id, "Joan");
    await until(async () => (await statesOf("gone")).join() === "sent");
    assert.equal(sent(), 2);
  });
});
