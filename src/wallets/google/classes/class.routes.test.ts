import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import {
  askForLink,
  ISSUER_ID,
  SERVICE_ACCOUNT,
  seedGoogleTenant,
  startGoogle,
} from "#test/support/google-stand-in.ts";
import { seedPass } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

const google = await startGoogle({ after });
const env = { GOOGLE_WALLET_URL: google.url, ROLES: "api" };
const api = await startApi({ after }, { env });
await seedGoogleTenant(api, "acme");
await seedGoogleTenant(api, "rival");
const key = api.operatorKey;
const path = "/api/acme/extensions/google/classes";
const classId = `${ISSUER_ID}.acme.loyalty`;

describe("classes at Google", () => {
  afterEach(() => google.heal());

  it("200: google-class.sync makes the class, and changes it when it exists", async () => {
    for (const method of ["POST", "PATCH"]) {
      const { status, body } = await api.post(path, { key, body: { passType: "loyalty" } });
      assert.equal(status, 200);
      assert.deepEqual(
        [body.classId, body.reviewStatus, body.problem, body.configurationVersion],
        [classId, "UNDER_REVIEW", null, 1],
      );
      assert.equal(google.callsTo(classId).at(-1)?.method, method);
    }
    assert.equal(google.resource("loyaltyClass", classId).programName, "Harbour Card");
  });

  it("a class that all passes share shows nothing of the one that made it", async () => {
    await seedGoogleTenant(api, "shy", {
      "layouts/loyalty.google.yml": 'class: { programName: "Club of {{ data.firstName }}" }\n',
    });
    const { id } = await seedPass(api, "shy");
    assert.equal((await askForLink(api, "shy", id)).status, 200);
    const made = google.resource("loyaltyClass", `${ISSUER_ID}.shy.loyalty`);
    assert.match(made.programName, /^Club of/);
    assert.equal(JSON.stringify(made).includes("Camille"), false);
  });

  it("409: google-class.sync says what Google said, and google-class.get keeps it", async () => {
    google.fail(() => ({ status: 400, body: { error: { message: "Logo is missing." } } }));
    const refused = await api.post(path, { key, body: { passType: "loyalty" } });
    assert.deepEqual([refused.status, refused.body.code], [409, "wallet.google-refused"]);
    const known = await api.get(`${path}/${classId}`, { key });
    assert.deepEqual([known.status, known.body.problem], [200, "Logo is missing."]);
    google.fail(() => 403);
    const denied = await api.post(path, { key, body: { passType: "loyalty" } });
    assert.deepEqual([denied.status, denied.body.code], [409, "wallet.google-denied"]);
    google.fail(() => 503);
    const away = await api.post(path, { key, body: { passType: "loyalty" } });
    assert.deepEqual([away.status, away.body.code], [503, "wallet.google-unavailable"]);
  });

  it("200, however often another tenant names the same issuer without a right to it", async () => {
    await seedGoogleTenant(api, "thief");
    const own = JSON.stringify({ ...JSON.parse(SERVICE_ACCOUNT), project_id: "own" });
    const secret = "/api/thief/secrets/GOOGLE-SERVICE-ACCOUNT";
    const kept = await api.put(secret, { key, body: { value: own } });
    assert.ok(kept.status < 300, kept.text);
    const sync = (tenantId: string) =>
      api.post(`/api/${tenantId}/extensions/google/classes`, {
        key,
        body: { passType: "loyalty" },
      });
    const isThiefs = ({ path: at, body }: { path: string; body: { id?: string } }) =>
      `${at} ${body.id}`.includes(".thief.");
    google.fail((call) => (isThiefs(call) ? 403 : undefined));
    assert.equal((await sync("acme")).status, 200);
    google.calls.length = 0;
    const denied = Array.from({ length: 20 }, () => sync("thief"));
    for (let count = 0; count < 5; count += 1) assert.equal((await sync("acme")).status, 200);
    const taken = google.calls.filter(isThiefs).length;
    assert.ok(taken < 20, `${taken} requests of the other tenant`);
    for (const { status } of await Promise.all(denied)) assert.equal(status, 409);
  });

  it("503: nothing older than what Google has by the files of another process", async () => {
    await seedGoogleTenant(api, "behind");
    const sync = () =>
      api.post("/api/behind/extensions/google/classes", { key, body: { passType: "loyalty" } });
    assert.equal((await sync()).status, 200);
    await api.sql(
      "update google_class set configuration_version = 1000, content_hash = 'newer' where tenant_id = 'behind'",
    );
    const before = google.calls.length;
    const { status, body } = await sync();
    assert.deepEqual([status, body.code], [503, "wallet.google-unavailable"]);
    assert.equal(google.calls.length, before);
    const [row] = await api.sql(
      "select configuration_version, content_hash, claim_token from google_class where tenant_id = 'behind'",
    );
    assert.deepEqual(row, {
      configuration_version: 1000,
      content_hash: "newer",
      claim_token: null,
    });
  });

  it("409: a type whose passes make their classes; 400: no such type", async () => {
    const many = await api.post(path, { key, body: { passType: "coupon" } });
    assert.deepEqual([many.status, many.body.code], [409, "google-class.made-by-passes"]);
    const unknown = await api.post(path, { key, body: { passType: "unknown" } });
    assert.deepEqual([unknown.status, Object.keys(unknown.body.errors)], [400, ["passType"]]);
  });

  it("200: google-class.list has the classes of the tenant alone, also those passes made", async () => {
    const made = await api.post("/api/acme/passes?passType=coupon", {
      key,
      body: { additionalData: { offer: "Ten percent" } },
    });
    assert.equal((await askForLink(api, "acme", made.body.id)).status, 200);
    const { body } = await api.get(path, { key });
    const types = body.map(({ passType, googleType }: Record<string, string>) => [
      passType,
      googleType,
    ]);
    assert.deepEqual(types.sort(), [
      ["coupon", "offer"],
      ["loyalty", "loyalty"],
    ]);
    const rivals = await api.get("/api/rival/extensions/google/classes", { key });
    assert.deepEqual(rivals.body, []);
    const foreign = await api.get(`/api/rival/extensions/google/classes/${classId}`, { key });
    assert.deepEqual([foreign.status, foreign.body.code], [404, "google-class.not-found"]);
  });
});
