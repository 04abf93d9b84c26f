import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { insertedPassId, insertPasses } from "#test/support/factories.ts";
import { startGoogleFixture } from "#test/support/google-fixture.ts";
import { ISSUER_ID, seedGoogleTenant } from "#test/support/google-stand-in.ts";
import { until } from "#test/support/webhook-receiver.ts";

const PASSES = 35;
const LIMIT = 20;

describe("two nodes", () => {
  it("share 20 requests a second of an issuer, and send each pass once", async (t) => {
    const { google, api } = await startGoogleFixture(t);
    await seedGoogleTenant(api, "acme");
    await insertPasses(api, "acme", PASSES);
    await api.node();
    await api.sql(
      `insert into google_object (tenant_id, pass_id, object_id, due_at)
       select tenant_id, id, $1 || '.' || id, now() from pass where tenant_id = 'acme'`,
      [ISSUER_ID],
    );
    await until(async () => {
      const rows = await api.sql("select from google_object where state = 'sent'");
      return rows.length === PASSES;
    });
    const inserted = google.calls.filter(({ path }) => path === "/loyaltyObject");
    assert.equal(inserted.length, PASSES);
    assert.equal(new Set(inserted.map(({ body }) => body.id)).size, PASSES);
    assert.ok(google.callsTo(`${ISSUER_ID}.${insertedPassId(1)}`).length > 0);
    const times = google.calls.map(({ at }) => at).sort((left, right) => left - right);
    for (const from of times) {
      const within = times.filter((at) => at >= from && at < from + 950).length;
      assert.ok(within <= LIMIT, `${within} requests in a second`);
    }
    const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000;
    assert.ok(times.length <= LIMIT * (seconds + 1), `${times.length} in ${seconds} seconds`);
  });
});
