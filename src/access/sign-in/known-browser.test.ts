import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { connect } from "node:net";
import { after, beforeEach, describe, it } from "node:test";
import type { Browser, Page } from "#test/support/browser.ts";
import {
  answerOf,
  codeRequest,
  createFirstAdministrator,
  joinByInvitation,
  openBrowser,
  PASSWORD,
} from "#test/support/people.ts";
import { startApi } from "#test/support/start-api.ts";

const BASE_URL = "https://passes.example.com";
const CALLBACK = `${BASE_URL}/console/callback`;
const ADA = "ada@example.com";
const GRACE = "grace@example.com";
const NAME = /^billfold_known_[\w-]{16}$/;
const DAY_MS = 86_400_000;

/** Goes on with each reading alone, so that no wait ends because the machine is slow. From noon on. */
let nowMs = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;
const clock = { now: () => new Date(++nowMs) };
const api = await startApi({ after }, { clock, env: { BASE_URL, TRUST_PROXY: "1" } });
const { browser: first } = await createFirstAdministrator(api);
const grace = await joinByInvitation(api, { email: GRACE, name: "Grace Hopper", role: "global" });

async function enter(browser: Browser, email = ADA, password = PASSWORD): Promise<Page> {
  const page = await browser.open(codeRequest(api, { prompt: "login" }).url);
  return browser.submit(page, { email, password }, CALLBACK);
}

const isIn = (page: Page): boolean => page.status === 303 && answerOf(page).has("code");

async function signedIn(email = ADA): Promise<Browser> {
  const browser = openBrowser(api);
  assert.ok(isIn(await enter(browser, email)));
  return browser;
}

const knownCookies = (browser: Browser) => browser.cookies.filter(({ name }) => NAME.test(name));

function knownCookie(browser: Browser): { name: string; value: string } {
  const [cookie] = knownCookies(browser);
  if (cookie === undefined) throw new Error("No account knows this browser.");
  return cookie;
}

/** A new browser that has a copy of the cookies by which another one is known. */
function thief(...cookies: { name: string; value: string }[]): Browser {
  const browser = openBrowser(api);
  for (const { name, value } of cookies) browser.setCookie(name, value, "/interaction");
  return browser;
}

/** While others guess the password everywhere, the right one is of use in known browsers alone. */
async function isKnown(browser: Browser, email = ADA): Promise<boolean> {
  const subject = `account-day ${clock.now().toISOString().slice(0, 10)} ${email}`;
  await api.sql(
    `insert into sign_in_attempt
     values (sha256(convert_to($1, 'UTF8')), 5000, $2::timestamptz, $2::timestamptz + interval '1 hour')
     on conflict (subject) do update set blocked_until = excluded.blocked_until`,
    [subject, clock.now()],
  );
  const page = await enter(browser, email);
  await api.sql("delete from sign_in_attempt where subject = sha256(convert_to($1, 'UTF8'))", [
    subject,
  ]);
  assert.ok(page.status === 429 || isIn(page), `${page.status}`);
  return isIn(page);
}

function startWithoutAttempts(): void {
  beforeEach(async () => {
    await api.sql("delete from sign_in_attempt");
  });
}

