import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { decodeJwt, decodeProtectedHeader } from "jose";
import {
  accessToken,
  answerOf,
  askToken,
  codeRequest,
  createFirstAdministrator,
  implicitUrl,
  openBrowser,
  PASSWORD,
} from "#test/support/people.ts";
import { createDatabase } from "#test/support/server.ts";
import { startApi } from "#test/support/start-api.ts";

const BASE_URL = "https://passes.example.com";
const CONSOLE = `${BASE_URL}/console/callback`;
const DOCS = `${BASE_URL}/docs/callback`;

const api = await startApi({ after }, { env: { BASE_URL } });
await api.seed.tenant("acme");
const { browser: ada } = await createFirstAdministrator(api);

async function signInWithCode(more: Record<string, string> = {}) {
  const { url, verifier } = codeRequest(api, more);
  const page = await ada.open(url, CONSOLE);
  const code = answerOf(page).get("code") ?? "";
  return { code, verifier };
}

async function tokens(more: Record<string, string> = {}) {
  const { code, verifier } = await signInWithCode(more);
  const answer = await askToken(api, {
    grant_type: "authorization_code",
    code,
    code_verifier: verifier,
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

describe("GET /.well-known/openid-configuration", () => {
  it("200: names every endpoint under the public address", async () => {
    const { status, body } = await api.get("/.well-known/openid-configuration");
    assert.equal(status, 200);
    assert.equal(body.issuer, BASE_URL);
    assert.equal(body.authorization_endpoint, `${BASE_URL}/authorize`);
    assert.equal(body.token_endpoint, `${BASE_URL}/token`);
    assert.equal(body.jwks_uri, `${BASE_URL}/jwks`);
    assert.equal(body.userinfo_endpoint, `${BASE_URL}/userinfo`);
    assert.equal(body.end_session_endpoint, `${BASE_URL}/sign-out`);
    assert.deepEqual(body.response_types_supported.toSorted(), ["code", "id_token token", "token"]);
    assert.deepEqual(body.id_token_signing_alg_values_supported, ["ES256"]);
    assert.deepEqual(body.code_challenge_methods_supported, ["S256"]);
  });

  it("200: forwarded headers of a caller change nothing", async () => {
    const headers = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "http" };
    const { body } = await api.get("/.well-known/openid-configuration", { headers });
    assert.equal(body.authorization_endpoint, `${BASE_URL}/authorize`);
  });
});

describe("GET /jwks", () => {
  it("200: holds public keys only", async () => {
    const { status, body } = await api.get("/jwks");
    assert.equal(status, 200);
    assert.equal(body.keys.length, 1);
    assert.equal(body.keys[0].alg, "ES256");
    assert.equal(body.keys[0].d, undefined);
  });
});

describe("code and PKCE", () => {
  it("200: sign-in by password leads to an access token, an id token and a refresh token", async () => {
    const browser = openBrowser(api);
    const { url, verifier } = codeRequest(api, {
      scope: "openid email profile platform:admin",
    });
    const page = await browser.open(url);
    const form = { email: "ada@example.com", password: PASSWORD };
    const done = await browser.submit(page, form, CONSOLE);
    assert.equal(answerOf(done).get("state"), "s1");
    assert.equal(answerOf(done).get("iss"), BASE_URL);
    const { status, body } = await askToken(api, {
      grant_type: "authorization_code",
      code: answerOf(done).get("code") ?? "",
      code_verifier: verifier,
    });
    assert.equal(status, 200);
    assert.deepEqual(decodeProtectedHeader(body.access_token ?? "").typ, "at+jwt");
    const claims = decodeJwt(body.access_token ?? "");
    assert.equal(claims.aud, `${BASE_URL}/api/`);
    assert.equal(claims.iss, BASE_URL);
    assert.deepEqual(claims.roles, ["global-administrator"]);
    assert.equal((claims.exp ?? 0) - (claims.iat ?? 0), 3_600);
    assert.equal(decodeJwt(body.id_token ?? "").email, "ada@example.com");
    const tenants = await api.get("/api/tenants", { bearer: body.access_token });
    assert.equal(tenants.status, 200);
  });

  it("400: a code works once, and not without its verifier", async () => {
    const { code, verifier } = await signInWithCode();
    const grant = { grant_type: "authorization_code", code };
    assert.equal((await askToken(api, grant)).status, 400);
    const wrong = await askToken(api, { ...grant, code_verifier: "x".repeat(43) });
    assert.equal(wrong.body.error, "invalid_grant");
    const [first, second] = await Promise.all([
      askToken(api, { ...grant, code_verifier: verifier }),
      askToken(api, { ...grant, code_verifier: verifier }),
    ]);
    const statuses = [first.status, second.status];
    assert.ok(statuses.filter((status) => status === 200).length <= 1, statuses.join());
    assert.equal((await askToken(api, { ...grant, code_verifier: verifier })).status, 400);
  });

  it("401: a code used twice ends what its client was given, on every node, and nothing of others", async (t) => {
    const other = await api.node({}, { owner: t });
    const bystander = await accessToken(api, ada);
    const { code, verifier } = await signInWithCode({ scope: "openid platform:admin" });
    const grant = { grant_type: "authorization_code", code, code_verifier: verifier };
    const first = await askToken(api, grant);
    const bearer = first.body.access_token ?? "";
    for (const node of [api, other]) {
      assert.equal((await node.get("/api/tenants", { bearer })).status, 200);
    }
    // A code without its verifier must not end the tokens: an attacker may know only the code.
    assert.equal((await askToken(api, { ...grant, code_verifier: "x".repeat(43) })).status, 400);
    await sleep(1_000);
    assert.equal((await api.get("/api/tenants", { bearer })).status, 200);

    assert.equal((await askToken(api, grant)).body.error, "invalid_grant");
    await sleep(1_000);
    for (const node of [api, other]) {
      assert.equal((await node.get("/api/tenants", { bearer })).status, 401);
      assert.equal((await node.get("/userinfo", { bearer })).status, 401);
      assert.equal((await node.get("/api/tenants", { bearer: bystander })).status, 200);
    }
    const refresh = { grant_type: "refresh_token", refresh_token: first.body.refresh_token ?? "" };
    assert.equal((await askToken(api, refresh)).status, 400);
    const again = await tokens({ scope: "openid platform:admin" });
    assert.equal((await api.get("/api/tenants", { bearer: again.access_token })).status, 200);
  });

  it("303: a request without PKCE or for another address is refused", async () => {
    const { url } = codeRequest(api);
    const plain = new URL(url);
    plain.searchParams.delete("code_challenge");
    plain.searchParams.delete("code_challenge_method");
    const refused = await ada.open(plain.href, CONSOLE);
    assert.equal(answerOf(refused).get("error"), "invalid_request");
    const elsewhere = codeRequest(api, { redirect_uri: "https://evil.example/cb" });
    const page = await ada.open(elsewhere.url);
    assert.equal(page.status, 400);
    assert.match(page.text, /That did not work/);
    assert.ok(!page.text.includes("<script"));
  });

  it("200: refresh tokens rotate, and a stolen old one ends the session's tokens", async () => {
    const first = await tokens();
    const refresh = (token: string | undefined) =>
      askToken(api, { grant_type: "refresh_token", refresh_token: token ?? "" });
    const second = await refresh(first.refresh_token);
    assert.equal(second.status, 200);
    assert.notEqual(second.body.refresh_token, first.refresh_token);
    assert.equal(decodeJwt(second.body.access_token ?? "").aud, `${BASE_URL}/api/`);
    assert.equal((await refresh(first.refresh_token)).status, 400);
    assert.equal((await refresh(second.body.refresh_token)).status, 400);
  });

  it("200: particular scopes are carried and limit the token", async () => {
    const scope = "openid tenant.apikey:read";
    const { access_token: bearer, scope: given } = await tokens({ scope });
    assert.equal(given, "tenant.apikey:read");
    assert.equal((await api.get("/api/acme/admin/apiKeys", { bearer })).status, 200);
    const body = { name: "k", scopes: [] };
    const write = await api.post("/api/acme/admin/apiKeys", { bearer, body });
    assert.equal(write.status, 403);
    assert.equal((await api.get("/api/tenants", { bearer })).status, 403);
  });
});

describe("the implicit flow", () => {
  it("303: audience and bare token, as the specification writes them", async () => {
    const page = await ada.open(implicitUrl(api), DOCS);
    const answer = answerOf(page);
    assert.equal(new URL(page.url).search, "", "nothing in the query, which servers log");
    assert.equal(answer.get("token_type"), "Bearer");
    assert.equal(answer.get("expires_in"), "3600");
    assert.equal(answer.get("state"), "s1");
    const bearer = answer.get("access_token") ?? "";
    assert.equal(decodeJwt(bearer).aud, `${BASE_URL}/api/`);
    assert.equal((await api.get("/api/tenants", { bearer })).status, 200);
  });

  it("303: scopes of the API, id_token token, and an audience without its slash", async () => {
    const page = await ada.open(
      implicitUrl(api, {
        audience: `${BASE_URL}/api`,
        response_type: "id_token token",
        nonce: "n1",
        scope: "openid tenant.audit:read",
      }),
      DOCS,
    );
    const answer = answerOf(page);
    assert.equal(decodeJwt(answer.get("id_token") ?? "").nonce, "n1");
    assert.equal(decodeJwt(answer.get("access_token") ?? "").scope, "tenant.audit:read");
  });

  it("303: another audience is refused", async () => {
    const page = await ada.open(implicitUrl(api, { audience: "https://other.example/" }), DOCS);
    assert.equal(answerOf(page).get("error"), "invalid_target");
  });

  it("401: the id token is not an access token", async () => {
    const page = await ada.open(implicitUrl(api), DOCS);
    const bearer = answerOf(page).get("id_token") ?? "";
    assert.equal((await api.get("/api/tenants", { bearer })).status, 401);
  });
});

describe("GET /userinfo", () => {
  it("200: tells who is signed in; 401 without a good token", async () => {
    const bearer = await accessToken(api, ada);
    const { status, body } = await api.get("/userinfo", { bearer });
    assert.equal(status, 200);
    assert.equal(body.email, "ada@example.com");
    assert.equal(body.name, "Ada Lovelace");
    assert.deepEqual(body.roles, ["global-administrator"]);
    assert.equal((await api.get("/userinfo")).status, 401);
    assert.equal((await api.get("/userinfo", { bearer: `${bearer}x` })).status, 401);
  });
});

describe("two nodes", () => {
  it("303, 200: share keys, sessions, codes and tokens", async (t) => {
    const other = await api.node({}, { owner: t });
    const [mine, theirs] = await Promise.all([api.get("/jwks"), other.get("/jwks")]);
    assert.deepEqual(mine.body, theirs.body);

    const { url, verifier } = codeRequest(api, { scope: "openid platform:admin" });
    const page = await ada.at(other.url).open(url, CONSOLE);
    const { status, body } = await askToken(api, {
      grant_type: "authorization_code",
      code: answerOf(page).get("code") ?? "",
      code_verifier: verifier,
    });
    assert.equal(status, 200);
    const bearer = body.access_token;
    assert.equal((await other.get("/api/tenants", { bearer })).status, 200);
  });

  it("200: racing for the first key, all end up with the same", async (t) => {
    const database = await createDatabase();
    const nodes = await Promise.all(
      [1, 2, 3].map(() => startApi(t, { env: { BASE_URL }, database })),
    );
    t.after(() => database.drop());
    const answers = await Promise.all(nodes.map((node) => node.get("/jwks")));
    const kids = new Set(answers.map(({ body }) => body.keys[0].kid));
    assert.equal(kids.size, 1);
    const rows = await nodes[0]?.sql("select kind from authorization_key order by kind");
    assert.deepEqual(rows, [{ kind: "cookie" }, { kind: "signing" }]);
  });
});

describe("GET /sign-out", () => {
  it("200, 303: asks, then ends the session and its tokens", async (t) => {
    const alone = await startApi(t, { env: { BASE_URL } });
    const { browser } = await createFirstAdministrator(alone);
    const { url, verifier } = codeRequest(alone);
    const code = answerOf(await browser.open(url, CONSOLE)).get("code") ?? "";
    const { body } = await askToken(alone, {
      grant_type: "authorization_code",
      code,
      code_verifier: verifier,
    });
    const page = await browser.open(`${BASE_URL}/sign-out`);
    assert.match(page.text, /Sign out\?/);
    assert.ok(!page.text.includes("<script"));
    const done = await browser.submit(page, { logout: "yes" });
    assert.match(done.text, /You are signed out/);
    assert.match((await browser.open(url)).text, /<h1>Sign in<\/h1>/);
    const refresh = { grant_type: "refresh_token", refresh_token: body.refresh_token ?? "" };
    assert.equal((await askToken(alone, refresh)).status, 400);
    await sleep(1_000);
    assert.equal((await alone.get("/userinfo", { bearer: body.access_token })).status, 401);
  });
});

describe("what the authorization server keeps", () => {
  it("holds no usable secret: neither session ids nor tokens nor keys stand in the tables", async () => {
    const { refresh_token: refresh = "" } = await tokens();
    const session = ada.setCookies.find((cookie) => cookie.startsWith("billfold_session="));
    const id = /=([^;]+)/.exec(session ?? "")?.[1] ?? "";
    const rows = await api.sql(
      "select payload from authorization_record union all select sealed from authorization_key",
    );
    const all = Buffer.concat(rows.map(({ payload }) => payload as Buffer)).toString("latin1");
    assert.ok(all.length > 1_000 && id.length > 20 && refresh.length > 20);
    for (const secret of [id, refresh, "accountId", '"d":']) assert.ok(!all.includes(secret));
  });
});
