import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  answerOf,
  askToken,
  codeRequest,
  createFirstAdministrator,
  implicitUrl,
  openBrowser,
  PASSWORD,
} from "#test/support/people.ts";
import { startApi } from "#test/support/start-api.ts";

const BASE_URL = "https://passes.example.com";
const APP = "https://reports.example/callback";
const LOCAL = "http://127.0.0.1:4000/cb?from=app";

const api = await startApi({ after }, { env: { BASE_URL } });
const key = api.operatorKey;
const { browser: ada } = await createFirstAdministrator(api);

async function register(more: object = {}): Promise<string> {
  const flows = ["authorizationCode", "implicit"];
  const body = { name: "Reports & more", redirectUris: [APP, LOCAL], flows, ...more };
  const made = await api.post("/api/oauthClients", { key, body });
  assert.equal(made.status, 201, made.text);
  return made.body.clientId;
}

const asClient = (client_id: string, redirect_uri = APP) => ({ client_id, redirect_uri });

/** Gets tokens as a registered client, by the authorization code flow with PKCE. */
async function codeTokens(clientId: string, redirectUri = APP) {
  const client = asClient(clientId, redirectUri);
  const { url, verifier } = codeRequest(api, { ...client, scope: "openid platform:admin" });
  const code = answerOf(await ada.open(url, redirectUri)).get("code") ?? "";
  const fields = { grant_type: "authorization_code", code, code_verifier: verifier };
  return await askToken(api, { ...client, ...fields });
}

