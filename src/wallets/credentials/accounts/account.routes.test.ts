import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, describe, it } from "node:test";
import { startGoogleFixture } from "#test/support/google-fixture.ts";
import {
  ACCOUNT_EMAIL,
  askForLink,
  type Fault,
  ISSUER_ID,
  SERVICE_ACCOUNT,
  seedGoogleTenant,
} from "#test/support/google-stand-in.ts";
import { seedPass } from "#test/support/pass-tenant.ts";
import { serviceAccountOf } from "#test/support/wallet-credentials.ts";
import { until } from "#test/support/webhook-receiver.ts";

const { google, api, savedPass, objectOf } = await startGoogleFixture(
  { after },
  { BASE_URL: "https://passes.example.com" },
);
const key = api.operatorKey;
const ISSUER = "3388000000012345678";
const GOOGLE_YML = `issuerId: "${ISSUER}"\nsecrets: { serviceAccount: GOOGLE-ACCOUNT }\n`;
await api.seed.tenant("acme", { "server/google.yml": GOOGLE_YML });
await api.seed.tenant("bare");

const put = (tenantId: string, body: unknown) =>
  api.put(`/api/${tenantId}/admin/wallets/google/account`, { key, body });
const health = async (tenantId: string) =>
  (await api.get(`/api/${tenantId}/admin/wallets`, { key })).body.google;

describe("PUT /api/:tenantId/admin/wallets/google/account (google-account.put)", () => {
  const good = serviceAccountOf("cafe-lune");

  it("200: the file as it came, under the name that server/google.yml gives", async () => {
    const before = await health("acme");
    assert.deepEqual([before.isConfigured, before.issuerId, before.account], [false, ISSUER, null]);
    const res = await put("acme", good);
    assert.equal(res.status, 200, res.text);
    const account = {
      clientEmail: "passes@cafe-lune.iam.gserviceaccount.com",
      projectId: "cafe-lune",
      keyId: "0b9d5f1c7e3a48d2",
    };
    assert.deepEqual(res.body, { account, problems: [] });
    const stored = await api.get("/api/acme/secrets/GOOGLE-ACCOUNT", { key });
    assert.deepEqual(JSON.parse(stored.body.value), good);
    const { isConfigured, isDevelopment, problems, account: shown } = await health("acme");
    assert.deepEqual(
      { isConfigured, isDevelopment, problems, shown },
      { isConfigured: true, isDevelopment: false, problems: [], shown: account },
    );
  });

  it("200: without server/google.yml it is kept, and the answer says what to publish", async () => {
    const res = await put("bare", good);
    assert.equal(res.status, 200, res.text);
    assert.equal(res.body.problems[0].code, "credential.not-used");
    assert.match(res.body.problems[0].hint, /server\/google\.yml with issuerId/);
    const { isConfigured, isDevelopment, problems } = await health("bare");
    assert.deepEqual([isConfigured, isDevelopment], [false, true]);
    assert.equal(problems[0].code, "credential.not-used");
  });

  it("400: each fault is named with its member, and nothing is stored", async () => {
    await api.seed.tenant("faulty");
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const elliptic = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const locked = privateKey.export({
      ...{ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "hunter2" },
    } as never);
    const faults: readonly [object, string, RegExp][] = [
      [{ ...good, type: "authorized_user" }, "type", /must be 'service_account'/],
      [{ ...good, client_email: "hunter2" }, "client_email", /address/],
      [{ ...good, private_key: "hunter2" }, "private_key", /cannot be read/],
      [{ ...good, private_key: elliptic }, "private_key", /RSA/],
      [{ ...good, private_key: String(locked) }, "private_key", /must not be encrypted/],
      [{ ...good, private_key: "x".repeat(20_000) }, "private_key", /./],
      [{ ...good, private_key: 1 }, "private_key", /./],
      [{ ...good, project_id: "" }, "project_id", /./],
      [{ installed: { client_id: "x" } }, "client_email", /./],
    ];
    for (const [body, field, message] of faults) {
      const res = await put("faulty", body);
      assert.equal(res.status, 400, res.text);
      assert.match(String(res.body.errors?.[field]), message, res.text);
      assert.doesNotMatch(res.text, /hunter2|PRIVATE KEY/);
    }
    assert.deepEqual((await api.get("/api/faulty/secrets", { key })).body, []);
  });
});

