import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, afterEach, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { getPass } from "#src/passes/public.ts";
import { startGoogleFixture } from "#test/support/google-fixture.ts";
import {
  ACCOUNT_EMAIL,
  askForLink,
  ISSUER_ID,
  LONG_LINK,
  readSigned,
  SERVICE_ACCOUNT,
  seedGoogleTenant,
} from "#test/support/google-stand-in.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { googleSaveLinkOf } from "./save.service.ts";

// Without workers: what is sent here is sent for the link.
const { google, api, objectOf, rowOf } = await startGoogleFixture({ after }, { ROLES: "api" });
await seedGoogleTenant(api, "acme");
await seedPassTenant(api, "bare");

describe("google-token.create", () => {
  afterEach(() => google.heal());

  it("200: Google has the class and the object, and the link names them alone", async () => {
    const { id } = await seedPass(api, "acme");
    const { status, body, headers } = await askForLink(api, "acme", id);
    assert.equal(status, 200);
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(body.link, `${google.url}/gp/v/save/${body.token}`);
    assert.equal(body.expiresAt, null);
    const { header, claims } = readSigned(body.token);
    const object = { id: `${ISSUER_ID}.${id}`, classId: `${ISSUER_ID}.acme.loyalty` };
    assert.deepEqual(header, { alg: "RS256", typ: "JWT", kid: "key-1" });
    const { iat, ...told } = claims;
    assert.ok(Math.abs(iat - Date.now() / 1_000) < 60);
    assert.deepEqual(told, {
      iss: ACCOUNT_EMAIL,
      aud: "google",
      typ: "savetowallet",
      payload: { loyaltyObjects: [object] },
    });
    const sent = google.resource("loyaltyObject", object.id);
    assert.deepEqual([sent.state, sent.classId], ["ACTIVE", object.classId]);
    const ofClass = google.resource("loyaltyClass", object.classId);
    const { baseUrl } = api.runtime;
    assert.deepEqual(ofClass.callbackOptions, {
      url: `${baseUrl}/.well-known/wallet/acme/google/callback`,
    });
    const { uri } = ofClass.programLogo.sourceUri;
    assert.ok(uri.startsWith(`${baseUrl}/p/acme/images/`));
    const picture = await api.get(new URL(uri).pathname);
    assert.deepEqual([picture.status, picture.headers.get("content-type")], [200, "image/png"]);
  });

  it("200: asked again, it costs Google nothing", async () => {
    const { id } = await seedPass(api, "acme");
    const first = await askForLink(api, "acme", id);
    const before = google.calls.length;
    const again = await askForLink(api, "acme", id);
    assert.equal(google.calls.length, before);
    const payload = (token: string) => readSigned(token).claims.payload;
    assert.deepEqual(payload(again.body.token), payload(first.body.token));
  });

  it("200: one access token serves all, and a new one comes when Google withdraws it", async () => {
    await askForLink(api, "acme", (await seedPass(api, "acme")).id);
    const before = google.counts.tokens;
    google.withdrawTokens();
    const ids = await Promise.all([1, 2, 3, 4].map(() => seedPass(api, "acme")));
    const made = await Promise.all(ids.map(({ id }) => askForLink(api, "acme", id)));
    assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([200]));
    assert.equal(google.counts.tokens, before + 1);
  });

  it("200: an object that exists already is changed, not made anew", async () => {
    const { id } = await seedPass(api, "acme");
    await askForLink(api, "acme", id);
    await api.sql("update google_object set content_hash = null where pass_id = $1", [id]);
    google.calls.length = 0;
    assert.equal((await askForLink(api, "acme", id)).status, 200);
    const methods = google.calls.map(({ method }) => method);
    assert.deepEqual(methods, ["POST", "PATCH"], "insert, then the change");
  });

  it("200 while Google is away: the link holds the whole pass", async () => {
    for (const how of [500, 429] as const) {
      google.fail(() => how);
      const { id } = await seedPass(api, "acme");
      const { status, body } = await askForLink(api, "acme", id);
      assert.equal(status, 200);
      const { payload } = readSigned(body.token).claims;
      assert.equal(payload.loyaltyObjects[0].state, "ACTIVE");
      assert.equal(payload.loyaltyClasses, undefined, "Google has the class");
      assert.ok(body.token.length <= 1_800);
      const row = await rowOf(id);
      assert.deepEqual([row?.state, row?.attempts], ["queued", 1]);
      // It waits now, so the next caller does not wait for Google.
      const before = google.calls.length;
      assert.equal((await askForLink(api, "acme", id)).status, 200);
      assert.equal(google.calls.length, before);
    }
  });

  it("503: Google is away, and the pass is too long for a link", async () => {
    google.failTokens(500);
    google.withdrawTokens();
    google.fail(() => 500);
    const { id } = await seedPass(api, "acme", { additionalData: { firstName: "x".repeat(60) } });
    const long = { "loyalty.number": "9".repeat(200) };
    await seedGoogleTenant(api, "long", {
      "layouts/loyalty.google.yml": `object: { accountName: "${"n".repeat(2_000)}" }\n`,
    });
    const other = await seedPass(api, "long", { identifiers: long });
    const { status, body, headers } = await askForLink(api, "long", other.id);
    assert.deepEqual([status, body.code], [503, "wallet.google-unavailable"]);
    assert.ok(headers.get("retry-after"));
    assert.equal((await askForLink(api, "acme", id)).status, 200);
  });

  it("200: a pass too long for a link, which Google has not taken yet, is left with Google", async () => {
    await seedGoogleTenant(api, "lengthy", {
      "layouts/loyalty.google.yml": `object: { accountName: "${"n".repeat(2_000)}" }\n`,
    });
    google.fail(({ path }) => (path === "/jwt" ? undefined : 500));
    const { id } = await seedPass(api, "lengthy");
    const { status, body } = await askForLink(api, "lengthy", id);
    assert.deepEqual([status, body.link], [200, LONG_LINK]);
    assert.ok(body.token.length > 1_800);
    const sent = google.calls.findLast(({ path }) => path === "/jwt");
    assert.equal(sent?.body.jwt, body.token);
    const [object] = readSigned(body.token).claims.payload.loyaltyObjects;
    assert.deepEqual([object.id, object.accountName.length], [`${ISSUER_ID}.${id}`, 2_000]);
    google.heal();
    await api.sql("update google_object set due_at = now() where pass_id = $1", [id]);
    const short = await askForLink(api, "lengthy", id);
    assert.ok(short.body.link.endsWith(short.body.token) && short.body.token.length < 1_800);
  });

  it("409: Google refuses the content, or the account, and says why", async () => {
    const { id } = await seedPass(api, "acme");
    google.fail(() => ({ status: 400, body: { error: { message: "Invalid colour." } } }));
    const refused = await askForLink(api, "acme", id);
    assert.deepEqual([refused.status, refused.body.code], [409, "wallet.google-refused"]);
    assert.match(refused.body.detail, /Invalid colour\./);
    google.fail(() => 403);
    const denied = await askForLink(api, "acme", (await seedPass(api, "acme")).id);
    assert.deepEqual([denied.status, denied.body.code], [409, "wallet.google-denied"]);
    google.heal();
    const halted = await askForLink(api, "acme", (await seedPass(api, "acme")).id);
    assert.equal(halted.body.code, "wallet.google-denied", "for a while nothing is tried");
    await api.sql("delete from google_halt");
    assert.equal((await askForLink(api, "acme", id)).status, 200);
  });

  it("409: the tenant has no account at Google, or its secret is missing or broken", async () => {
    const { id } = await seedPass(api, "bare");
    const bare = await askForLink(api, "bare", id);
    assert.deepEqual([bare.status, bare.body.code], [409, "wallet.google-not-configured"]);
    assert.match(bare.body.detail, /server\/google\.yml/);
    await seedGoogleTenant(api, "broken");
    const key = api.operatorKey;
    const path = "/api/broken/secrets/GOOGLE-SERVICE-ACCOUNT";
    const other = await seedPass(api, "broken");
    assert.equal((await askForLink(api, "broken", other.id)).status, 200);
    await api.put(path, { key, body: { value: '{"client_email":"a@b"}' } });
    const answer = await askForLink(api, "broken", (await seedPass(api, "broken")).id);
    assert.match(answer.body.detail, /key file/, "a new secret is heard of at once");
  });

  it("409: the key of the account is not RSA, or too short", async () => {
    await seedGoogleTenant(api, "weak");
    const { id } = await seedPass(api, "weak");
    const keys = [
      generateKeyPairSync("ec", { namedCurve: "prime256v1" }),
      generateKeyPairSync("rsa", { modulusLength: 1_024 }),
    ];
    for (const { privateKey } of keys) {
      const own = privateKey.export({ format: "pem", type: "pkcs8" });
      const value = JSON.stringify({ ...JSON.parse(SERVICE_ACCOUNT), private_key: own });
      const path = "/api/weak/secrets/GOOGLE-SERVICE-ACCOUNT";
      await api.put(path, { key: api.operatorKey, body: { value } });
      const { status, body } = await askForLink(api, "weak", id);
      assert.deepEqual([status, body.code], [409, "wallet.google-not-configured"]);
    }
  });

  it("409: a tenant that names the account of another, but has not its private key", async () => {
    await askForLink(api, "acme", (await seedPass(api, "acme")).id);
    await seedGoogleTenant(api, "thief");
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
    const own = privateKey.export({ format: "pem", type: "pkcs8" });
    const value = JSON.stringify({ ...JSON.parse(SERVICE_ACCOUNT), private_key: own });
    const path = "/api/thief/secrets/GOOGLE-SERVICE-ACCOUNT";
    await api.put(path, { key: api.operatorKey, body: { value } });
    const { status, body } = await askForLink(api, "thief", (await seedPass(api, "thief")).id);
    assert.deepEqual([status, body.code], [409, "wallet.google-denied"]);
  });

  it("404: the pass was erased while its link was made, and no row of it is left", async () => {
    const { id } = await seedPass(api, "acme");
    const context = systemCall(api.runtime, "test", { tenantId: "acme" });
    const pass = await getPass(context, id);
    await api.delete(`/api/acme/passes/${id}`, { key: api.operatorKey });
    await assert.rejects(googleSaveLinkOf(context, pass), { code: "pass.not-found" });
    assert.deepEqual(await api.sql("select from google_object where pass_id = $1", [id]), []);
  });

  it("200: Google has what was changed while the link was made", async () => {
    const { id } = await seedPass(api, "acme");
    const context = systemCall(api.runtime, "test", { tenantId: "acme" });
    const before = await getPass(context, id);
    const body = { status: "disabled", options: { BypassQueue: true } };
    const changed = await api.patch(`/api/acme/passes/${id}`, { key: api.operatorKey, body });
    assert.equal(changed.status, 200, changed.text);
    await googleSaveLinkOf(context, before);
    assert.equal((await rowOf(id))?.state, "sent");
    assert.equal(objectOf(id).state, "INACTIVE");
  });

  it("200: a link that sends the pass sends the message that waits for it, too", async () => {
    const { id } = await seedPass(api, "acme");
    google.fail(() => 500);
    assert.equal((await askForLink(api, "acme", id)).status, 200);
    google.heal();
    const body = { content: "Your table is ready." };
    await api.put(`/api/acme/passes/${id}/notification`, { key: api.operatorKey, body });
    await api.sql("update google_object set due_at = now() where pass_id = $1", [id]);
    assert.equal((await askForLink(api, "acme", id)).status, 200);
    const { messages } = objectOf(id);
    assert.deepEqual(
      messages.map((message: { body: string }) => message.body),
      [body.content],
    );
  });

  it("200: a message that Google does not take with the link stays for the workers", async () => {
    const { id } = await seedPass(api, "acme");
    google.fail(() => 500);
    assert.equal((await askForLink(api, "acme", id)).status, 200);
    google.fail(({ path }) => (path.endsWith("/addMessage") ? 500 : undefined));
    const body = { content: "Your table is ready." };
    await api.put(`/api/acme/passes/${id}/notification`, { key: api.operatorKey, body });
    await api.sql("update google_object set due_at = now() where pass_id = $1", [id]);
    assert.equal((await askForLink(api, "acme", id)).status, 200);
    const [row] = await api.sql(
      "select state, due_at is not null as due from google_object where pass_id = $1",
      [id],
    );
    assert.deepEqual([row?.state, row?.due], ["queued", true]);
  });

  it("404: no such pass; 400: no pass named", async () => {
    const missing = await askForLink(api, "acme", "ps_missing");
    assert.deepEqual([missing.status, missing.body.code], [404, "pass.not-found"]);
    const path = "/api/acme/extensions/google/token";
    const empty = await api.post(path, { key: api.operatorKey, body: {} });
    assert.equal(empty.status, 400);
  });

  it("404: a picture that no template names, or of another tenant", async () => {
    for (const path of ["/p/acme/images/x.png", `/p/acme/images/${"0".repeat(32)}.png`]) {
      assert.equal((await api.get(path)).status, 404);
    }
    assert.equal((await api.get(`/p/%2A/images/${"0".repeat(32)}.png`)).status, 404);
  });
});