describe("a browser in which an administrator has signed in", () => {
  startWithoutAttempts();

  it("303: is known after the first-run link, an invitation and a password", async () => {
    assert.ok(await isKnown(first));
    assert.ok(await isKnown(grace.browser, GRACE));
    assert.ok(await isKnown(await signedInBefore()));
    assert.ok(!(await isKnown(openBrowser(api))));
  });

  it("303: has a cookie for the sign-in page alone, for 180 days, which is no credential", async () => {
    const browser = await signedIn();
    const set = browser.setCookies.find((cookie) => cookie.startsWith("billfold_known_")) ?? "";
    assert.match(
      set,
      /^billfold_known_[\w-]{16}=[\w-]{43}; path=\/interaction; expires=[^;]+; samesite=strict; secure; httponly$/,
    );
    const days = (Date.parse(/expires=([^;]+)/.exec(set)?.[1] ?? "") - Date.now()) / DAY_MS;
    assert.ok(days > 179.9 && days <= 180, `${days}`);

    const { name, value } = knownCookie(browser);
    const [row] = await api.sql("select id from administrator where email = $1", [ADA]);
    assert.ok(!name.includes(String(row?.id)));
    const stored = await api.sql("select known_browser::text as text from known_browser");
    assert.ok(stored.some(({ text }) => String(text).includes(hash("sha256", value))));
    const traces = [
      ...stored,
      ...(await api.sql("select audit::text from audit")),
      ...api.logLines,
    ].map((trace) => JSON.stringify(trace));
    assert.ok(!traces.join().includes(value));

    const page = await thief({ name, value }).open(codeRequest(api).url);
    assert.match(page.text, /<h1>Sign in<\/h1>/);
    const { status } = await api.get("/api/me", { headers: { cookie: `${name}=${value}` } });
    assert.equal(status, 401);
  });

  it("401: nothing is set for a wrong password, and nothing shows that the browser is known", async () => {
    const [knownOne, unknown] = [await signedIn(), openBrowser(api)];
    const pages: string[] = [];
    for (const browser of [knownOne, unknown]) {
      const before = browser.setCookies.length;
      const page = await enter(browser, ADA, "wrong");
      assert.equal(page.status, 401);
      assert.ok(!browser.setCookies.slice(before).some((cookie) => NAME.test(cookie)));
      pages.push(page.text.replaceAll(/interaction\/[\w-]+/g, ""));
    }
    assert.equal(pages[0], pages[1]);
  });

  it("401, 429: is worth five guesses, and then counts as unknown; sent at once, too", async () => {
    const copy = knownCookie(await signedIn());
    const browser = thief(copy);
    const page = await browser.open(codeRequest(api).url);
    const guesses = await Promise.all(
      Array.from({ length: 40 }, () =>
        browser.submit(page, { email: ADA, password: "a wrong guess" }),
      ),
    );
    const statuses = guesses.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 401).length, 5 + 5);
    assert.equal(statuses.filter((status) => status === 429).length, 30);
    // It is as good as none at another address, too, and the holder is no worse off than without.
    assert.ok(!(await isKnown(thief(copy).from("10.0.0.1"))));
    assert.ok(isIn(await enter(thief(copy).from("10.0.0.2"))));
  });

  it("303: counts as known again after its wait, which doubles up to a day", async () => {
    const browser = await signedIn();
    for (let index = 0; index < 5; index += 1) await enter(browser, ADA, "wrong");
    assert.ok(!(await isKnown(browser)));
    nowMs += 11_000;
    assert.ok(await isKnown(browser));

    const { value } = knownCookie(browser);
    const subject = `browser ${hash("sha256", value)}`;
    await api.sql(
      "insert into sign_in_attempt values (sha256(convert_to($1, 'UTF8')), 40, $2, $2)",
      [subject, clock.now()],
    );
    await enter(browser, ADA, "wrong");
    const [row] = await api.sql(
      `select extract(epoch from blocked_until - last_at)::int as seconds from sign_in_attempt
        where subject = sha256(convert_to($1, 'UTF8'))`,
      [subject],
    );
    assert.equal(row?.seconds, 86_400);
  });
});

