import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { SIGNAL_CHANNEL } from "#kernel/db/signal-channel.ts";
import { startGoogleFixture } from "#test/support/google-fixture.ts";
import {
  type GoogleCall,
  ISSUER_ID,
  quiet,
  seedGoogleTenant,
} from "#test/support/google-stand-in.ts";
import { until } from "#test/support/webhook-receiver.ts";

const { google, api, savedPass, objectOf, rowOf, settled } = await startGoogleFixture({ after });
await api.node();
await seedGoogleTenant(api, "acme");
const key = api.operatorKey;

/**
 * The first such request waits here, and is then answered 401, so that it is tried again with another token:
 * what follows is what a process does that was paused just before it sent.
 */
function pauseFirst(isMeant: (call: GoogleCall) => boolean) {
  const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isFirst = true;
  google.fail(async (call) => {
    if (!isFirst || !isMeant(call)) return undefined;
    isFirst = false;
    reached.resolve();
    await go.promise;
    return 401;
  });
  return { reached: reached.promise, resume: () => go.resolve() };
}

describe("a process that was paused before it sends", () => {
  afterEach(() => {
    google.heal();
    google.calls.length = 0;
  });

  it("sends nothing of a pass that another process has sent meanwhile", async () => {
    const id = await savedPass();
    const rename = async (firstName: string) => {
      const body = { additionalData: { firstName } };
      const { status, text } = await api.patch(`/api/acme/passes/${id}`, { key, body });
      assert.ok(status < 300, text);
    };
    const name = () => objectOf(id).accountName;
    const paused = pauseFirst(({ method }) => method === "PATCH");
    await rename("Ada");
    await paused.reached;
    await api.sql(
      "update google_object set claim_token = null, due_at = now() where pass_id = $1",
      [id],
    );
    await rename("Grace");
    await api.sql("select pg_notify($1, 'google-object acme')", [SIGNAL_CHANNEL]);
    await until(() => name() === "Grace");
    await settled(id);
    paused.resume();
    await quiet();
    assert.equal(name(), "Grace");
    assert.equal((await rowOf(id))?.state, "sent");
  });

  it("sends no class of older files than those that Google has", async () => {
    const classId = `${ISSUER_ID}.plain.loyalty`;
    const publish = (countryCode: string) =>
      seedGoogleTenant(api, "plain", {
        "layouts/loyalty.google.yml": `class: { countryCode: ${countryCode} }\n`,
      });
    const sync = () =>
      api.post("/api/plain/extensions/google/classes", { key, body: { passType: "loyalty" } });
    await publish("CH");
    const paused = pauseFirst(({ path }) => path.startsWith("/loyaltyClass"));
    const late = sync();
    await paused.reached;
    await publish("FR");
    const meanwhile = await sync();
    assert.deepEqual(
      [meanwhile.status, meanwhile.body.code],
      [503, "wallet.google-unavailable"],
      "one process at a time sends a class",
    );
    await api.sql("update google_class set claimed_until = now() where class_id = $1", [classId]);
    const { status, body } = await sync();
    assert.equal(status, 200);
    paused.resume();
    const refused = await late;
    assert.deepEqual([refused.status, refused.body.code], [503, "wallet.google-unavailable"]);
    assert.equal(google.resource("loyaltyClass", classId).countryCode, "FR");
    const [row] = await api.sql(
      "select configuration_version, problem, sent_at from google_class where class_id = $1",
      [classId],
    );
    assert.equal(row?.configuration_version, body.configurationVersion);
    assert.equal(row?.problem, null);
  });
});
