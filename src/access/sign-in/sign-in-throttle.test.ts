import assert from "node:assert/strict";
import { after, beforeEach, describe, it } from "node:test";
import { lowerPasswordCost } from "#src/access/administrators/administrator.password.ts";
import type { Browser, Page } from "#test/support/browser.ts";
import {
  answerOf,
  codeRequest,
  createFirstAdministrator,
  openBrowser,
  PASSWORD,
} from "#test/support/people.ts";
import { startApi, type TestApi } from "#test/support/start-api.ts";

const BASE_URL = "https://passes.example.com";
const CALLBACK = `${BASE_URL}/console/callback`;
const ADA = "ada@example.com";
const HOME = "192.0.2.1";
const ELSEWHERE = "198.51.100.7";
const DAY_MS = 86_400_000;

/**
 * Goes on with each reading alone, so that no wait ends because the machine is slow. From noon on,
 * because guesses of one account are counted by the day.
 */
let nowMs = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;
const clock = { now: () => new Date(++nowMs) };
const api = await startApi({ after }, { clock, env: { BASE_URL, TRUST_PROXY: "1" } });
await createFirstAdministrator(api);

type Visitor = { readonly browser: Browser; readonly page: Page };

/** A browser that no account knows, at the sign-in page. */
async function visit(address: string, at: TestApi = api): Promise<Visitor> {
  return await show(openBrowser(at).from(address), at);
}

async function show(browser: Browser, at: TestApi = api): Promise<Visitor> {
  return { browser, page: await browser.open(codeRequest(at, { prompt: "login" }).url) };
}

/** A browser that has signed in before. */
async function knownBrowser(): Promise<Browser> {
  const visitor = await visit(HOME);
  assert.ok(isIn(await enter(visitor)));
  return visitor.browser;
}

const enter = ({ browser, page }: Visitor, email = ADA, password = PASSWORD): Promise<Page> =>
  browser.submit(page, { email, password }, CALLBACK);

const guess = ({ browser, page }: Visitor, email = ADA, address = HOME): Promise<Page> =>
  browser.from(address).submit(page, { email, password: "a wrong guess" }, CALLBACK);

const isIn = (page: Page): boolean => page.status === 303 && answerOf(page).has("code");

/** Addresses of different networks. */
const network = (index: number): string => `10.${index >> 8}.${index & 255}.1`;

async function inBatches<Result>(count: number, one: (index: number) => Promise<Result>) {
  const results: Result[] = [];
  for (let from = 0; from < count; from += 20) {
    const size = Math.min(20, count - from);
    results.push(...(await Promise.all(Array.from({ length: size }, (_, at) => one(from + at)))));
  }
  return results;
}

function countOf(pages: readonly Page[], status: number): number {
  return pages.filter((page) => page.status === status).length;
}

/** As after so many wrong guesses from elsewhere on this day. */
async function guessedElsewhere(failures: number, email = ADA): Promise<void> {
  const subject = `account-day ${clock.now().toISOString().slice(0, 10)} ${email}`;
  await api.sql(
    `insert into sign_in_attempt
     values (sha256(convert_to($1, 'UTF8')), $2, $3, '-infinity')`,
    [subject, failures, clock.now()],
  );
}

