import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, describe, it } from "node:test";
import { decodeJwt, importJWK, type JWK, type JWTPayload, SignJWT } from "jose";
import { loadSigningKeys } from "#src/access/authorization/authorization.keys.ts";
import { startOpenIdIssuer } from "#test/support/openid-issuer.ts";
import { accessToken, createFirstAdministrator } from "#test/support/people.ts";
import { startApi, type TestApi } from "#test/support/start-api.ts";

const BASE_URL = "https://passes.example.com";
const AUDIENCE = `${BASE_URL}/api/`;
const KEYS = "/api/acme/admin/apiKeys";

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

async function statusOf(api: TestApi, bearer: string, path = "/api/tenants"): Promise<number> {
  return (await api.get(path, { bearer })).status;
}

const builtIn = await startApi({ after }, { env: { BASE_URL } });
await builtIn.seed.tenant("acme");
const { browser } = await createFirstAdministrator(builtIn);
const good = await accessToken(builtIn, browser);
const [signingKey] = (await loadSigningKeys(builtIn.runtime)) as [JWK];

describe("tokens of the built-in issuer", () => {
  const api = builtIn;
  const claims = decodeJwt(good);

  async function sign(more: JWTPayload, header: Record<string, unknown> = {}): Promise<string> {
    return await new SignJWT({ ...claims, ...more })
      .setProtectedHeader({ alg: "ES256", kid: signingKey.kid ?? "", typ: "at+jwt", ...header })
      .sign(await importJWK(signingKey, "ES256"));
  }

  it("200: the token as issued, and one signed by the same key", async () => {
    assert.equal(await statusOf(api, good), 200);
    assert.equal(await statusOf(api, await sign({})), 200);
  });

  it("401: wrong in any one way, always with the same answer", async () => {
    const now = Math.floor(Date.now() / 1000);
    const { d: _private, ...publicKey } = signingKey;
    const hmacInput = `${base64url({ alg: "HS256", typ: "at+jwt", kid: signingKey.kid })}.${base64url(claims)}`;
    const hmac = (secret: string) =>
      `${hmacInput}.${createHmac("sha256", secret).update(hmacInput).digest("base64url")}`;
    const bad: Record<string, string> = {
      "another audience": await sign({ aud: "https://other.example/" }),
      "no audience": await sign({ aud: undefined as never }),
      "audience without slash": await sign({ aud: `${BASE_URL}/api` }),
      expired: await sign({ exp: now - 61 }),
      "not yet": await sign({ nbf: now + 120 }),
      "issued in the future": await sign({ iat: now + 3_600 }),
      "no expiry": await sign({ exp: undefined as never }),
      "no issue time": await sign({ iat: undefined as never }),
      "no subject": await sign({ sub: undefined as never }),
      "another issuer": await sign({ iss: "https://other.example" }),
      "issuer with slash": await sign({ iss: `${BASE_URL}/` }),
      "unknown account": await sign({ sub: "adm_0000000000000000000000" }),
      "id token type": await sign({}, { typ: "JWT" }),
      "no type": await sign({}, { typ: undefined }),
      "unknown kid": await sign({}, { kid: "nobody" }),
      critical: `${base64url({ alg: "ES256", typ: "at+jwt", crit: ["x"], x: 1 })}.${good.split(".").slice(1).join(".")}`,
      none: `${base64url({ alg: "none", typ: "at+jwt" })}.${base64url(claims)}.`,
      "HS256 with the public key": hmac(JSON.stringify(publicKey)),
      "HS256 with the public coordinate": hmac(publicKey.x ?? ""),
      "changed payload": good.replace(/\.[^.]+\./, `.${base64url({ ...claims, sub: "x" })}.`),
      "cut off": good.slice(0, -4),
      garbage: "garbage",
      "three dots": "...",
      "very long": "a".repeat(20_000),
    };
    const answers = new Set<string>();
    for (const [name, bearer] of Object.entries(bad)) {
      const { status, headers, body } = await api.get("/api/tenants", { bearer });
      assert.equal(status, 401, name);
      assert.equal(headers.get("www-authenticate"), 'Bearer error="invalid_token"', name);
      answers.add(JSON.stringify({ ...body, requestId: "", instance: "" }));
    }
    assert.equal(answers.size, 1);
  });

  it("401: a key that the token brings along is not used", async () => {
    const { privateKey, publicKey } = await crypto.subtle.generateKey(
      { name: "ECDSA", namedCurve: "P-256" },
      true,
      ["sign", "verify"],
    );
    const jwk = (await crypto.subtle.exportKey("jwk", publicKey)) as JWK;
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: "ES256", typ: "at+jwt", jwk, kid: signingKey.kid ?? "" })
      .sign(privateKey);
    assert.equal(await statusOf(api, token), 401);
  });

  it("200: a minute of skew is forgiven", async () => {
    const now = Math.floor(Date.now() / 1000);
    assert.equal(await statusOf(api, await sign({ exp: now - 30 })), 200);
    assert.equal(await statusOf(api, await sign({ nbf: now + 30 })), 200);
  });

  it("404: a Global Administrator learns that a tenant does not exist", async () => {
    assert.equal(await statusOf(api, good, KEYS), 200);
    assert.equal(await statusOf(api, good, "/api/nowhere/admin/apiKeys"), 404);
  });

  it("403: claims of a token give nothing that the account does not have", async () => {
    await api.sql("update administrator set role = 'tenant', tenants = '{acme}'");
    await new Promise((resolve) => setTimeout(resolve, 950));
    assert.deepEqual(claims.roles, ["global-administrator"]);
    assert.equal(await statusOf(api, good), 403);
    assert.equal(await statusOf(api, good, KEYS), 200);
    const [foreign, missing] = await Promise.all(
      ["rival", "nowhere"].map((tenantId) =>
        api.get(`/api/${tenantId}/admin/apiKeys`, { bearer: good }),
      ),
    );
    assert.equal(foreign?.status, 403);
    assert.equal(foreign?.body.detail, missing?.body.detail);
    await api.sql("update administrator set role = 'global', tenants = '{}'");
  });
});

