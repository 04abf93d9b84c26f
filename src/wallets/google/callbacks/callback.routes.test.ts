import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import pg from "pg";
import { startGoogleFixture } from "#test/support/google-fixture.ts";
import { ISSUER_ID, seedGoogleTenant, signCallback } from "#test/support/google-stand-in.ts";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { until } from "#test/support/webhook-receiver.ts";

const { google, api, savedPass } = await startGoogleFixture({ after }, { ROLES: "api" });
await seedGoogleTenant(api, "acme");
await seedPassTenant(api, "bare");
const key = api.operatorKey;

const send = (body: unknown, tenantId = "acme") =>
  api.post(`/.well-known/wallet/${tenantId}/google/callback`, { body });

async function passAtGoogle() {
  const id = await savedPass();
  return { id, objectId: `${ISSUER_ID}.${id}` };
}

const googleOf = async (passId: string) =>
  (await api.get(`/api/acme/passes/${passId}`, { key })).body.providers.google;

const eventsOf = async (passId: string) => {
  const rows = await api.sql("select name from event where subject = $1 order by id", [passId]);
  return rows.map(({ name }) => name);
};

describe("callbacks of Google", () => {
  it("204: a saved pass is installed, a removed one is not, and events say so in order", async () => {
    const { id, objectId } = await passAtGoogle();
    assert.equal((await send(signCallback({ objectId }))).status, 204);
    const { status, devices } = await googleOf(id);
    assert.deepEqual([status, devices], ["installed", 1]);
    assert.equal((await send(signCallback({ objectId, eventType: "del" }))).status, 204);
    assert.equal((await googleOf(id)).status, "uninstalled");
    assert.equal((await send(signCallback({ objectId }))).status, 204);
    assert.deepEqual(await eventsOf(id), [
      "pass.created",
      "pass.installed",
      "pass.uninstalled",
      "pass.installed",
    ]);
    const [row] = await api.sql("select * from google_object where pass_id = $1", [id]);
    assert.equal(row?.saved_count, 1);
  });

  it("204: a pass that two saved is installed until both have removed it", async () => {
    const { id, objectId } = await passAtGoogle();
    for (const eventType of ["save", "save", "del"]) {
      assert.equal((await send(signCallback({ objectId, eventType }))).status, 204);
    }
    const { status, devices } = await googleOf(id);
    assert.deepEqual([status, devices], ["installed", 1]);
    for (const _ of [1, 2]) await send(signCallback({ objectId, eventType: "del" }));
    assert.equal((await googleOf(id)).status, "uninstalled");
    await send(signCallback({ objectId }));
    assert.equal((await googleOf(id)).devices, 1, "the count does not fall below none");
  });

  it("204: waits for the pass before it locks the object, as an erasure does", async () => {
    const { id, objectId } = await passAtGoogle();
    const other = new pg.Client(api.database.connection);
    await other.connect();
    await other.query("set app.tenant = '*'; begin");
    await other.query("select from pass where id = $1 for update", [id]);
    const answer = send(signCallback({ objectId }));
    await until(async () => {
      const { rows } = await other.query("select from pg_locks where not granted");
      return rows.length > 0;
    });
    await other.query("select from google_object where pass_id = $1 for update nowait", [id]);
    await other.end();
    assert.equal((await answer).status, 204);
    assert.equal((await googleOf(id)).status, "installed");
  });

  it("204: one that comes again changes nothing", async () => {
    const { id, objectId } = await passAtGoogle();
    const saved = signCallback({ objectId });
    const removed = signCallback({ objectId, eventType: "del" });
    for (const body of [saved, removed, saved]) assert.equal((await send(body)).status, 204);
    assert.equal((await googleOf(id)).status, "uninstalled");
  });

  it("204: about a pass of another system that uses the same issuer", async () => {
    assert.equal((await send(signCallback({ objectId: `${ISSUER_ID}.other` }))).status, 204);
  });

  it("401: forged, and a line of the log; the keys are not asked for again", async () => {
    const { id, objectId } = await passAtGoogle();
    await send(signCallback({ objectId: `${ISSUER_ID}.other` }));
    const asked = google.counts.keys;
    const good = signCallback({ objectId });
    const foreign = signCallback({ objectId: "77.ps_1", classId: "77.x" }, "77");
    const forged = [
      { ...good, signature: good.intermediateSigningKey.signatures[0] },
      { ...good, signedMessage: good.signedMessage.replace("save", "del") },
      signCallback({ objectId, expTimeMillis: Date.now() - 1 }),
      foreign,
    ];
    for (const body of forged) {
      const answer = await send(body);
      assert.deepEqual([answer.status, answer.body.code], [401, "google-callback.forged"]);
    }
    assert.equal((await googleOf(id)).status, "none");
    assert.equal(google.counts.keys, asked);
    const lines = api.logLines.filter((line) => line.includes("a callback of Google Wallet was"));
    assert.ok(lines.length >= forged.length);
  });

  it("400: no callback at all; 413: a body without end", async () => {
    for (const body of [{}, [], { ...signCallback({ objectId: "x" }), more: 1 }]) {
      const answer = await send(body);
      assert.deepEqual([answer.status, answer.body.code], [400, "google-callback.malformed"]);
    }
    const path = "/.well-known/wallet/acme/google/callback";
    const headers = { "content-type": "application/json" };
    assert.equal((await api.post(path, { rawBody: "{", headers })).status, 400);
    assert.equal((await api.post(path, { rawBody: "x".repeat(70_000), headers })).status, 413);
  });

  it("401: a tenant that does not exist, or is not at Google, and which of both is not told", async () => {
    const body = signCallback({ objectId: `${ISSUER_ID}.x` });
    for (const tenantId of ["nobody-here", "bare"]) {
      const answer = await send(body, tenantId);
      assert.deepEqual([answer.status, answer.body.code], [401, "google-callback.forged"]);
    }
    for (const tenantId of ["%2A", "A%20B"]) {
      assert.equal((await send(body, tenantId)).status, 404);
    }
  });

  it("429: too many forged ones from one address", async () => {
    let answer = await send({});
    for (let sent = 1; sent < 100 && answer.status !== 429; sent += 1) answer = await send({});
    assert.equal(answer.status, 429);
    assert.ok(Number(answer.headers.get("retry-after")) > 0);
  });
});