describe("POST /api/:tenantId/admin/wallets/google/check (google-account.check)", () => {
  const check = (tenantId: string) =>
    api.post(`/api/${tenantId}/admin/wallets/google/check`, { key });
  const fail = (status: number, error: object = {}) =>
    google.fail(() => ({ status, body: { error: { code: status, message: "No.", ...error } } }));
  const notUsed = "Google Wallet API has not been used in project 77 before or it is disabled.";

  it("200: everything is well, and nothing was changed", async () => {
    await seedGoogleTenant(api, "guided");
    google.fail(() => ({ status: 200, body: { resources: [] } }));
    const { status, body } = await check("guided");
    assert.equal(status, 200);
    const { steps, notes, ...rest } = body;
    assert.deepEqual(rest, {
      isOk: true,
      isDevelopment: false,
      issuerId: ISSUER_ID,
      clientEmail: ACCOUNT_EMAIL,
    });
    const names = steps.map(({ step }: { step: string }) => step);
    assert.deepEqual(names, ["account", "token", "api", "issuer", "address"]);
    const codes = notes.map(({ code }: { code: string }) => code);
    assert.deepEqual(codes, ["demo-mode"], "which only the console of Google shows");
    assert.deepEqual(
      google.calls.map(({ method, path }) => `${method} ${path}`),
      [`GET /genericClass?issuerId=${ISSUER_ID}&maxResults=1`],
    );
    // A token that Google withdrew is no reason to alarm anyone.
    google.withdrawTokens();
    assert.equal((await check("guided")).body.isOk, true);
  });

  const refusals: readonly [string, () => void, string, RegExp][] = [
    ["not invited", () => fail(403), "issuer", /is not a user of the issuer/],
    ["API not enabled", () => fail(403, { message: notUsed }), "api", /is not enabled/],
    [
      "API not enabled, by its reason",
      () => fail(403, { details: [{ reason: "SERVICE_DISABLED" }] }),
      "api",
      /is not enabled/,
    ],
    ["issuer unknown", () => fail(404), "issuer", /does not know the issuer/],
    ["token refused by the API", () => fail(401), "api", /access token/],
    ["too often", () => fail(429), "api", /too often/],
    ["a fault of Google", () => fail(503), "api", /status 503/],
  ];
  for (const [title, arrange, step, message] of refusals) {
    it(`200: names the first thing that is wrong: ${title}`, async () => {
      arrange();
      const { status, body } = await check("guided");
      google.heal();
      assert.equal(status, 200);
      const last = body.steps.at(-1);
      assert.deepEqual([body.isOk, last.step, last.isOk], [false, step, false]);
      assert.match(last.message, message);
      assert.ok(last.hint.length > 10);
    });
  }

  it("200: the key is refused, or Google is unavailable", async () => {
    google.withdrawTokens();
    const refused: Fault = {
      status: 400,
      body: { error: "invalid_grant", error_description: "Invalid JWT Signature." },
    };
    for (const [fault, message] of [
      [refused, /refuses the key of .*Invalid JWT Signature/],
      [503, /503/],
    ] as const) {
      google.failTokens(fault);
      const { body } = await check("guided");
      google.heal();
      const last = body.steps.at(-1);
      assert.deepEqual([body.isOk, last.step], [false, "token"]);
      assert.match(last.message, message);
    }
  });

  it("200: no account is stored, or none that can be read", async () => {
    await api.seed.tenant("unstored", { "server/google.yml": GOOGLE_YML });
    const { body } = await check("unstored");
    assert.deepEqual([body.isOk, body.steps[0].step], [false, "account"]);
    assert.match(body.steps[0].message, /GOOGLE-ACCOUNT/);
    await put("unstored", { ...JSON.parse(SERVICE_ACCOUNT), project_id: "harbour" });
    google.fail(() => ({ status: 200, body: { resources: [] } }));
    assert.equal((await check("unstored")).body.isOk, true, "at once after it was stored");
    google.heal();
  });

  it("200: the health says since when Google refuses the account, until Google takes something again", async () => {
    await seedGoogleTenant(api, "refused");
    const id = await savedPass("refused");
    const refusals = async () =>
      ((await health("refused")).problems as { code: string; message: string }[]).filter(
        ({ code }) => code === "credential.account-refused",
      );
    google.fail(() => 403);
    const sent = await api.patch(`/api/refused/passes/${id}`, {
      key,
      body: { additionalData: { firstName: "Ada" } },
    });
    assert.equal(sent.status, 202, sent.text);
    await until(async () => (await refusals()).length === 1);
    const [first] = await refusals();
    assert.match(first?.message ?? "", /since \d{4}-\d\d-\d\d \d\d:\d\d UTC: .* Google said: \S/);
    const endHalt = async (since: string) => {
      await api.sql(
        "update google_halt set until = now(), since = $1 where tenant_id = 'refused'",
        [since],
      );
      await api.sql("update google_object set due_at = now() where tenant_id = 'refused'");
    };
    await endHalt("2026-01-31T09:30:00Z");
    const halted = "select from google_halt where tenant_id = 'refused' and until > now()";
    await until(async () => (await api.sql(halted)).length === 1);
    assert.match((await refusals())[0]?.message ?? "", /since 2026-01-31 09:30 UTC/);
    google.heal();
    await endHalt("2026-01-31T09:30:00Z");
    await until(async () => (await refusals()).length === 0);
    assert.equal(objectOf(id).accountName, "Ada");
  });

  it("200: what waits since Google refused the account is sent at once when it works", async () => {
    await seedGoogleTenant(api, "late");
    const { id } = await seedPass(api, "late");
    const mend: readonly (() => Promise<unknown>)[] = [
      () => check("late"),
      () => put("late", { ...JSON.parse(SERVICE_ACCOUNT), project_id: "harbour" }),
      () => check("late"),
    ];
    const rename = (firstName: string) =>
      api.patch(`/api/late/passes/${id}`, {
        key,
        body: { additionalData: { firstName }, options: { BypassQueue: true } },
      });
    const names = ["Camille", "Ada", "Edith"];
    for (const [index, mended] of mend.entries()) {
      google.fail(() => 403);
      if (index === 0) assert.equal((await askForLink(api, "late", id)).status, 409);
      else await rename("Ada");
      if (index === 2) await rename("Grace");
      await until(async () => (await api.sql("select from google_halt")).length === 1);
      // The last one changes once more while it waits.
      if (index === 2) await rename("Edith");
      google.fail(({ method }) =>
        method === "GET" ? { status: 200, body: { resources: [] } } : undefined,
      );
      await mended();
      const name = () => objectOf(id)?.accountName;
      await until(() => name() === names[index]);
      assert.equal((await askForLink(api, "late", id)).status, 200);
    }
    google.heal();
  });
});
