import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  askForLink,
  ISSUER_ID,
  readSigned,
  seedGoogleTenant,
  startGoogle,
} from "#test/support/google-stand-in.ts";
import { seedPass } from "#test/support/pass-tenant.ts";
import { startStopwatch } from "#test/support/slowness.ts";
import { startApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";

describe("a save link while Google does not answer", () => {
  it("200 after some seconds, with the whole pass in it, which Google gets later", async (t) => {
    const google = await startGoogle(t);
    const api = await startApi(t, { env: { GOOGLE_WALLET_URL: google.url } });
    await seedGoogleTenant(api, "acme");
    await askForLink(api, "acme", (await seedPass(api, "acme")).id);
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
    await until(() => google.resource("loyaltyObject", `${ISSUER_ID}.${id}`) !== undefined);
  });

  it("200 after some seconds, also while Google gives no access token", async (t) => {
    const google = await startGoogle(t);
    const api = await startApi(t, { env: { GOOGLE_WALLET_URL: google.url } });
    await seedGoogleTenant(api, "acme");
    await askForLink(api, "acme", (await seedPass(api, "acme")).id);
    const { id } = await seedPass(api, "acme");
    google.withdrawTokens();
    google.failTokens("hang");
    const elapsedMs = startStopwatch();
    const { status, text } = await askForLink(api, "acme", id);
    assert.equal(status, 200, text);
    assert.ok(elapsedMs() < 8_000);
  });
});
