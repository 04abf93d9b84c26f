import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import {
  describeInBrowser,
  openDocs,
  shareChromium,
  trySending,
  waitForReference,
} from "#test/support/chromium.ts";
import { type OpenIdIssuer, startOpenIdIssuer } from "#test/support/openid-issuer.ts";
import {
  answerOf,
  askToken,
  codeRequest,
  createFirstAdministrator,
  PASSWORD,
} from "#test/support/people.ts";
import { freePort } from "#test/support/product.ts";
import { startApi, type TestApi } from "#test/support/start-api.ts";

const TENANTS = { at: "#tag/tenant/GET/api/tenants" };
const LIST_TENANTS = /Test Request.*get \/api\/tenants\b/;

/** The settings of the OAuth client that the server writes into the page. */
async function clientOf(api: TestApi) {
  const { text: page } = await api.get("/docs");
  const told = /<meta name="sign-in" content="([^"]*)">/.exec(page)?.[1] ?? "";
  return told === "" ? undefined : JSON.parse(told.replaceAll("&quot;", '"'));
}

const port = await freePort();
const api = await startApi({ after }, { env: { PORT: String(port) } });
const { browser: ada, email } = await createFirstAdministrator(api);

describe("the client of /docs", () => {
  it("303, 200: gets tokens by code and PKCE at every name of a developer's computer", async () => {
    const { clientId, callbacks } = await clientOf(api);
    assert.deepEqual(
      callbacks,
      ["localhost", "127.0.0.1", "[::1]"].map((host) => `http://${host}:${port}/docs/callback`),
    );
    for (const redirect_uri of callbacks) {
      const client = { client_id: clientId, redirect_uri };
      const { url, verifier } = codeRequest(api, { ...client, scope: "" });
      const code = answerOf(await ada.open(url, redirect_uri)).get("code") ?? "";
      const fields = { grant_type: "authorization_code", code, code_verifier: verifier };
      const { status, body } = await askToken(api, { ...client, ...fields });
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.refresh_token, undefined);
      assert.equal((await api.get("/api/tenants", { bearer: body.access_token })).status, 200);
    }
  });

  it("400: is answered at no other port, path or host, and in production at BASE_URL alone", async (t) => {
    const { clientId } = await clientOf(api);
    for (const redirect_uri of [
      `http://127.0.0.1:${port + 1}/docs/callback`,
      `http://127.0.0.1:${port}/docs/callback/`,
      `http://127.0.0.2:${port}/docs/callback`,
      `https://localhost:${port}/docs/callback`,
      `http://localhost.example:${port}/docs/callback`,
    ]) {
      const { url } = codeRequest(api, { client_id: clientId, redirect_uri });
      assert.equal((await ada.open(url)).status, 400, redirect_uri);
    }
    const BASE_URL = "https://localhost:8443";
    const production = await startApi(t, { env: { ENVIRONMENT: "production", BASE_URL } });
    assert.deepEqual((await clientOf(production)).callbacks, [`${BASE_URL}/docs/callback`]);
  });

  it("200: with AUTH_ISSUER it is the one of AUTH_CLIENT_ID, or there is none", async (t) => {
    const { url: AUTH_ISSUER } = await startOpenIdIssuer(t);
    const unnamed = await startApi(t, { env: { AUTH_ISSUER } });
    assert.equal(await clientOf(unnamed), undefined);
    const named = await startApi(t, { env: { AUTH_ISSUER, AUTH_CLIENT_ID: `"><docs&1` } });
    assert.match((await named.get("/docs")).text, /&quot;&gt;&lt;docs&amp;1/);
  });
});

/** Clicks Authorize, and returns the window for the sign-in. */
async function authorize(page: Page): Promise<Page> {
  const [opened] = await Promise.all([
    page.context().waitForEvent("page"),
    page.getByRole("button", { name: "Authorize", exact: true }).click(),
  ]);
  return opened;
}

async function fillIn(opened: Page): Promise<void> {
  await opened.locator("#email").fill(email);
  await opened.locator("#password").fill(PASSWORD);
  await opened.getByRole("button", { name: "Sign in" }).click();
}

const signedIn = (page: Page) => page.getByRole("button", { name: "Authorized" });

