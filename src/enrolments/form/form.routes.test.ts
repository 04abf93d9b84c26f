import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { FILLED, seedFormTenant, sendForm } from "#test/support/enrolment-form.ts";
import { NAUGHTY_STRINGS } from "#test/support/naughty-strings.ts";
import { startApi } from "#test/support/start-api.ts";
import { FORM_WORDS } from "./form.words.ts";

// Each test is a visitor with an address of its own, so that limits count for its own forms alone.
const api = await startApi({ after }, { env: { TRUST_PROXY: "1" } });
const key = api.operatorKey;
await seedFormTenant(api, "acme");

const { problems } = FORM_WORDS.en;
const FORM = "/e/acme/loyalty";
let visitors = 0;
const newVisitor = () => {
  visitors += 1;
  return { "x-forwarded-for": `10.${visitors}.0.1` };
};
const visitor = newVisitor();

const open = (path: string, headers: Record<string, string> = {}) => api.get(path, { headers });
const send = (
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = newVisitor(),
  path = FORM,
) => sendForm(api, path, fields, headers);

const attemptIn = (text: string) => /name="attempt" value="([^"]+)"/.exec(text)?.[1] ?? "";
let people = 0;
const newPerson = () => {
  people += 1;
  return { ...FILLED, "answer.email": `person${people}@harbour.example` };
};

async function rowsOf(tenantId = "acme"): Promise<Record<string, number>> {
  const tables = ["pass", "customer", "enrolment", "event"];
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const [row] = await api.sql(`select count(*)::int as n from ${table} where tenant_id = $1`, [
      tenantId,
    ]);
    counts[table] = Number(row?.n);
  }
  return counts;
}

async function passAt(location: string | null) {
  const [, id] = /^\.\.\/\.\.\/p\/acme\/([^.]+)\.\w{24}$/.exec(location ?? "") ?? [];
  assert.ok(id !== undefined, String(location));
  return (await api.get(`/api/acme/passes/${id}`, { key })).body;
}

// biome-ignore lint/suspicious/noExplicitAny: events have data of every shape.
type Told = { readonly name: string; readonly data: any };

const eventsOf = async (passId: string) =>
  (await api.sql(
    "select name, data from event where tenant_id = 'acme' and subject = $1 order by sequence",
    [passId],
  )) as Told[];

