import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { lowerPasswordCost } from "#src/access/administrators/administrator.password.ts";
import {
  answerOf,
  codeRequest,
  createFirstAdministrator,
  openBrowser,
  PASSWORD,
} from "#test/support/people.ts";
import { startApi } from "#test/support/start-api.ts";

const BASE_URL = "https://passes.example.com";
const CALLBACK = `${BASE_URL}/console/callback`;
const api = await startApi({ after }, { env: { BASE_URL, TRUST_PROXY: "1" } });
await createFirstAdministrator(api);

describe("guesses from two addresses", () => {
  it("303: hold up no other address while they wait for their check", async (t) => {
    const at = async (address: string) => {
      const browser = openBrowser(api).from(address);
      return { browser, page: await browser.open(codeRequest(api).url) };
    };
    const [stranger, holder] = [await at("198.51.100.7"), await at("192.0.2.1")];
    // Strangers name accounts that do not exist, and a check for them costs what a new hash does.
    lowerPasswordCost(15);
    t.after(() => lowerPasswordCost(10));
    let answered = 0;
    const guesses = Array.from({ length: 60 }, async (_, index) => {
      const sent = { email: `n${index}@example.com`, password: "a wrong guess" };
      const page = await stranger.browser.from(`10.0.${index % 2}.1`).submit(stranger.page, sent);
      answered += 1;
      return page;
    });
    while (answered < 2) await new Promise((resolve) => setImmediate(resolve));
    const right = { email: "ada@example.com", password: PASSWORD };
    const done = await holder.browser.submit(holder.page, right, CALLBACK);
    const answeredBefore = answered;
    const pages = await Promise.all(guesses);
    assert.ok(answerOf(done).has("code"), `${done.status}`);
    assert.ok(answeredBefore < 30, `${answeredBefore} of 60 were answered before`);
    assert.ok(pages.every(({ status }) => status === 401 || status === 503));
  });
});
