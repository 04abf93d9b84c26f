import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { decodeJwt } from "jose";
import { makeToken, SCOPES } from "#src/api-keys/public.ts";
import { startOpenIdIssuer } from "#test/support/openid-issuer.ts";
import {
  accessToken,
  answerOf,
  askToken,
  codeRequest,
  createFirstAdministrator,
  implicitUrl,
  joinByInvitation,
} from "#test/support/people.ts";
import { startApi } from "#test/support/start-api.ts";

const BASE_URL = "https://passes.example.com";
const DOCS = `${BASE_URL}/docs/callback`;
const KEYS = "/api/acme/admin/apiKeys";
const TENANT_SCOPES: readonly string[] = SCOPES.map(({ bearer }) => bearer);
const PLATFORM = "platform:admin";
const PLATFORM_PATHS = ["/api/tenants", "/api/administrators", "/api/oauthClients", "/api/audit"];

const api = await startApi({ after }, { env: { BASE_URL } });
await api.seed.tenant("acme");
const { browser: ada } = await createFirstAdministrator(api);
const tom = await joinByInvitation(api, {
  email: "tom@example.com",
  name: "Tom Tenant",
  role: "tenant",
  tenants: ["acme"],
});

function wordsOf(text: unknown): string[] {
  return String(text ?? "")
    .split(" ")
    .filter((word) => word !== "")
    .sort();
}

const claimedScopes = (bearer: string): string[] => wordsOf(decodeJwt(bearer).scope);

describe("GET /authorize, scopes", () => {
  for (const scope of [
    "tenant.nope:read",
    "Webhook.Read",
    "tenant.webhook:read admin",
    "address",
  ]) {
    it(`303 invalid_scope, and no token: ${scope}`, async () => {
      for (const url of [
        implicitUrl(api, { scope }),
        implicitUrl(api, { scope: `openid ${scope}`, response_type: "id_token token", nonce: "n" }),
      ]) {
        const answer = answerOf(await ada.open(url, DOCS));
        assert.equal(answer.get("error"), "invalid_scope");
        assert.equal(answer.get("access_token"), null);
        assert.equal(answer.get("state"), "s1");
        const unknown = wordsOf(scope).find((word) => !TENANT_SCOPES.includes(word)) ?? "";
        assert.ok(answer.get("error_description")?.includes(unknown));
      }
      const code = await ada.open(codeRequest(api, { scope }).url, `${BASE_URL}/console/callback`);
      assert.equal(answerOf(code).get("error"), "invalid_scope");
      assert.equal(answerOf(code).get("code"), null);
    });
  }

  it("303: asked for no scope, the token names all that the role gives", async () => {
    for (const more of [{}, { scope: "" }]) {
      const global = answerOf(await ada.open(implicitUrl(api, more), DOCS));
      const all = [...TENANT_SCOPES, PLATFORM].sort();
      assert.deepEqual(claimedScopes(global.get("access_token") ?? ""), all);
      assert.deepEqual(wordsOf(global.get("scope")), all, "the client is told, too");
    }
    const bearer = await accessToken(api, tom.browser);
    assert.deepEqual(claimedScopes(bearer), [...TENANT_SCOPES].sort());
    assert.equal((await api.get(KEYS, { bearer })).status, 200);
  });

  it("200: by code, asked for no scope, all that the role gives, after a refresh too", async () => {
    const { url, verifier } = codeRequest(api, { scope: "" });
    const page = await tom.browser.open(url, `${BASE_URL}/console/callback`);
    const grant = { code: answerOf(page).get("code") ?? "", code_verifier: verifier };
    const first = await askToken(api, { grant_type: "authorization_code", ...grant });
    const refresh = { grant_type: "refresh_token", refresh_token: first.body.refresh_token ?? "" };
    for (const { status, body } of [first, await askToken(api, refresh)]) {
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(claimedScopes(body.access_token ?? ""), [...TENANT_SCOPES].sort());
    }
  });

  it("303: a role is never given more than it has, whatever it asks for", async () => {
    const scope = `tenant.webhook:read ${PLATFORM}`;
    const answer = answerOf(await tom.browser.open(implicitUrl(api, { scope }), DOCS));
    assert.deepEqual(claimedScopes(answer.get("access_token") ?? ""), ["tenant.webhook:read"]);
    assert.equal(answer.get("scope"), "tenant.webhook:read");
    const none = answerOf(await tom.browser.open(implicitUrl(api, { scope: PLATFORM }), DOCS));
    assert.equal(none.get("error"), "invalid_scope");
    assert.equal(none.get("access_token"), null);
  });

  it("403: who asked for an identity alone gets no right with it", async () => {
    const bearer = await accessToken(api, ada, "openid email");
    assert.deepEqual(claimedScopes(bearer), []);
    assert.equal((await api.get("/userinfo", { bearer })).status, 200);
    assert.equal((await api.get("/api/tenants", { bearer })).status, 403);
    assert.equal((await api.get(KEYS, { bearer })).status, 403);
  });
});

