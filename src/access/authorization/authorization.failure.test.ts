import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createBreakableLink } from "#test/support/breakable-link.ts";
import { codeRequest, createFirstAdministrator, implicitUrl } from "#test/support/people.ts";
import { createDatabase, toUrl } from "#test/support/server.ts";
import { startApi, type TestApi } from "#test/support/start-api.ts";

const BASE_URL = "https://passes.example.com";
const CLIENT = "client_id=billfold-console&redirect_uri=x";
const CODE = `${CLIENT}&grant_type=authorization_code&code=${"x".repeat(43)}`;
const FOREIGN = "client_id=oac_0000000000000000000000";

type Person = Awaited<ReturnType<typeof createFirstAdministrator>>["browser"];

/** Sends requests that need the database: pages in a signed-in browser, and calls of programs. */
async function visitAll(api: TestApi, ada: Person) {
  const ask = async (path: string, body: string) => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const sent = await fetch(`${api.url}${path}`, { method: "POST", headers, body });
    return { status: sent.status, headers: sent.headers, text: await sent.text() };
  };
  const pages = await Promise.all([
    ada.open(codeRequest(api).url, `${BASE_URL}/console`),
    ada.open(implicitUrl(api), `${BASE_URL}/docs`),
    ada.open(codeRequest(api, { client_id: "oac_0000000000000000000000" }).url),
    ada.open("/sign-out"),
    ada.open(`/sign-out?${FOREIGN}`),
  ]);
  const answers = await Promise.all([
    ask("/token", CODE),
    ask("/token", `${FOREIGN}&grant_type=authorization_code&code=x`),
    ask("/token/revocation", `${CLIENT}&token=${"x".repeat(43)}`),
  ]);
  return { pages, answers };
}

describe("the authorization server without its database", () => {
  it("503: says so with Retry-After, to people as a page, to programs in OAuth's form", async (t) => {
    const database = await createDatabase();
    const link = await createBreakableLink(database.connection);
    const reached = { ...database, url: toUrl(link.connection) };
    const api = await startApi(t, { env: { BASE_URL }, database: reached });
    const fresh = await startApi(t, { env: { BASE_URL }, database: reached });
    t.after(() => link.close());
    t.after(() => database.drop());
    const { browser: ada } = await createFirstAdministrator(api);
    await ada.open(codeRequest(api).url, `${BASE_URL}/console`);
    link.silence();

    // The node `fresh` has not read its keys from the database yet.
    for (const node of [api, fresh]) {
      const { pages, answers } = await visitAll(node, ada.at(node.url));
      for (const { status, headers, text } of [...pages, ...answers]) {
        assert.equal(status, 503, text);
        assert.match(headers.get("retry-after") ?? "", /^\d+$/);
        assert.match(headers.get("x-request-id") ?? "", /./);
        assert.match(text, /cannot use its database at the moment/);
      }
      for (const { text, headers } of pages) {
        assert.match(text, /<h1>That did not work<\/h1>/);
        assert.match(headers.get("content-security-policy") ?? "", /style-src 'sha256-/);
      }
      for (const { text, headers } of answers) {
        assert.equal(JSON.parse(text).error, "temporarily_unavailable");
        assert.equal(headers.get("cache-control"), "no-store");
      }
    }
    // Ends the silent connections, so that the end of the test does not wait for them.
    await link.cut();
    await link.restore();
  });

  it("500: any other failure is told in our words, and written down", async (t) => {
    const api = await startApi(t, { env: { BASE_URL } });
    const { browser: ada } = await createFirstAdministrator(api);
    await ada.open(codeRequest(api).url, `${BASE_URL}/console`);
    await api.sql("alter table authorization_record rename to lost_record");
    await api.sql("alter table oauth_client rename to lost_client");

    const { pages, answers } = await visitAll(api, ada);
    for (const { status, text } of [...pages, ...answers]) {
      assert.equal(status, 500, text);
      assert.match(text, /server_error/);
      assert.match(text, /Something failed on the server/);
      assert.doesNotMatch(text, /oops|relation|lost/i);
    }
    for (const { text } of pages) assert.match(text, /<h1>That did not work<\/h1>/);
    for (const { text } of answers) assert.equal(JSON.parse(text).error, "server_error");
    assert.ok(api.logLines.some((line) => line.includes("the authorization server failed")));
  });
});