describe("a cookie of a known browser", () => {
  startWithoutAttempts();

  it("429: is worth nothing at another account", async () => {
    const cookie = knownCookie(await signedIn());
    assert.ok(!(await isKnown(thief(cookie), GRACE)));
    const named = knownCookie(await signedIn(GRACE));
    assert.ok(!(await isKnown(thief({ ...cookie, name: named.name }), GRACE)));
    assert.ok(await isKnown(thief(cookie)));
  });

  it("429: is worth nothing if it was changed, whatever it is", async () => {
    const { name, value } = knownCookie(await signedIn());
    const other = value.startsWith("a") ? "b" : "a";
    for (const changed of [
      other + value.slice(1),
      value.slice(0, -1),
      `${value}=`,
      `"${value}"`,
      value.repeat(90),
      "x".repeat(4_096),
      "%00",
      "'; drop table known_browser; --",
      "",
    ]) {
      assert.ok(!(await isKnown(thief({ name, value: changed }))), changed.slice(0, 60));
    }
    const many = Array.from({ length: 120 }, (_, index) => ({
      name: `billfold_known_${String(index).padStart(16, "0")}`,
      value: "a".repeat(43),
    }));
    assert.ok(!(await isKnown(thief(...many))), "many cookies");
    assert.match(await rawRequest(`${name}=${value}\0`), /^HTTP\/1.1 400 /);
    assert.ok(await isKnown(thief({ name, value })), "as it was");
  });

  it("303: is replaced by each sign-in, and the former one is worth nothing", async () => {
    const browser = await signedIn();
    const former = knownCookie(browser);
    assert.ok(isIn(await enter(browser)));
    assert.notEqual(knownCookie(browser).value, former.value);
    assert.ok(!(await isKnown(thief(former))));
    assert.ok(await isKnown(browser));
  });

  it("303: of one account stays beside that of another, and of ten at most", async () => {
    let browser = await signedIn();
    // Another person does not go on with the session, but with the other cookies of the browser.
    const change = async (email: string) => {
      browser = thief(...knownCookies(browser));
      assert.ok(isIn(await enter(browser, email)), email);
    };
    await change(GRACE);
    assert.ok(await isKnown(thief(...knownCookies(browser))));
    assert.ok(await isKnown(browser, GRACE));
    await change(ADA);
    const emails = Array.from({ length: 9 }, (_, index) => `n${index}@example.com`);
    for (const email of emails) {
      await joinByInvitation(api, { email, name: "N", role: "global" });
      await change(email);
    }
    assert.equal(knownCookies(browser).length, 10);
    assert.ok(!(await isKnown(thief(...knownCookies(browser)))), "the first one is forgotten");
    assert.ok(await isKnown(thief(...knownCookies(browser)), GRACE));
    assert.ok(await isKnown(browser, emails.at(-1)));
  });

  it("429: ends after 180 days", async () => {
    const browser = await signedIn();
    nowMs += 179 * DAY_MS;
    assert.ok(await isKnown(browser));
    nowMs += 181 * DAY_MS;
    assert.ok(!(await isKnown(browser)));
  });

  it("429: ends when twenty others have signed in since", async () => {
    const browser = await signedIn();
    const { value } = knownCookie(browser);
    for (let index = 0; index < 20; index += 1) await signedIn();
    assert.ok(!(await isKnown(browser)));
    const rows = await api.sql("select token_hash from known_browser where administrator_id = $1", [
      await idOf(ADA),
    ]);
    assert.equal(rows.length, 20);
    assert.ok(
      !rows.some(({ token_hash: stored }) =>
        hash("sha256", value, "buffer").equals(stored as Buffer),
      ),
    );
  });

  it("429: ends with a new password, when the account is disabled, and with the account", async () => {
    const key = api.operatorKey;
    const person = { email: "eve@example.com", name: "Eve", role: "global" } as const;
    const { id, browser } = await joinByInvitation(api, person);
    const path = `/api/administrators/${id}`;
    const stored = () => api.sql("select from known_browser where administrator_id = $1", [id]);

    const { body } = await api.post(`${path}/invitation`, { key });
    assert.ok(await isKnown(browser, person.email), "until the link is used");
    const other = openBrowser(api);
    const chosen = { password: PASSWORD, repeat: PASSWORD };
    await other.submit(await other.open(body.url), chosen, `${BASE_URL}/console`);
    assert.ok(!(await isKnown(browser, person.email)), "a new password");
    assert.ok(await isKnown(other, person.email), "the browser that chose it");

    assert.equal((await api.put(path, { key, body: { ...person, disabled: true } })).status, 200);
    assert.deepEqual(await stored(), []);
    await api.put(path, { key, body: person });
    assert.ok(!(await isKnown(other, person.email)), "disabled for a while");

    assert.ok(isIn(await enter(other, person.email)));
    assert.equal((await stored()).length, 1);
    assert.equal((await api.delete(path, { key })).status, 204);
    assert.deepEqual(await stored(), []);
  });

  it("429: ends with a password that a process of an earlier version has set", async () => {
    const browser = await signedIn();
    assert.ok(await isKnown(browser));
    await api.sql("update administrator set tokens_valid_from = $1 where email = $2", [
      new Date(clock.now().getTime() + 1),
      ADA,
    ]);
    assert.ok(!(await isKnown(browser)));
  });
});

async function signedInBefore(): Promise<Browser> {
  const browser = await signedIn();
  await browser.open(`${BASE_URL}/sign-out`);
  return browser;
}

async function idOf(email: string): Promise<unknown> {
  return (await api.sql("select id from administrator where email = $1", [email]))[0]?.id;
}

/** For cookies that no client would send. */
function rawRequest(cookie: string): Promise<string> {
  const { hostname, port } = new URL(api.url);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(Number(port), hostname, () => {
    socket.write(`POST /interaction/x HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n\r\n`);
  });
  socket.on("data", (data) => {
    resolve(data.toString("latin1"));
    socket.destroy();
  });
  socket.on("error", reject);
  return promise;
}