describe("GET /.well-known/openid-configuration", () => {
  it("200: lists token and every scope", async () => {
    const { body } = await api.get("/.well-known/openid-configuration");
    assert.ok(body.response_types_supported.includes("token"));
    assert.deepEqual(
      body.scopes_supported.toSorted(),
      ["openid", "profile", "email", "offline_access", PLATFORM, ...TENANT_SCOPES].sort(),
    );
  });
});

describe("a Global Administrator's token", () => {
  it("200: with every advertised scope, where the whole installation is meant", async () => {
    const { body } = await api.get("/.well-known/openid-configuration");
    const bearer = await accessToken(api, ada, body.scopes_supported.join(" "));
    for (const path of [...PLATFORM_PATHS, KEYS]) {
      assert.equal((await api.get(path, { bearer })).status, 200, path);
    }
  });

  it("200: with platform:admin alone; 403 in tenants, naming the scope as tokens write it", async () => {
    const bearer = await accessToken(api, ada, PLATFORM);
    assert.equal((await api.get("/api/administrators", { bearer })).status, 200);
    const { status, body } = await api.get("/api/acme/webhooks", { bearer });
    assert.deepEqual([status, body.requiredScope], [403, "tenant.webhook:read"]);
    assert.match(body.detail, /tenant\.webhook:read/);
    assert.doesNotMatch(body.detail, /Webhook\.Read/);
  });

  it("403: with every scope of tenants but not platform:admin, naming it", async () => {
    const bearer = await accessToken(api, ada, TENANT_SCOPES.join(" "));
    const client = { name: "Reports", redirectUris: ["https://reports.example/callback"] };
    const calls = [
      ...PLATFORM_PATHS.map((path) => api.get(path, { bearer })),
      api.post("/api/oauthClients", { bearer, body: client }),
      api.delete("/api/tenants/acme", { bearer }),
      api.put("/api/tenants/brand-new", { bearer, body: { files: { "tenant.yml": "name: B\n" } } }),
    ];
    for (const { status, body } of await Promise.all(calls)) {
      assert.deepEqual([status, body.requiredScope, body.requiredRole], [403, PLATFORM, undefined]);
      assert.match(body.detail, /platform:admin/);
    }
  });
});

describe("a Tenant Administrator's token", () => {
  it("403: names the role where that is missing, and the scope where that is", async () => {
    const bearer = await accessToken(api, tom.browser, "tenant.webhook:read");
    const platform = await api.get("/api/administrators", { bearer });
    assert.deepEqual(
      [platform.status, platform.body.requiredRole, platform.body.requiredScope],
      [403, "Global Administrator", PLATFORM],
    );
    assert.match(platform.body.detail, /Global Administrator/);
    const write = await api.post("/api/acme/webhooks", { bearer, body: {} });
    assert.deepEqual([write.status, write.body.requiredScope], [403, "tenant.webhook:write"]);
  });

  it("403: erasing passes and granting rights name the scopes as tokens write them", async () => {
    const scope = "tenant.customer:write tenant.apikey:write";
    const bearer = await accessToken(api, tom.browser, scope);
    const erasure = await api.delete("/api/acme/customers/cus_x?passes=true", { bearer });
    assert.deepEqual([erasure.status, erasure.body.requiredScope], [403, "tenant.pass:write"]);
    const body = { name: "more", scopes: ["Pass.Read"] };
    const grant = await api.post(KEYS, { bearer, body });
    assert.deepEqual([grant.status, grant.body.missingScopes], [403, ["tenant.pass:read"]]);
    assert.match(grant.body.detail, /tenant\.pass:read/);
  });
});

