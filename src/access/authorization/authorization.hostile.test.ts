import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { codeRequest, createFirstAdministrator, implicitUrl } from "#test/support/people.ts";
import { startApi } from "#test/support/start-api.ts";

const BASE_URL = "https://passes.example.com";

const api = await startApi({ after }, { env: { BASE_URL } });
const { browser: ada } = await createFirstAdministrator(api);

/** Encoded as in an address or a form. The last text is half of a surrogate pair. */
const TEXTS = ["%00", "a%00", "oac_%00", "%FF", "%", "'", "%F0%9F%99%82", "%ED%A0%80"];
const LONG = "x".repeat(10_000);

function post(path: string, body: string): Promise<Response> {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return fetch(`${api.url}${path}`, { method: "POST", headers, body });
}

function get(path: string): Promise<Response> {
  return fetch(`${api.url}${path}`, { redirect: "manual" });
}

describe("a client_id that no client can have", () => {
  it("400, 401: is an unknown client, whatever stands in it", async () => {
    for (const id of [...TEXTS, LONG]) {
      const page = await get(`/authorize?client_id=${id}`);
      assert.equal(page.status, 400, `/authorize ${id}`);
      assert.match(await page.text(), /invalid_client/);
      const out = await get(`/sign-out?client_id=${id}`);
      assert.equal(out.status, 400, `/sign-out ${id}`);
      for (const [path, more] of [
        ["/token", "grant_type=authorization_code"],
        ["/token", "grant_type=refresh_token&refresh_token=x"],
        ["/token/revocation", "token=x"],
      ] as const) {
        const sent = await post(path, `client_id=${id}&${more}`);
        assert.equal(sent.status, 401, `${path} ${id}`);
        assert.partialDeepStrictEqual(await sent.json(), { error: "invalid_client" });
      }
    }
  });
});

describe("hostile text in the other places of a sign-in", () => {
  it("4xx: a code, a token, a secret of a page that nobody was given", async () => {
    for (const text of [...TEXTS, LONG, "x".repeat(100_000)]) {
      const client = "client_id=billfold-console&redirect_uri=x";
      for (const [path, body] of [
        ["/token", `${client}&grant_type=authorization_code&code_verifier=${text}&code=${text}`],
        ["/token", `${client}&grant_type=refresh_token&refresh_token=${text}&scope=${text}`],
        ["/token", `${client}&grant_type=${text}`],
        ["/token/revocation", `${client}&token=${text}&token_type_hint=${text}`],
        ["/sign-out/confirm", `xsrf=${text}&logout=${text}`],
      ] as const) {
        const { status } = await post(path, body);
        const isKnownNothing = path === "/token/revocation" && status === 200;
        assert.ok(isKnownNothing || (status >= 400 && status < 500), `${status} ${path} ${text}`);
      }
      for (const path of [
        `/sign-in/${text}`,
        `/interaction/${text}`,
        `/authorize/${text}`,
        `/sign-out?id_token_hint=${text}`,
        `/sign-out?post_logout_redirect_uri=${text}`,
      ]) {
        const { status } = await get(path);
        assert.ok(status === 200 || (status >= 400 && status < 500), `${status} ${path}`);
      }
    }
  });

  it("below 500: every parameter of a request to sign in, by somebody who is signed in", async () => {
    const names = ["state", "nonce", "scope", "audience", "resource", "login_hint", "prompt"];
    const rare = ["max_age", "id_token_hint", "claims", "acr_values", "ui_locales", "request"];
    for (const text of ["\0", "a\0", "\u{1f642}", LONG]) {
      for (const name of [...names, ...rare, "response_mode", "response_type", "redirect_uri"]) {
        for (const url of [
          implicitUrl(api, { [name]: text }),
          codeRequest(api, { [name]: text }).url,
        ]) {
          const page = await ada.open(url, `${BASE_URL}/`);
          const isAnswer = page.status < 500 && page.status !== 429;
          assert.ok(isAnswer, `${page.status} ${name}=${text.slice(0, 20)}`);
          assert.doesNotMatch(decodeURIComponent(page.url.replaceAll("+", " ")), /went wrong/);
        }
      }
    }
  });
});
