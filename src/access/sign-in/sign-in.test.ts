import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import pg from "pg";
import type { Page } from "#test/support/browser.ts";
import {
  answerOf,
  codeRequest,
  createFirstAdministrator,
  firstRunLink,
  openBrowser,
  PASSWORD,
} from "#test/support/people.ts";
import { startApi, type TestApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";

const env = { BASE_URL: "https://passes.example.com" };
const REFUSED = /The e-mail address or the password is not right/;

describe("the first-run link", () => {
  it("200, 303: makes the first Global Administrator, once", async (t) => {
    const api = await startApi(t, { env });
    const link = await firstRunLink(api);
    const second = await firstRunLink(api);
    assert.match(link, /^https:\/\/passes\.example\.com\/sign-in\/[\w-]{43}$/);
    const browser = openBrowser(api);
    const page = await browser.open(link);
    assert.equal(page.status, 200);
    assert.match(page.text, /Welcome to Billfold/);

    const form = { name: "Ada <b>", email: "Ada@Example.com", password: PASSWORD };
    const done = await browser.submit(
      page,
      { ...form, repeat: PASSWORD },
      `${env.BASE_URL}/console`,
    );
    assert.equal(done.status, 303);
    assert.equal(done.url, `${env.BASE_URL}/console`);

    const { body } = await api.get("/api/administrators", { key: api.operatorKey });
    assert.equal(body.length, 1);
    assert.equal(body[0].email, "Ada@Example.com");
    assert.equal(body[0].role, "global");
    assert.equal(body[0].invited, false);
    assert.ok(!JSON.stringify(body).includes("scrypt"));
    for (const used of [link, second]) {
      assert.equal((await openBrowser(api).open(used)).status, 410);
      assert.equal((await openBrowser(api).submit(page, form)).status, 410);
    }
    const signedIn = await browser.open(codeRequest(api).url, `${env.BASE_URL}/console/callback`);
    assert.ok(answerOf(signedIn).get("code"), "the browser is signed in already");
  });

  it("303: of two who use links at the same moment, one becomes administrator", async (t) => {
    const api = await startApi(t, { env });
    const links = await Promise.all([firstRunLink(api), firstRunLink(api)]);
    const pages = await Promise.all(
      links.map(async (link, index) => {
        const browser = openBrowser(api);
        const form = { name: "N", email: `n${index}@example.com`, password: PASSWORD };
        const page = await browser.open(link);
        return browser.submit(page, { ...form, repeat: PASSWORD }, `${env.BASE_URL}/console`);
      }),
    );
    assert.deepEqual(pages.map(({ status }) => status).sort(), [303, 410]);
  });

  it("422: says by field what is wrong and stays usable", async (t) => {
    const api = await startApi(t, { env });
    const browser = openBrowser(api);
    const page = await browser.open(await firstRunLink(api));
    const form = { name: "", email: "nobody", password: "short", repeat: "" };
    const again = await browser.submit(page, form);
    assert.equal(again.status, 422);
    for (const id of ["name", "email", "password"]) {
      assert.match(again.text, new RegExp(`id="${id}-error"`));
      assert.match(again.text, new RegExp(`aria-describedby="[^"]*${id}-error"`));
    }
    assert.ok(!again.text.includes("short"), "a password is never sent back");
    const typo = { name: "Ada", email: "a@b.c", password: PASSWORD, repeat: `${PASSWORD}.` };
    assert.match((await browser.submit(again, typo)).text, /not the same/);
    assert.equal((await browser.open(page.url)).status, 200);
  });

  it("422: refuses a common password and one with the name or the address in it, and says why", async (t) => {
    const api = await startApi(t, { env });
    const browser = openBrowser(api);
    const page = await browser.open(await firstRunLink(api));
    const person = { name: "Ada Lovelace", email: "countess@example.com" };
    for (const [password, reason] of [
      ["P4ssw0rd2026!", /id="password-error">That is a common password/],
      ["my lovelace poems", /id="password-error">That contains “Lovelace”, a part of your name/],
      ["COUNTESS-of-1843", /id="password-error">That contains “countess”, a part of your e-mail/],
    ] as const) {
      const again = await browser.submit(page, { ...person, password, repeat: password });
      assert.equal(again.status, 422);
      assert.match(again.text, reason);
      assert.ok(!again.text.includes(password), "a password is never sent back");
    }
    const form = { ...person, password: PASSWORD, repeat: PASSWORD };
    assert.equal((await browser.submit(page, form, `${env.BASE_URL}/console`)).status, 303);

    const invited = { email: "grace@example.com", name: "Grace Hopper", role: "global" };
    const { body } = await api.post("/api/administrators", { key: api.operatorKey, body: invited });
    const password = "the hopper of bugs";
    const link = await browser.open(body.invitation.url);
    const again = await browser.submit(link, { name: "X", password, repeat: password });
    assert.equal(again.status, 422);
    assert.match(again.text, /“Hopper”, a part of your name/);
  });

  it("503: a link that could not be used up stays usable, and says when to try again", async (t) => {
    const api = await startApi(t, { env });
    const browser = openBrowser(api);
    const page = await browser.open(await firstRunLink(api));
    const repair = await refuseInserts(api, "administrator");
    const form = { name: "Ada", email: "ada@example.com", password: PASSWORD, repeat: PASSWORD };
    const again = await browser.submit(page, form);
    assert.equal(again.status, 503);
    assert.match(again.headers.get("retry-after") ?? "", /^\d+$/);
    assert.match(again.text, /value="ada@example\.com"/);
    await repair();
    assert.equal((await browser.submit(again, form, `${env.BASE_URL}/console`)).status, 303);
  });

  it("503: without a session, says that the password is set and shows no form again", async (t) => {
    const api = await startApi(t, { env });
    const browser = openBrowser(api);
    const page = await browser.open(await firstRunLink(api));
    const repair = await refuseInserts(api, "authorization_record");
    const form = { name: "Ada", email: "ada@example.com", password: PASSWORD, repeat: PASSWORD };
    const done = await browser.submit(page, form);
    assert.equal(done.status, 503);
    assert.match(done.headers.get("retry-after") ?? "", /^\d+$/);
    assert.match(done.text, /<h1>Your password is set<\/h1>/);
    assert.ok(!done.text.includes("<form"));
    await repair();
    assert.equal((await browser.open(page.url)).status, 410);
    const signIn = await browser.open(codeRequest(api).url);
    const callback = `${env.BASE_URL}/console/callback`;
    assert.ok(answerOf(await browser.submit(signIn, form, callback)).get("code"));
  });

  it("410: an expired link and one that never was show the same page", async (t) => {
    const api = await startApi(t, { env });
    const link = await firstRunLink(api);
    await api.sql("update sign_in_link set expires_at = now() - interval '1 second'");
    const expired = await openBrowser(api).open(link);
    const unknown = await openBrowser(api).open(`${env.BASE_URL}/sign-in/${"a".repeat(43)}`);
    assert.equal(expired.status, 410);
    assert.deepEqual([unknown.status, unknown.text], [410, expired.text]);
    assert.equal((await openBrowser(api).open(`${env.BASE_URL}/sign-in/x`)).status, 410);
  });
});

describe("an invitation", () => {
  it("303: sets a password for a fixed address, ends older sessions, works once", async (t) => {
    const api = await startApi(t, { env });
    const { browser: ada } = await createFirstAdministrator(api);
    const { body } = await api.get("/api/administrators", { key: api.operatorKey });
    const path = `/api/administrators/${body[0].id}/invitation`;
    const first = await api.post(path, { key: api.operatorKey });
    const { status, body: invitation } = await api.post(path, { key: api.operatorKey });
    assert.equal(status, 201);
    assert.equal((await openBrowser(api).open(first.body.url)).status, 410);

    const browser = openBrowser(api);
    const page = await browser.open(invitation.url);
    assert.match(page.text, /value="ada@example\.com"[^>]* readonly/);
    const password = "another long password";
    const form = { email: "eve@example.com", password, repeat: password };
    const done = await browser.submit(page, form, `${env.BASE_URL}/console`);
    assert.equal(done.status, 303);
    const after = await api.get("/api/administrators", { key: api.operatorKey });
    assert.equal(after.body[0].email, "ada@example.com");
    assert.equal((await browser.open(invitation.url)).status, 410);
    assert.match((await ada.open(codeRequest(api).url)).text, /<h1>Sign in<\/h1>/);
  });
});

const api = await startApi({ after }, { env });
await createFirstAdministrator(api);

describe("the sign-in page", () => {
  it("200: needs no script, no other site, and cannot be framed", async () => {
    const page = await openBrowser(api).open(codeRequest(api).url);
    assert.equal(page.status, 200);
    const policy = page.headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.ok(!policy.includes("unsafe"));
    assert.ok(
      !/<script|style=|https?:\/\/(?!passes)/.test(page.text.replaceAll(/href="data:[^"]*"/g, "")),
    );
    assert.match(page.text, /<label for="email">/);
    assert.match(page.text, /autocomplete="current-password"/);
    assert.equal(page.headers.get("cache-control"), "no-store");
  });

  it("303: cookies are Secure, HttpOnly and SameSite under an https address", async () => {
    const browser = openBrowser(api);
    const page = await browser.open(codeRequest(api).url);
    const email = "ADA@example.com";
    const callback = `${env.BASE_URL}/console/callback`;
    const done = await browser.submit(page, { email, password: PASSWORD }, callback);
    assert.ok(answerOf(done).get("code"));
    const set = browser.setCookies.filter((cookie) => !/=;/.test(cookie));
    assert.ok(set.some((cookie) => cookie.startsWith("billfold_session=")));
    for (const cookie of set) assert.match(cookie, /samesite=(lax|strict); secure; httponly/i);
  });

  it("403: a form that stands on another site is not accepted", async () => {
    const browser = openBrowser(api);
    const page = await browser.open(codeRequest(api).url);
    for (const headers of [{ origin: "https://evil.example" }, { origin: "null" }, {}]) {
      const sent = await fetch(page.url.replace(env.BASE_URL, api.url), {
        method: "POST",
        headers: headers as Record<string, string>,
        body: new URLSearchParams({ email: "ada@example.com", password: PASSWORD }),
      });
      assert.equal(sent.status, 403);
    }
  });

  it("400: a page that ran out, or of another browser, says to start again", async () => {
    const page = await openBrowser(api).open(codeRequest(api).url);
    const other = await openBrowser(api).submit(page, { email: "a@b.c", password: "x" });
    assert.equal(other.status, 400);
    assert.match(other.text, /start again/);
  });

  it("303: somebody who is signed in and goes back to that page is sent to the console", async () => {
    const browser = openBrowser(api);
    const page = await browser.open(codeRequest(api).url);
    const entry = { email: "ada@example.com", password: PASSWORD };
    await browser.submit(page, entry, `${env.BASE_URL}/console/callback`);
    const home = `${env.BASE_URL}/console`;
    const { status, url } = await browser.open(page.url, home);
    assert.deepEqual([status, url], [303, home]);
    // What was typed may be of somebody else than the session knows.
    assert.equal((await browser.submit(page, entry)).status, 400);
  });

  it("401: a wrong password and an unknown address get the same page", async () => {
    const wrong = { password: "not the password" };
    const pages = await Promise.all(
      ["ada@example.com", "bob@example.com"].map(async (email) => {
        const browser = openBrowser(api);
        const page = await browser.open(codeRequest(api).url);
        const answer = await browser.submit(page, { ...wrong, email });
        return { status: answer.status, text: normalize(answer.text, email) };
      }),
    );
    assert.equal(pages[0]?.status, 401);
    assert.match(pages[0]?.text ?? "", REFUSED);
    assert.deepEqual(pages[0], pages[1]);
  });

  it("429: after five failures the account waits for that address, on every node, then the right password works", async () => {
    const second = await api.node();
    const email = "ada@example.com";
    await api.sql("delete from sign_in_attempt");
    const browser = openBrowser(api);
    const page = await browser.open(codeRequest(api).url);
    const tries = [api, second, api, second, api, second].map(({ url }) => browser.at(url));
    const guesses = await Promise.all(
      tries.map((at, index) => at.submit(page, { email, password: `guess number ${index}` })),
    );
    const statuses = guesses.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429]);
    assert.equal(await blockedSeconds(email), 10);

    // On a busy machine, the checks above may take longer than the wait, so the wait starts again.
    await api.sql(`
      update sign_in_attempt set blocked_until = now() + interval '10 seconds'
       where blocked_until > last_at
    `);
    const refused = await browser.submit(page, { email, password: PASSWORD });
    assert.equal(refused.status, 429);
    const seconds = Number(refused.headers.get("retry-after"));
    assert.ok(seconds >= 1 && seconds <= 10, `${seconds}`);
    assert.match(refused.text, /Too many attempts/);
    const unknown = await browser.submit(page, { email: "bob@example.com", password: "x" });
    assert.equal(unknown.status, 401, "others go on");

    await api.sql("update sign_in_attempt set blocked_until = now()");
    const callback = `${env.BASE_URL}/console/callback`;
    const done = await browser.submit(page, { email, password: PASSWORD }, callback);
    assert.ok(answerOf(done).get("code"));
    const left = await api.sql("select failures from sign_in_attempt order by failures");
    assert.ok(left.length > 0 && left.every(({ failures }) => Number(failures) < 9));
  });

  it("429: the wait doubles up to a quarter of an hour and no further", async () => {
    const waits: Record<number, number> = {};
    const browser = openBrowser(api);
    const page = await browser.open(codeRequest(api).url);
    for (const failures of [4, 5, 9, 2_000]) {
      const email = `carol${failures}@example.com`;
      await api.sql(
        "insert into sign_in_attempt values (sha256(convert_to($1, 'UTF8')), $2, now(), now())",
        [`account-address 127.0.0.1 ${email}`, failures],
      );
      assert.equal((await browser.submit(page, { email, password: "x" })).status, 401);
      waits[failures] = await blockedSeconds(email);
    }
    assert.deepEqual(waits, { 4: 10, 5: 20, 9: 320, 2000: 900 });
  });

  it("303: the last attempt before the wait of an address starts no wait if it is right", async () => {
    await failAtAddress(29);
    for (const attempt of ["first", "second"]) {
      assert.ok(answerOf(await signInAs("ada@example.com", PASSWORD)).get("code"), attempt);
    }
  });

  it("429: a right password does not end the wait that wrong guesses beside it began", async (t) => {
    await failAtAddress(28);
    // Both attempts are counted before either password is read.
    const other = new pg.Client(api.database.connection);
    await other.connect();
    t.after(() => other.end());
    await other.query("begin; lock table administrator in access exclusive mode");
    const right = signInAs("ada@example.com", PASSWORD);
    await addressFailures(29);
    const wrong = signInAs("bob@example.com", "x");
    await addressFailures(30);
    await other.query("rollback");

    assert.ok(answerOf(await right).get("code"));
    assert.equal((await wrong).status, 401);
    assert.equal((await signInAs("carol@example.com", "x")).status, 429);
    await api.sql("delete from sign_in_attempt");
  });

  it("303: prompt=login asks again, prompt=consent does not, prompt=none shows nothing", async () => {
    const browser = openBrowser(api);
    const callback = `${env.BASE_URL}/console/callback`;
    const none = await browser.open(codeRequest(api, { prompt: "none" }).url, callback);
    assert.equal(answerOf(none).get("error"), "login_required");
    const page = await browser.open(codeRequest(api).url);
    await browser.submit(page, { email: "ada@example.com", password: PASSWORD }, callback);
    for (const prompt of ["none", "consent"]) {
      const done = await browser.open(codeRequest(api, { prompt }).url, callback);
      assert.ok(answerOf(done).get("code"), prompt);
    }
    const again = await browser.open(
      codeRequest(api, { prompt: "login", login_hint: '"><b>' }).url,
    );
    assert.match(again.text, /<h1>Sign in<\/h1>/);
    assert.match(again.text, /value="&quot;&gt;&lt;b&gt;"/);
  });
});