describe("GET /e/:tenantId/:passType", () => {
  it("200: asks what settings and template say, in the language of the visitor", async () => {
    const english = await open(FORM, { "accept-language": "en-GB" });
    assert.equal(english.status, 200);
    for (const part of ["Come aboard", "First name", "I agree to the rules.", "Your deck"]) {
      assert.ok(english.text.includes(part), part);
    }
    assert.match(english.text, /<option value="Bridge">Bridge<\/option>/);
    assert.match(english.text, /type="email"[^>]* autocomplete="email"/);
    const german = await open(FORM, { "accept-language": "de-AT, en;q=0.5" });
    assert.match(german.text, /<html lang="de">/);
    for (const part of ["Komm an Bord", "Vorname", "Ich bin mit den Regeln", "Dein Deck"]) {
      assert.ok(german.text.includes(part), part);
    }
    const chosen = await open(`${FORM}?lang=de`, { "accept-language": "en" });
    assert.ok(chosen.text.includes("Komm an Bord"));
    const other = await open(FORM, { "accept-language": "fr" });
    assert.ok(other.text.includes("Come aboard") && other.text.includes("First name"));
  });

  it("200: needs no script and no other site, and is neither stored nor found", async () => {
    const { text, headers } = await open(FORM);
    assert.ok(!/<script|\son\w+=/i.test(text), text);
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(
      policy,
      /^default-src 'none'; style-src( 'sha256-\S+')+; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
    );
    const expected = {
      "cache-control": "no-store",
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "set-cookie": null,
    };
    for (const [name, value] of Object.entries(expected)) {
      assert.equal(headers.get(name), value, name);
    }
  });

  it("200: the pictures of the tenant, and none that it does not have", async () => {
    const branding = { "branding/logo.png": { base64: PIXEL } };
    await seedFormTenant(api, "branded", branding);
    const { status, headers } = await open("/e/branded/loyalty/brand.png");
    assert.deepEqual([status, headers.get("content-type")], [200, "image/png"]);
    assert.equal((await open(`${FORM}/brand.png`)).status, 404);
  });

  it("200: a link that cannot be one is as good as none", async () => {
    for (const link of ["%00", "door%00", "%EF%BF%BF", "a", "x".repeat(65)]) {
      assert.equal((await open(`${FORM}?link=${link}`)).status, 200, link);
    }
  });

  it("404: the same page for a tenant, a type and a form that are not there", async () => {
    const paths = [
      "/e/nobody/loyalty",
      "/e/acme/nothing",
      "/e/acme/__proto__",
      "/e/ACME!/loyalty",
      "/e/acme/%00",
    ];
    const pages = await Promise.all(paths.map((path) => open(path)));
    for (const { status, text } of pages) {
      assert.deepEqual([status, text], [404, pages[0]?.text]);
      assert.ok(text.includes(FORM_WORDS.en.missingTitle));
    }
  });
});

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("POST /e/:tenantId/:passType", () => {
  it("303: customer, pass and their link, led to the page of the pass", async () => {
    const filled = { ...FILLED, "answer.phone": "0033 1 42 72 00 00", "answer.points": "12" };
    const { status, headers } = await send(filled, { ...visitor, "accept-language": "de" });
    assert.equal(status, 303);
    const pass = await passAt(headers.get("location"));
    assert.deepEqual(pass.additionalData, {
      firstName: "Ada",
      email: "ada@harbour.example",
      phone: "+33142720000",
      points: 12,
    });
    assert.match(pass.identifiers["loyalty.number"], /^40[1-9]\d{9}$/);
    const { at, consents, ...origin } = pass.metadata.enrolment;
    assert.equal(at, pass.creationDate);
    assert.deepEqual(origin, { link: null, source: null, storeId: null, language: "de" });
    assert.deepEqual(consents, {
      terms: {
        granted: true,
        text: "Ich bin mit den Regeln einverstanden.",
        url: "https://harbour.example/rules",
      },
      news: { granted: false, text: "Schreibt mir." },
    });
    const events = await eventsOf(pass.id);
    assert.deepEqual(
      events.map(({ name }) => name),
      ["pass.created", "enrolment.completed"],
    );
    assert.deepEqual(events[0]?.data.metadata, pass.metadata);
    const { customerId } = events[1]?.data ?? {};
    const { body: customer } = await api.get(`/api/acme/customers/${customerId}`, { key });
    assert.deepEqual(
      [customer.email, customer.phone, customer.firstName, customer.lastName, customer.locale],
      ["ada@harbour.example", "+33142720000", "Ada", null, "de"],
    );
    assert.deepEqual(customer.consents.terms, {
      granted: true,
      at,
      source: "Enrolment form",
      text: "Ich bin mit den Regeln einverstanden.",
    });
    const { body: passes } = await api.get(`/api/acme/customers/${customerId}/passes`, { key });
    assert.deepEqual(
      passes.map(({ id }: { id: string }) => id),
      [pass.id],
    );
    const landing = new URL(headers.get("location") ?? "", `${api.url}${FORM}`);
    assert.equal((await open(landing.pathname)).status, 200);
  });

  it("422: tells every mistake, beside its field and in a list of links, and keeps what was typed", async () => {
    const before = await rowsOf();
    const { status, text } = await send({
      "answer.firstName": "x".repeat(61),
      "answer.lastName": "Love<lace",
      "answer.email": "ada@",
      "answer.phone": "12 34",
      "answer.tier": "Cellar",
      "answer.points": "many",
      "consent.news": "yes",
    });
    assert.equal(status, 422);
    const expected = {
      "answer-firstName": problems["too-long"].replace("{max}", "60"),
      "answer-email": problems.email,
      "answer-phone": problems.phone,
      "answer-tier": problems.choice,
      "answer-points": problems.integer,
    };
    for (const [id, message] of Object.entries(expected)) {
      const [, said = ""] = message.split("{label}: ");
      assert.ok(text.includes(`<a href="#${id}">`), id);
      assert.match(text, new RegExp(`id="${id}"[^>]*aria-describedby="[^"]*${id}-error"`));
      assert.ok(text.toLowerCase().includes(said.toLowerCase()), said);
    }
    assert.match(text, /id="consent-terms"[^>]* aria-invalid="true"/);
    assert.match(text, /id="consent-news"[^>]* checked/);
    assert.ok(text.includes('value="Love&lt;lace"') && text.includes('value="ada@"'));
    assert.match(text, /<title>Please check: /);
    assert.deepEqual(await rowsOf(), before);
  });

  it("422: nothing that a visitor sends becomes part of the page but text", async () => {
    const texts = NAUGHTY_STRINGS.filter(({ length }) => length < 4_000);
    for (const hostile of [...texts.slice(0, 120), '"><img src=x onerror=alert(1)>']) {
      const fields = { "answer.firstName": hostile, "answer.email": hostile, lang: hostile };
      const { status, text } = await send({ ...fields, attempt: hostile, [hostile]: hostile });
      assert.equal(status, 422, hostile);
      assert.ok(
        !/<img|<script|<svg|\son\w+="/i.test(
          text.replace(/<section class="pass"[\s\S]*?<\/section>/, ""),
        ),
        hostile,
      );
    }
  });

  it("422: a body that is no form is an empty form", async () => {
    const { status, text } = await api.post(FORM, { body: { "answer.email": "a@b.example" } });
    assert.deepEqual([status, text.includes('value="a@b.example"')], [422, false]);
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`x${at}`, "1"]));
    assert.equal((await send({ ...FILLED, ...many })).status, 422);
    const large = await send({ ...FILLED, "answer.lastName": "x".repeat(70_000) });
    assert.equal(large.status, 413);
  });

  it("409: the same person gets no second pass, and a stranger is not led to the first", async () => {
    const person = newPerson();
    const first = await send(person);
    const pass = await passAt(first.headers.get("location"));
    const before = await rowsOf();
    const shouted = { ...person, "answer.email": person["answer.email"].toUpperCase() };
    for (const again of [person, { ...shouted, "answer.firstName": "Eve" }]) {
      const { status, text, headers } = await send(again);
      assert.deepEqual([status, headers.get("location")], [409, null]);
      assert.ok(text.includes(FORM_WORDS.en.knownTitle));
      assert.ok(!text.includes(pass.id) && !text.includes(pass.secret));
    }
    const { event, ...rows } = await rowsOf();
    const { event: eventsBefore = 0, ...rowsBefore } = before;
    assert.deepEqual([rows, event], [rowsBefore, eventsBefore + 2]);
    const told = (await eventsOf(pass.id)).at(-1);
    assert.deepEqual([told?.name, told?.data.passId], ["enrolment.repeated", pass.id]);
    assert.ok(!JSON.stringify(told?.data).includes("harbour.example"));
    const { body } = await api.get(`/api/acme/passes/${pass.id}`, { key });
    assert.deepEqual(body, pass);
  });

  it("303: the same form sent twice leads to the same pass, for an hour", async () => {
    const attempt = attemptIn((await open(FORM)).text);
    const person = { ...newPerson(), attempt };
    const [first, second] = [await send(person), await send(person)];
    assert.deepEqual([first.status, second.status], [303, 303]);
    assert.equal(first.headers.get("location"), second.headers.get("location"));
    const other = await send({ ...newPerson(), attempt });
    assert.notEqual(other.headers.get("location"), first.headers.get("location"));
    await api.sql(
      "update enrolment set created_at = created_at - interval '61 minutes' where tenant_id = 'acme'",
    );
    assert.equal((await send(person)).status, 409);
  });

  it("303: of twenty forms of one person at once, one makes a pass", async () => {
    const person = newPerson();
    const before = await rowsOf();
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(person)));
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [303, ...Array(19).fill(409)]);
    const { pass, customer } = await rowsOf();
    assert.deepEqual([pass, customer], [(before.pass ?? 0) + 1, (before.customer ?? 0) + 1]);
  });

  it("303: passes of two types are of one customer, also if both are made at once", async () => {
    const settings = `passTypes:
  loyalty: { fields: [ { member: firstName }, { member: email } ], identifiers: { loyalty.number: { digits: 10 } } }
  coupon: { fields: [ { member: email } ], data: { validUntil: "2099-01-01" } }
`;
    await seedFormTenant(api, "two", { "server/enrolment.yml": settings });
    const fields = { "answer.firstName": "Ada", "answer.email": "ada@two.example" };
    const sent = ["/e/two/loyalty", "/e/two/coupon"].map((path) =>
      send(fields, newVisitor(), path),
    );
    for (const { status, text } of await Promise.all(sent)) assert.equal(status, 303, text);
    const { pass, customer } = await rowsOf("two");
    assert.deepEqual([pass, customer], [2, 1]);
  });

  it("303: without e-mail address and phone number nobody is recognised, and each form is a pass", async () => {
    const before = await rowsOf();
    const path = "/e/acme/coupon";
    const attempt = attemptIn((await open(path)).text);
    const fields = { "answer.offer": "Tea", attempt };
    const [first, repeated] = [
      await send(fields, newVisitor(), path),
      await send(fields, newVisitor(), path),
    ];
    assert.equal(first.headers.get("location"), repeated.headers.get("location"));
    const other = await send({ "answer.offer": "Tea" }, newVisitor(), path);
    assert.deepEqual([first.status, other.status], [303, 303]);
    const { pass, customer } = await rowsOf();
    assert.deepEqual([pass, customer], [(before.pass ?? 0) + 2, (before.customer ?? 0) + 2]);
  });

  it("303: whoever was erased may enrol again", async () => {
    const person = newPerson();
    const pass = await passAt((await send(person)).headers.get("location"));
    assert.equal((await send(person)).status, 409);
    const [entry] = await eventsOf(pass.id);
    assert.ok(entry);
    assert.equal((await api.delete(`/api/acme/passes/${pass.id}`, { key })).status, 204);
    const left = await api.sql(
      "select 1 from enrolment where tenant_id = 'acme' and pass_id = $1",
      [pass.id],
    );
    assert.deepEqual(left, []);
    const again = await send(person);
    assert.equal(again.status, 303);
    assert.notEqual((await passAt(again.headers.get("location"))).id, pass.id);
  });

  it("403: a form of another website is not taken", async () => {
    const before = await rowsOf();
    const foreign = [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "https://evil.example" },
      { origin: "null" },
    ];
    for (const headers of foreign) {
      const { status, text } = await send(newPerson(), { ...newVisitor(), ...headers });
      assert.equal(status, 403, JSON.stringify(headers));
      assert.ok(text.includes(FORM_WORDS.en.foreign));
    }
    assert.deepEqual(await rowsOf(), before);
    const own = { origin: api.url, "sec-fetch-site": "same-origin" };
    assert.equal((await send(newPerson(), { ...newVisitor(), ...own })).status, 303);
  });

  it("303: nothing of the visitor's address is kept, and the log tells nothing of answers", async () => {
    const secretive = { ...newPerson(), "answer.firstName": "Xylophonia" };
    const network = { "x-forwarded-for": "203.0.113.77" };
    const { headers } = await send(secretive, network);
    const pass = await passAt(headers.get("location"));
    const audit = await api.sql(
      "select ip from audit where tenant_id = 'acme' and target = 'pass:' || $1",
      [pass.id],
    );
    assert.ok(audit.length > 0 && audit.every(({ ip }) => !String(ip ?? "").includes("203.0.113")));
    const log = api.logLines.join("");
    assert.ok(!log.includes("Xylophonia") && !log.includes(secretive["answer.email"]));
    assert.ok(!log.includes(pass.secret));
  });
});
