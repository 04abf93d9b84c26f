import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startGoogleFixture } from "#test/support/google-fixture.ts";
import { askForLink, readSigned, seedGoogleTenant } from "#test/support/google-stand-in.ts";
import { seedPass } from "#test/support/pass-tenant.ts";
import { startStopwatch } from "#test/support/slowness.ts";
import { until } from "#test/support/webhook-receiver.ts";

describe("a save link while Google does not answer", () => {
  it("200 after some seconds, with the whole pass in it, which Google gets later", async (t) => {
    const { google, api, savedPass, objectOf } = await startGoogleFixture(t);
    await seedGoogleTenant(api, "acme");
    await savedPass();
    const { id } = await seedPass(api, "acme");
    google.fail(() => "hang");
    const elapsedMs = startStopwatch();
    const { status, body, text } = await askForLink(api, "acme", id);
    assert.equal(status, 200, text);
    assert.ok(elapsedMs() < 8_000);
    const [object] = readSigned(body.token).claims.payload.loyaltyObjects;
    assert.equal(object.state, "ACTIVE");
    const againMs = startStopwatch();
    assert.equal((await askForLink(api, "acme", id)).status, 200);
    assert.ok(againMs() < 2_000, "the next one does not wait");
    google.heal();
    await api.sql("update google_object set due_at = now() where pass_id = $1", [id]);
    await until(() => objectOf(id) !== undefined);
  });

  it("200 after some seconds, also while Google gives no access token", async (t) => {
    const { google, api, savedPass } = await startGoogleFixture(t);
    await seedGoogleTenant(api, "acme");
    await savedPass();
    const { id } = await seedPass(api, "acme");
    google.withdrawTokens();
    google.failTokens("hang");
    const elapsedMs = startStopwatch();
    const { status, text } = await askForLink(api, "acme", id);
    assert.equal(status, 200, text);
    assert.ok(elapsedMs() < 8_000);
  });
});