const issuer = await startOpenIdIssuer({ after });
const foreign = await startApi({ after }, { env: { BASE_URL, AUTH_ISSUER: issuer.url } });
for (const tenantId of ["acme", "rival"]) await foreign.seed.tenant(tenantId);

describe("tokens of another OpenID issuer", () => {
  const api = foreign;
  const person = { sub: "auth0|42", aud: AUDIENCE, scope: "tenant.apikey:read platform:admin" };

  it("200: roles and tenants from claims", async () => {
    const root = await issuer.sign({ ...person, roles: ["global-administrator"] });
    assert.equal(await statusOf(api, root), 200);
    const claim = { [`${BASE_URL}/roles`]: ["tenant-administrator"] };
    const tenant = await issuer.sign({ ...person, ...claim, tenants: ["acme"] });
    assert.equal(await statusOf(api, tenant, KEYS), 200);
    assert.equal(await statusOf(api, tenant, "/api/rival/admin/apiKeys"), 403);
    assert.equal(await statusOf(api, tenant), 403);
  });

  it("200, 403: scopes count in the tenants of the claim only", async () => {
    const scope = "openid tenant.apikey:read";
    const roles = ["tenant-administrator"];
    const some = await issuer.sign({ ...person, roles, scope, tenants: ["acme"] });
    assert.equal(await statusOf(api, some, KEYS), 200);
    assert.equal(await statusOf(api, some, "/api/acme/admin/audit"), 403);
    assert.equal(await statusOf(api, some, "/api/rival/admin/apiKeys"), 403);
    const permissions = ["tenant.apikey:read"];
    const listed = await issuer.sign({
      ...person,
      roles,
      scope: "openid",
      permissions,
      tenants: ["acme"],
    });
    assert.equal(await statusOf(api, listed, KEYS), 200);
    const nowhere = await issuer.sign({ ...person, roles, scope });
    assert.equal(await statusOf(api, nowhere, KEYS), 403);
  });

  it("403: a role that asked for particular scopes is held to them", async () => {
    const roles = ["global-administrator"];
    const held = await issuer.sign({ ...person, roles, scope: "tenant.apikey:read" });
    assert.equal(await statusOf(api, held, KEYS), 200);
    assert.equal(await statusOf(api, held), 403);
    assert.equal(await statusOf(api, held, "/api/nowhere/admin/apiKeys"), 404);
    const nothing = await issuer.sign({ ...person, roles, scope: "tenant.unheard-of:read" });
    assert.equal(await statusOf(api, nothing, KEYS), 403);
  });

  it("401: id tokens, other types, other audiences, other issuers", async () => {
    const roles = ["global-administrator"];
    const sign = (more: JWTPayload, header = {}) =>
      issuer.sign({ ...person, roles, ...more }, { header });
    assert.equal(await statusOf(api, await sign({ nonce: "n" })), 401);
    assert.equal(await statusOf(api, await sign({ at_hash: "h" })), 401);
    assert.equal(await statusOf(api, await sign({}, { typ: "logout+jwt" })), 401);
    assert.equal(await statusOf(api, await sign({}, { typ: "at+jwt" })), 200);
    assert.equal(await statusOf(api, await sign({ aud: "client-id" })), 401);
    assert.equal(await statusOf(api, await sign({ aud: ["client-id", AUDIENCE] })), 200);
    assert.equal(await statusOf(api, await sign({ iss: BASE_URL })), 401);
  });

  it("401: any number of unknown keys makes us ask the issuer once at most", async () => {
    const asked = issuer.seen.get("/keys") ?? 0;
    for (let count = 0; count < 20; count += 1) {
      const token = await issuer.sign(person, {
        unknownKey: count < 2,
        header: { kid: `x${count}` },
      });
      assert.equal(await statusOf(api, token), 401);
    }
    assert.ok((issuer.seen.get("/keys") ?? 0) <= asked + 1);
    assert.equal(issuer.seen.get("/.well-known/openid-configuration"), 1);
  });

  it("503, 200: an issuer may end in a slash, but may not claim to be another one", async (t) => {
    const liar = await startOpenIdIssuer(t, { claimedIssuer: "https://other.example" });
    const slash = await startOpenIdIssuer(t, { issuerSuffix: "/" });
    for (const [from, status] of [
      [liar, 503],
      [slash, 200],
    ] as const) {
      const node = await api.node({ AUTH_ISSUER: from.url }, { owner: t });
      const token = await from.sign({ ...person, roles: ["global-administrator"] });
      assert.equal(await statusOf(node, token), status);
    }
  });

  it("503: an issuer that cannot be reached is asked sparingly, and no token is blamed", async (t) => {
    const node = await api.node({ AUTH_ISSUER: "http://127.0.0.1:9" }, { owner: t });
    const token = await issuer.sign({ ...person, roles: ["global-administrator"] });
    for (let count = 0; count < 5; count += 1) assert.equal(await statusOf(node, token), 503);
    const lines = node.logLines.filter((line) => line.includes("issuer cannot be used"));
    assert.equal(lines.length, 1);
  });

  const unreadableKeys = {
    "nobody there": "http://127.0.0.1:9/keys",
    "not found": "/nowhere",
    "not a set of keys": "/.well-known/openid-configuration",
  };
  for (const [name, address] of Object.entries(unreadableKeys)) {
    it(`503: keys that cannot be read (${name}) are asked for sparingly, and no token is blamed`, async (t) => {
      const keyless = await startOpenIdIssuer(t, { metadata: { jwks_uri: address } });
      const node = await api.node({ AUTH_ISSUER: keyless.url }, { owner: t });
      const token = await keyless.sign({ ...person, roles: ["global-administrator"] });
      const first = await node.get("/api/tenants", { bearer: token });
      assert.equal(first.status, 503);
      assert.equal(first.headers.get("retry-after"), "5");
      for (let count = 0; count < 5; count += 1) assert.equal(await statusOf(node, token), 503);
      assert.equal(await statusOf(node, "garbage"), 401);
      const lines = node.logLines.filter((line) => line.includes("issuer cannot be used"));
      assert.equal(lines.length, 1);
    });
  }
});