describe("an API key", () => {
  it("403: names the scope as keys write it", async () => {
    const key = await api.seed.key("acme", "ApiKey.Read");
    const { status, body } = await api.get("/api/acme/webhooks", { key });
    assert.deepEqual([status, body.requiredScope], [403, "Webhook.Read"]);
    assert.doesNotMatch(body.detail, /tenant\./);
  });

  it("401: sent in Authorization, says which header to use, whether or not it is good", async () => {
    const good = await api.seed.key("acme", "ApiKey.Read");
    const unknown = makeToken({ environment: "staging", kind: "api-key" });
    const details = new Set<string>();
    for (const bearer of [good, unknown, "bf_operator_x", makeDeviceKey()]) {
      const { status, body, headers } = await api.get(KEYS, { bearer });
      assert.equal(status, 401);
      assert.match(headers.get("www-authenticate") ?? "", /^Bearer /);
      details.add(body.detail);
    }
    for (const authorization of [good, `ApiKey ${good}`, `bearer  ${good}`]) {
      const { status, body } = await api.get(KEYS, { headers: { authorization } });
      assert.equal(status, 401);
      details.add(body.detail);
    }
    assert.equal(details.size, 1);
    assert.match([...details].join(), /X-API-KEY/);
  });
});

function makeDeviceKey(): string {
  return makeToken({ environment: "staging", kind: "device" });
}

const issuer = await startOpenIdIssuer({ after });
const foreign = await startApi({ after }, { env: { BASE_URL, AUTH_ISSUER: issuer.url } });
await foreign.seed.tenant("acme");

describe("tokens of another issuer", () => {
  const person = { sub: "auth0|42", aud: `${BASE_URL}/api/` };
  const root = { ...person, roles: ["global-administrator"] };
  const both = `tenant.apikey:read ${PLATFORM}`;

  it("403: a role without any scope has no right at all", async () => {
    for (const claims of [
      {},
      { scope: "" },
      { scope: "openid profile" },
      { scope: "tenant.nope:read" },
      { permissions: [] },
      { scope: "tenant.nope:read", permissions: ["tenant.apikey:read", PLATFORM] },
      { scope: 7, permissions: "tenant.apikey:read" },
    ]) {
      const bearer = await issuer.sign({ ...root, ...claims } as never);
      const where = JSON.stringify(claims);
      const platform = await foreign.get("/api/tenants", { bearer });
      assert.deepEqual([platform.status, platform.body.requiredScope], [403, PLATFORM], where);
      const tenant = await foreign.get(KEYS, { bearer });
      assert.deepEqual([tenant.status, tenant.body.requiredScope], [403, "tenant.apikey:read"]);
    }
  });

  it("200: a role and its scopes, in either claim", async () => {
    for (const claims of [
      { scope: both },
      { permissions: both.split(" ") },
      { scope: "openid profile", permissions: both.split(" ") },
    ]) {
      const bearer = await issuer.sign({ ...root, ...claims });
      assert.equal((await foreign.get("/api/tenants", { bearer })).status, 200);
      assert.equal((await foreign.get(KEYS, { bearer })).status, 200);
    }
  });

  it("403: scopes without a role give nothing, and the answer names the role", async () => {
    const bearer = await issuer.sign({ ...person, scope: both, tenants: ["acme"] });
    const tenant = await foreign.get(KEYS, { bearer });
    assert.deepEqual([tenant.status, tenant.body.requiredRole], [403, "Tenant Administrator"]);
    const platform = await foreign.get("/api/tenants", { bearer });
    assert.deepEqual([platform.status, platform.body.requiredRole], [403, "Global Administrator"]);
  });

  it("403: a Tenant Administrator whose token claims platform:admin is none of the platform", async () => {
    const roles = ["tenant-administrator"];
    const bearer = await issuer.sign({ ...person, roles, tenants: ["acme"], scope: both });
    assert.equal((await foreign.get(KEYS, { bearer })).status, 200);
    for (const call of [
      foreign.get("/api/tenants", { bearer }),
      foreign.delete("/api/tenants/acme", { bearer }),
    ]) {
      const { status, body } = await call;
      assert.deepEqual([status, body.requiredRole], [403, "Global Administrator"]);
    }
  });
});