/** The two endpoints of another issuer. It signs in everyone at once, and checks PKCE. */
async function startForeignSignIn(getIssuer: () => OpenIdIssuer, audience: string) {
  let asked = new URLSearchParams();
  const answerToken = async (request: IncomingMessage) => {
    const sent = new URLSearchParams(await text(request));
    const challenge = createHash("sha256").update(sent.get("code_verifier") ?? "");
    assert.equal(challenge.digest("base64url"), asked.get("code_challenge"));
    assert.equal(sent.get("redirect_uri"), asked.get("redirect_uri"));
    assert.equal(sent.get("client_id"), "docs-at-issuer");
    const scope = asked.get("scope") ?? "";
    const claims = { sub: "eve", aud: audience, roles: ["global-administrator"], scope };
    return { access_token: await getIssuer().sign(claims), expires_in: 600 };
  };
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://issuer");
    if (pathname === "/token") {
      const headers = { "access-control-allow-origin": "*", "content-type": "application/json" };
      response.writeHead(200, headers).end(JSON.stringify(await answerToken(request)));
      return;
    }
    asked = searchParams;
    const back = new URL(asked.get("redirect_uri") ?? "");
    back.searchParams.set("code", "c1");
    back.searchParams.set("state", asked.get("state") ?? "");
    response.writeHead(302, { location: back.href }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describeInBrowser("Authorize on /docs, in a browser", () => {
  const chromium = shareChromium();

  /** The first two tests share a page, because rendering it takes most of their time. */
  let opened: Awaited<ReturnType<typeof openDocs>>;
  before(async () => {
    opened = await openDocs(chromium(), `http://localhost:${port}`, TENANTS);
  });

  it("a window that is closed, or an error, is told and changes nothing", async () => {
    const { page } = opened;
    await (await authorize(page)).close();
    await page.getByText("Not signed in: The window was closed").waitFor();
    const second = await authorize(page);
    await second.locator("#email").waitFor();
    const denied = "/docs/callback#error=access_denied&error_description=%3Cb%3ENo%3C/b%3E";
    await second.evaluate(`void setTimeout(() => location.assign("${denied}"))`);
    await page.getByText("Not signed in: <b>No</b>").waitFor();
    assert.equal(await signedIn(page).count(), 0);
  });

  it("one click signs a person in, and the API is called with the token", async () => {
    const { page, offences } = opened;
    const window = await authorize(page);
    const gone = window.waitForEvent("close");
    await fillIn(window);
    await signedIn(page).waitFor();
    await gone;

    await page.reload();
    await waitForReference(page);
    await signedIn(page).waitFor();
    const answer = await trySending(page, LIST_TENANTS);
    assert.equal(answer.status(), 200);
    assert.match((await answer.request().allHeaders()).authorization ?? "", /^Bearer ey/);

    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Forget" }).click();
    assert.equal(await page.evaluate("JSON.stringify(sessionStorage)"), "{}");
    await authorize(page);
    await signedIn(page).waitFor();
    assert.deepEqual(offences, []);
  });

  it("the same under another name of the computer than the one in BASE_URL", async () => {
    const { page, offences } = await openDocs(chromium(), `http://127.0.0.1:${port}`, TENANTS);
    await fillIn(await authorize(page));
    await signedIn(page).waitFor();
    assert.equal((await trySending(page, LIST_TENANTS)).status(), 200);
    assert.deepEqual(offences, []);
    await page.context().close();
  });

  it("with AUTH_ISSUER people sign in there, by the addresses it names", async (t) => {
    const foreignPort = await freePort();
    const url = `http://localhost:${foreignPort}`;
    const signIn = await startForeignSignIn(() => issuer, `${url}/api/`);
    const issuer = await startOpenIdIssuer(t, {
      metadata: {
        authorization_endpoint: `${signIn}/sign-in`,
        token_endpoint: `${signIn}/token`,
        response_types_supported: ["code"],
      },
    });
    const env = {
      PORT: String(foreignPort),
      AUTH_ISSUER: issuer.url,
      AUTH_CLIENT_ID: "docs-at-issuer",
    };
    await startApi(t, { env });
    const { page } = await openDocs(chromium(), url, TENANTS);
    await page.getByRole("button", { name: "Authorize", exact: true }).click();
    await signedIn(page).waitFor();
    assert.equal((await trySending(page, LIST_TENANTS)).status(), 200);
    await page.context().close();
  });
});