/** The database has no memory for new rows of the table until the function returned is called. */
async function refuseInserts(api: TestApi, table: string): Promise<() => Promise<void>> {
  await api.sql(`
    create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'out of memory' using errcode = '53200'; end $$;
    create trigger refuse before insert on ${table} execute function refuse()
  `);
  return async () => void (await api.sql("drop function refuse cascade"));
}

async function signInAs(email: string, password: string): Promise<Page> {
  const browser = openBrowser(api);
  const page = await browser.open(codeRequest(api).url);
  return browser.submit(page, { email, password }, `${env.BASE_URL}/console/callback`);
}

/** The failures so far of the address that all tests come from. */
async function failAtAddress(failures: number): Promise<void> {
  await api.sql("delete from sign_in_attempt");
  await api.sql(
    `insert into sign_in_attempt
     values (sha256(convert_to('address 127.0.0.1', 'UTF8')), $1, now(), '-infinity')`,
    [failures],
  );
}

/** Returns as soon as the address has so many failures. */
async function addressFailures(sought: number): Promise<void> {
  const query = `select failures from sign_in_attempt
                  where subject = sha256(convert_to('address 127.0.0.1', 'UTF8'))`;
  await until(async () => Number((await api.sql(query))[0]?.failures) === sought);
}

async function blockedSeconds(email: string): Promise<number> {
  const [row] = await api.sql(
    `select extract(epoch from blocked_until - last_at) as seconds
       from sign_in_attempt where subject = sha256(convert_to($1, 'UTF8'))`,
    [`account-address 127.0.0.1 ${email}`],
  );
  return Math.round(Number(row?.seconds));
}

function normalize(text: string, email: string): string {
  return text.replaceAll(email, "someone").replaceAll(/interaction\/[\w-]+/g, "interaction/1");
}
