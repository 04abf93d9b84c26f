import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { startOpenIdIssuer } from "#test/support/openid-issuer.ts";
import { startStopwatch } from "#test/support/slowness.ts";
import { startApi } from "#test/support/start-api.ts";

const BASE_URL = "https://passes.example.com";
const AUDIENCE = `audience=${BASE_URL}/api/`;

async function schemeOf(t: TestContext, AUTH_ISSUER: string) {
  const api = await startApi(t, { env: { BASE_URL, AUTH_ISSUER } });
  const elapsedMs = startStopwatch();
  const { status, body, headers } = await api.get("/openapi.json");
  assert.equal(status, 200);
  const tookMs = elapsedMs();
  return { api, tookMs, headers, scheme: body.components.securitySchemes.oauth2 };
}

describe("GET /openapi.json with AUTH_ISSUER", () => {
  it("200: people are sent to the addresses that the issuer names", async (t) => {
    const issuer = await startOpenIdIssuer(t, {
      metadata: {
        authorization_endpoint: "/oauth2/v1/sign-in",
        token_endpoint: "/oauth2/v1/token",
        response_types_supported: ["code", "id_token token"],
      },
    });
    const { api, scheme } = await schemeOf(t, issuer.url);
    const authorizationUrl = `${issuer.url}/oauth2/v1/sign-in?${AUDIENCE}`;
    const { implicit, authorizationCode, ...others } = scheme.flows;
    assert.deepEqual(others, {});
    assert.equal(implicit.authorizationUrl, authorizationUrl);
    assert.equal(authorizationCode.authorizationUrl, authorizationUrl);
    assert.equal(authorizationCode.tokenUrl, `${issuer.url}/oauth2/v1/token`);
    assert.ok("platform:admin" in implicit.scopes && "tenant.pass:read" in implicit.scopes);

    await api.get("/openapi.json");
    assert.equal(issuer.seen.get("/.well-known/openid-configuration"), 1, "asked once");
    const page = await api.get("/docs");
    const policy = page.headers.get("content-security-policy") ?? "";
    assert.ok(policy.split("; ").includes(`connect-src 'self' ${issuer.url}`), policy);
  });

  it("200: only the flows that the issuer offers, and its own query stays", async (t) => {
    const issuer = await startOpenIdIssuer(t, {
      metadata: {
        authorization_endpoint: "/sign-in?tenant=7",
        token_endpoint: "/token",
        response_types_supported: ["code"],
      },
    });
    const { scheme } = await schemeOf(t, issuer.url);
    assert.deepEqual(Object.keys(scheme.flows), ["authorizationCode"]);
    assert.equal(
      scheme.flows.authorizationCode.authorizationUrl,
      `${issuer.url}/sign-in?tenant=7&${AUDIENCE}`,
    );
  });

  for (const [what, metadata] of [
    ["has no address to sign in at", {}],
    ["names an address that is none", { authorization_endpoint: "javascript:alert(1)" }],
  ] as const) {
    it(`200: an issuer that ${what} is named by its discovery document`, async (t) => {
      const issuer = await startOpenIdIssuer(t, { metadata });
      const { scheme } = await schemeOf(t, issuer.url);
      assert.equal(scheme.type, "openIdConnect");
      assert.equal(scheme.openIdConnectUrl, `${issuer.url}/.well-known/openid-configuration`);
    });
  }

  it("200: an issuer that cannot be reached breaks neither the document nor the page", async (t) => {
    const { api, scheme } = await schemeOf(t, "http://127.0.0.1:9");
    assert.equal(scheme.type, "openIdConnect");
    assert.match(scheme.openIdConnectUrl, /^http:\/\/127\.0\.0\.1:9\/\.well-known\//);
    assert.equal((await api.get("/docs")).status, 200);
  });

  it("200: an issuer that is silent holds the document up for two seconds at most", async (t) => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    t.after(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const { port } = silent.address() as AddressInfo;
    const { scheme, tookMs } = await schemeOf(t, `http://127.0.0.1:${port}`);
    assert.equal(scheme.type, "openIdConnect");
    assert.ok(tookMs < 4_000, `${tookMs} ms`);
  });
});

describe("GET /openapi.json with the built-in authorization server", () => {
  it("200: people are sent to it", async (t) => {
    const api = await startApi(t, { env: { BASE_URL } });
    const { flows } = (await api.get("/openapi.json")).body.components.securitySchemes.oauth2;
    const authorizationUrl = `${BASE_URL}/authorize?${AUDIENCE}`;
    assert.equal(flows.implicit.authorizationUrl, authorizationUrl);
    assert.equal(flows.authorizationCode.tokenUrl, `${BASE_URL}/token`);
    const policy = (await api.get("/docs")).headers.get("content-security-policy") ?? "";
    assert.ok(policy.split("; ").includes("connect-src 'self'"), policy);
  });
});