describe("a registered OAuth client", () => {
  it("200: gets tokens by code and PKCE, at each of its addresses", async () => {
    const clientId = await register();
    for (const redirectUri of [APP, LOCAL]) {
      const { status, body } = await codeTokens(clientId, redirectUri);
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal((await api.get("/api/tenants", { bearer: body.access_token })).status, 200);
    }
  });

  it("303: gets a token by the implicit flow, in the fragment", async () => {
    const clientId = await register();
    for (const redirectUri of [APP, LOCAL]) {
      const url = implicitUrl(api, asClient(clientId, redirectUri));
      const page = await ada.open(url, redirectUri);
      const bearer = answerOf(page).get("access_token") ?? "";
      assert.equal((await api.get("/api/tenants", { bearer })).status, 200);
      assert.equal(new URL(page.url).search, new URL(redirectUri).search);
    }
  });

  it("400: is never answered at an address that is not its own to the letter", async () => {
    const clientId = await register();
    for (const redirectUri of [
      `${APP}/`,
      `${APP}?x=1`,
      "https://reports.example/Callback",
      "https://REPORTS.example/callback",
      "https://reports.example.evil.example/callback",
      "https://evil.example/",
      "http://127.0.0.1:4001/cb?from=app",
      `${BASE_URL}/docs/callback`,
      "",
    ]) {
      for (const url of [
        implicitUrl(api, asClient(clientId, redirectUri)),
        codeRequest(api, asClient(clientId, redirectUri)).url,
      ]) {
        const page = await ada.open(url);
        assert.equal(page.status, 400, redirectUri);
        assert.match(page.text, /That did not work/);
      }
    }
    const stranger = await ada.open(implicitUrl(api, asClient("oac_0000000000000000000000")));
    assert.equal(stranger.status, 400);
    const docs = await ada.open(implicitUrl(api, { redirect_uri: APP }));
    assert.equal(docs.status, 400, "our own client is answered at our own address alone");
  });

  it("303: is held to the flows it was registered for", async () => {
    for (const flows of [["authorizationCode"], undefined]) {
      const codeOnly = await register({ flows });
      const implicit = answerOf(await ada.open(implicitUrl(api, asClient(codeOnly)), APP));
      assert.equal(implicit.get("access_token"), null);
      assert.ok(implicit.get("error"));
    }
    const implicitOnly = await register({ flows: ["implicit"] });
    const code = answerOf(await ada.open(codeRequest(api, asClient(implicitOnly)).url, APP));
    assert.equal(code.get("code"), null);
    assert.ok(code.get("error"));
  });

  it("200: people see which program they sign in to, and their form may lead there", async () => {
    const clientId = await register({ name: "<b>Reports</b>" });
    const browser = openBrowser(api);
    const page = await browser.open(implicitUrl(api, asClient(clientId, LOCAL)));
    assert.match(page.text, /go on to <strong>&lt;b&gt;Reports&lt;\/b&gt;<\/strong>/);
    const policy = page.headers.get("content-security-policy") ?? "";
    assert.match(
      policy,
      /form-action 'self' https:\/\/passes\.example\.com http:\/\/127\.0\.0\.1:4000;/,
    );
    assert.equal(page.headers.get("cross-origin-opener-policy"), null, "popups can be followed");
    const wrong = await browser.submit(page, { email: "ada@example.com", password: "wrong" });
    assert.equal(wrong.headers.get("content-security-policy"), policy);
    const form = { email: "ada@example.com", password: PASSWORD };
    const done = await browser.submit(wrong, form, LOCAL);
    assert.ok(answerOf(done).get("access_token"));
  });

  it("200: an answer by form may leave for the client, and for nobody else", async () => {
    const clientId = await register();
    const more = { ...asClient(clientId), response_mode: "form_post" };
    const page = await ada.open(codeRequest(api, more).url);
    assert.equal(page.status, 200);
    assert.match(page.text, /<form method="post" action="https:\/\/reports\.example\/callback">/);
    assert.match(
      page.headers.get("content-security-policy") ?? "",
      /form-action 'self' https:\/\/reports\.example https:\/\/passes\.example\.com;/,
    );
    const stranger = codeRequest(api, { ...more, redirect_uri: "https://evil.example/" });
    const refused = await ada.open(stranger.url);
    assert.equal(refused.status, 400);
    assert.doesNotMatch(refused.headers.get("content-security-policy") ?? "", /evil/);
  });

  it("401, 400: once removed nobody signs in through it, and its tokens stop on every node", async () => {
    const clientId = await register();
    const other = await api.node();
    const { body } = await codeTokens(clientId);
    const bearer = body.access_token ?? "";
    for (const node of [api, other]) {
      assert.equal((await node.get("/api/tenants", { bearer })).status, 200);
    }
    await api.delete(`/api/oauthClients/${clientId}`, { key });
    assert.equal((await api.get("/api/tenants", { bearer })).status, 401);
    await sleep(1_000);
    assert.equal((await other.get("/api/tenants", { bearer })).status, 401);
    const refresh = { grant_type: "refresh_token", refresh_token: body.refresh_token ?? "" };
    assert.ok((await askToken(api, { ...asClient(clientId), ...refresh })).status >= 400);
    assert.equal((await ada.open(implicitUrl(api, asClient(clientId)))).status, 400);
  });

  it("200, 400: a page of its own site changes a code for a token, one of another does not", async () => {
    const clientId = await register();
    const ask = async (origin: string) => {
      const { url, verifier } = codeRequest(api, asClient(clientId));
      const code = answerOf(await ada.open(url, APP)).get("code") ?? "";
      return await fetch(`${api.url}/token`, {
        method: "POST",
        headers: { origin },
        body: new URLSearchParams({
          ...asClient(clientId),
          grant_type: "authorization_code",
          code,
          code_verifier: verifier,
        }),
      });
    };
    const own = await ask("https://reports.example");
    assert.equal(own.status, 200, await own.text());
    assert.equal(own.headers.get("access-control-allow-origin"), "https://reports.example");
    for (const origin of ["https://evil.example", "http://reports.example", BASE_URL, "null"]) {
      assert.equal((await ask(origin)).status, 400, origin);
    }
  });

  it("303: a change of its addresses holds for the next who signs in", async () => {
    const clientId = await register();
    const redirectUris = ["https://moved.example/cb"];
    const body = { name: "Moved", redirectUris, flows: ["implicit"] };
    await api.put(`/api/oauthClients/${clientId}`, { key, body });
    assert.equal((await ada.open(implicitUrl(api, asClient(clientId)))).status, 400);
    const moved = implicitUrl(api, asClient(clientId, "https://moved.example/cb"));
    assert.ok(answerOf(await ada.open(moved, "https://moved.example/cb")).get("access_token"));
  });
});