describe("guesses of one account", () => {
  beforeEach(async () => {
    await api.sql("delete from sign_in_attempt");
  });

  it("303: after 200 from one address, sent at once, the holder at another one is let in", async () => {
    const stranger = await visit(ELSEWHERE);
    const pages = await Promise.all(
      Array.from({ length: 200 }, () => guess(stranger, ADA, ELSEWHERE)),
    );
    assert.deepEqual([countOf(pages, 401), countOf(pages, 429)], [5, 195]);
    assert.ok(isIn(await enter(await visit(HOME))));
    const again = await enter(await visit(ELSEWHERE));
    assert.equal(again.status, 429, "even the right password waits where it was guessed");
    assert.match(again.text, /Too many attempts. Wait \d+ seconds/);
  });

  it("303: after one from each of 500 networks, the holder is let in, whatever the browser", async () => {
    const known = await knownBrowser();
    const stranger = await visit(ELSEWHERE);
    const pages = await inBatches(500, (index) => guess(stranger, ADA, network(index)));
    assert.equal(countOf(pages, 401), 500);
    assert.ok(isIn(await enter(await visit(HOME))), "an unknown browser");
    assert.ok(isIn(await enter(await show(known.from(network(0))))), "a known browser");
    const warnings = api.logLines.filter((line) => line.includes("guessed from many places"));
    assert.equal(warnings.length, 1);
    assert.ok(!warnings.join().includes(ADA));
  });

  it("429: on a day of many guesses, a network has two, then waits an hour", async () => {
    await guessedElsewhere(200);
    const stranger = await visit(ELSEWHERE);
    const statuses: number[] = [];
    for (const address of ["10.1.1.1", "10.1.1.2", "10.1.1.3"]) {
      statuses.push((await guess(stranger, ADA, address)).status);
    }
    assert.deepEqual(statuses, [401, 401, 429]);
    const refused = await guess(stranger, ADA, "10.1.1.4");
    assert.match(refused.headers.get("retry-after") ?? "", /^3(600|59\d)$/);
    assert.match(refused.text, /Wait 60 minutes/);
    assert.equal((await guess(stranger, ADA, "10.1.2.1")).status, 401, "another network");
    const sixth = ["2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:1:3::1"];
    const statuses6 = await Promise.all(sixth.map((address) => guess(stranger, ADA, address)));
    assert.deepEqual(statuses6.map(({ status }) => status).sort(), [401, 401, 429]);
  });

  it("429: with 2,000 on one day unknown browsers wait, known ones do not, and a new day begins anew", async () => {
    const known = await knownBrowser();
    await api.sql("delete from sign_in_attempt");
    await guessedElsewhere(2_000);
    assert.equal((await guess(await visit(ELSEWHERE), ADA, ELSEWHERE)).status, 401);
    const refused = await enter(await visit(HOME));
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get("retry-after")) <= 20);
    assert.ok(isIn(await enter(await show(known))));
    nowMs += DAY_MS;
    assert.ok(isIn(await enter(await visit(HOME))));
  });

  it("401, 429: an account that is not there waits as one that is", async () => {
    await guessedElsewhere(1_998);
    await guessedElsewhere(1_998, "nobody@example.com");
    const answers: string[][] = [];
    for (const email of [ADA, "nobody@example.com"]) {
      const lines: string[] = [];
      // The lookup of known browsers runs, and must not make a difference either.
      const { browser } = await visit(ELSEWHERE);
      browser.setCookie("billfold_known_aaaaaaaaaaaaaaaa", "a".repeat(43), "/interaction");
      const visitor = await show(browser);
      for (const address of ["1", "1", "1", "2", "2", "3"].map((last) => `10.9.${last}.1`)) {
        const page = await guess(visitor, email, address);
        lines.push(`${page.status} ${roughly(page.headers.get("retry-after"))}`);
      }
      answers.push(lines);
    }
    assert.deepEqual(answers[0], answers[1]);
    assert.deepEqual(new Set(answers[0]?.map((line) => line.slice(0, 3))), new Set(["401", "429"]));
  });

  it("429: capital letters make no other account of it", async () => {
    const visitor = await visit(HOME);
    const spellings = [
      "ada@example.com",
      "ADA@example.com",
      "Ada@Example.com",
      " aDa@EXAMPLE.COM ",
    ];
    const pages: Page[] = [];
    for (let index = 0; index < 6; index += 1) {
      pages.push(await guess(visitor, spellings[index % 4]));
    }
    assert.deepEqual([countOf(pages, 401), countOf(pages, 429)], [5, 1]);
  });

  it("429: addresses that a caller invents are not believed without a proxy", async (t) => {
    const plain = await startApi(t, { env: { BASE_URL } });
    await createFirstAdministrator(plain);
    const stranger = await visit(ELSEWHERE, plain);
    const pages = await inBatches(20, (index) => guess(stranger, ADA, network(index)));
    assert.deepEqual([countOf(pages, 401), countOf(pages, 429)], [5, 15]);
  });
});

describe("guesses from one address", () => {
  beforeEach(async () => {
    await api.sql("delete from sign_in_attempt");
  });

  it("303: when they have used up what the address may do, known browsers there are let in", async () => {
    const known = await knownBrowser();
    const stranger = await visit(HOME);
    const pages = await inBatches(60, (index) => guess(stranger, `n${index}@example.com`));
    assert.deepEqual([countOf(pages, 401), countOf(pages, 429)], [30, 30]);
    assert.equal((await enter(await visit(HOME))).status, 429, "an unknown browser");
    assert.ok(isIn(await enter(await show(known))), "a known browser");
  });

  it("303: passwords of strangers, waiting for their check, hold up neither a known browser nor another address", async (t) => {
    const [stranger, own, fresh] = [
      await visit(ELSEWHERE),
      await show(await knownBrowser()),
      await visit(HOME),
    ];
    // Strangers name accounts that do not exist, and a check for them costs what a new hash does.
    lowerPasswordCost(15);
    t.after(() => lowerPasswordCost(10));
    let answered = 0;
    const guesses = Array.from({ length: 60 }, async (_, index) => {
      const address = network(index % 2);
      const page = await guess(stranger, `n${index}@example.com`, address);
      answered += 1;
      return page;
    });
    while (answered < 2) await new Promise((resolve) => setImmediate(resolve));
    const answeredBefore = async (visitor: Visitor) => {
      assert.ok(isIn(await enter(visitor)));
      return answered;
    };
    const seen = await Promise.all([answeredBefore(own), answeredBefore(fresh)]);
    const pages = await Promise.all(guesses);
    assert.ok(Math.max(...seen) < 30, `${seen} of 60 were answered before`);
    assert.ok(pages.every(({ status }) => status === 401 || status === 503));
  });
});

/** The seconds of a wait, without those that the test itself took. */
function roughly(seconds: string | null): string {
  return seconds === null ? "at once" : `${Math.ceil(Number(seconds) / 10)} times ten seconds`;
}
