import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { contestIdentifiers } from "#test/support/contested-identifiers.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
const CUSTOMERS = "/api/acme/customers";
const NOBODY = "cus_0000000000000000000000";
const key = api.operatorKey;

await api.seed.tenant("acme");

let lastNumber = 0;
const newNumber = () => {
  lastNumber += 1;
  return `N${lastNumber}`;
};

const create = (body: unknown = {}, headers = {}) => api.post(CUSTOMERS, { key, body, headers });

async function made(body: Record<string, unknown> = {}) {
  const answer = await create({ identifiers: { "crm.id": newNumber() }, ...body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

const patch = (customerId: string, body: unknown, headers = {}) =>
  api.patch(`${CUSTOMERS}/${customerId}`, { key, body, headers });

const eventsOf = (customerId: string) =>
  api.sql("select name, data, previous from event where subject = $1 order by sequence", [
    customerId,
  ]);

const EVERYTHING = {
  email: "ada@example.com",
  phone: "+442071234567",
  firstName: "Ada",
  lastName: "Lovelace",
  locale: "en-GB",
  consents: { newsletter: { granted: true, at: "2026-01-31T09:30:00.000Z", source: "till" } },
};

describe("POST /api/:tenantId/customers (customer.create)", () => {
  it("201: the record, its address, its version and one event", async () => {
    const identifiers = { "crm.id": newNumber(), "shop.account.number": "77" };
    const { status, body, headers } = await create({ ...EVERYTHING, identifiers });
    assert.equal(status, 201);
    const { customerId, createdAt, updatedAt, version, ...rest } = body;
    assert.deepEqual(rest, { ...EVERYTHING, identifiers });
    assert.match(customerId, /^cus_\w{22}$/);
    assert.equal(headers.get("location"), `${CUSTOMERS}/${customerId}`);
    assert.deepEqual([version, createdAt], [1, updatedAt]);
    assert.ok(headers.get("etag"));
    assert.deepEqual(await eventsOf(customerId), [
      { name: "customer.created", data: body, previous: null },
    ]);
  });

  it("201: nothing has to be known, and languages and times are written one way", async () => {
    const { body } = await create({
      locale: "de-ch",
      consents: { terms: { granted: false, at: "2026-01-31T10:30:00+01:00" } },
    });
    assert.deepEqual([body.email, body.identifiers, body.locale], [null, {}, "de-CH"]);
    assert.deepEqual(body.consents, { terms: { granted: false, at: "2026-01-31T09:30:00.000Z" } });
  });

  it("409: an identifier that another customer has names the holder", async () => {
    const { customerId, identifiers } = await made();
    const taken = await create({ identifiers: { ...identifiers, "a.free": "1" } });
    assert.equal(taken.status, 409);
    const { code, customerId: holder, identifier } = taken.body;
    assert.deepEqual(
      [code, holder, identifier],
      ["customer.identifier-taken", customerId, "crm.id"],
    );
    await made({ identifiers: { "a.free": "1" } });
  });

  it("409: fifty at once with one identifier make one customer and one event", async () => {
    const identifiers = { "crm.id": newNumber() };
    const all = await Promise.all(Array.from({ length: 50 }, () => create({ identifiers })));
    const [first, ...others] = all.filter(({ status }) => status === 201);
    assert.equal(others.length, 0);
    const refused = all.filter(({ status }) => status === 409);
    assert.equal(refused.length, 49);
    assert.ok(refused.every(({ body }) => body.customerId === first?.body.customerId));
    assert.equal((await eventsOf(first?.body.customerId)).length, 1);
  });

  it("503: an identifier that others take and give up all the time names nobody", async () => {
    const identifiers = { "crm.id": newNumber() };
    const { customerId } = await made();
    const stop = await contestIdentifiers(api, "customer_identifier");
    for (const { status, body, headers } of [
      await create({ identifiers }),
      await patch(customerId, { identifiers }),
    ]) {
      assert.deepEqual(
        [status, body.code, body.customerId],
        [503, "service.unavailable", undefined],
      );
      assert.match(body.detail, /identifiers/);
      assert.equal(headers.get("retry-after"), "1");
    }
    await stop();
    await made({ identifiers });
  });

  const many = (count: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`crm.k${at}`, value]));
  const consent = { granted: true, at: "2026-01-31T09:30:00Z" };
  const REFUSED: readonly [string, unknown, string][] = [
    ["an unknown member", { age: 7 }, "age"],
    ["an address that is none", { email: "ada at example" }, "email"],
    ["a phone number without its country", { phone: "02071234567" }, "phone"],
    ["a phone number with too many digits", { phone: `+4${"4".repeat(15)}` }, "phone"],
    ["a phone number with spaces", { phone: "+44 20 7123 4567" }, "phone"],
    ["an empty name", { firstName: "" }, "firstName"],
    ["a name without an end", { lastName: "x".repeat(201) }, "lastName"],
    ["a language that is none", { locale: "en_GB" }, "locale"],
    ["a language nobody can write", { locale: "en-a" }, "locale"],
    ["an identifier without a source", { identifiers: { id: "1" } }, "identifiers.id"],
    ["an identifier that is a number", { identifiers: { "crm.id": 1 } }, "identifiers.crm.id"],
    ["51 identifiers", { identifiers: many(51, "v") }, "identifiers"],
    ["51 consents", { consents: many(51, consent) }, "consents"],
    ["a consent without a time", { consents: { a: { granted: true } } }, "consents.a.at"],
    ["a consent that is a word", { consents: { a: "yes" } }, "consents.a"],
    ["a consent with a strange name", { consents: { "a b": consent } }, "consents.a b"],
    [
      "a time that does not exist",
      { consents: { a: { ...consent, at: "2026-02-30T00:00:00Z" } } },
      "consents.a.at",
    ],
  ];
  for (const [about, sent, field] of REFUSED) {
    it(`400: ${about} names ${field}`, async () => {
      const { status, body, text } = await create(sent);
      assert.equal(status, 400, text);
      assert.ok(Object.hasOwn(body.errors, field), text);
    });
  }
});

describe("GET /api/:tenantId/customers/:customerId (customer.get)", () => {
  it("200: the record; 304 to whoever has it", async () => {
    const customer = await made(EVERYTHING);
    const path = `${CUSTOMERS}/${customer.customerId}`;
    const { status, body, headers } = await api.get(path, { key });
    assert.deepEqual([status, body], [200, customer]);
    const known = { "if-none-match": headers.get("etag") ?? "" };
    assert.equal((await api.get(path, { key, headers: known })).status, 304);
  });

  it("404: another tenant's customer looks exactly like one that does not exist", async () => {
    const { customerId } = await made();
    await api.seed.tenant("rival");
    const reader = await api.seed.key("rival", "Customer.Read");
    const foreign = await api.get(`/api/rival/customers/${customerId}`, { key: reader });
    const missing = await api.get(`/api/rival/customers/${NOBODY}`, { key: reader });
    assert.deepEqual([foreign.status, missing.status], [404, 404]);
    assert.deepEqual([foreign.body.code, missing.body.code], Array(2).fill("customer.not-found"));
  });
});

describe("GET /api/:tenantId/customers (customer.list)", () => {
  const find = async (query: string) => {
    const { status, body, text } = await api.get(`${CUSTOMERS}?${query}`, { key });
    assert.equal(status, 200, text);
    return body.map(({ customerId }: { customerId: string }) => customerId);
  };
  const filter = (field: string, operator: string, value: string) =>
    `filter[0].field=${field}&filter[0].operator=${operator}&filter[0].value=${encodeURIComponent(value)}`;

  it("200: found by each of its members", async () => {
    const mark = newNumber();
    const at = "2026-01-31T09:30:00.000Z";
    const identifiers = { "crm.id": mark, "list.id": mark };
    const customer = await made({
      ...EVERYTHING,
      identifiers,
      email: `${mark}@example.com`,
      lastName: mark,
      consents: { [mark]: { granted: true, at } },
    });
    const finds: readonly [string, string, string][] = [
      ["customerId", "equals", customer.customerId],
      ["email", "startsWith", `${mark}@`],
      ["lastName", "equals", mark],
      ["identifiers.list.id", "equals", mark],
      ["identifiers.list.id", "exists", "true"],
      [`consents.${mark}`, "equals", "true"],
    ];
    for (const [field, operator, value] of finds) {
      const found = await find(filter(field, operator, value));
      assert.deepEqual(found, [customer.customerId], field);
    }
    const all = await find(`${filter("phone", "equals", EVERYTHING.phone)}&pageSize=500`);
    assert.ok(all.includes(customer.customerId));
    assert.deepEqual(await find(filter("identifiers.list.id", "equals", "nobody's")), []);
  });

  it("200: the newest first, or as asked, page by page", async () => {
    const mark = newNumber();
    const ids: string[] = [];
    for (const lastName of ["b", "c", "a"]) {
      ids.push((await made({ lastName, firstName: mark })).customerId);
    }
    const mine = filter("firstName", "equals", mark);
    assert.deepEqual(await find(mine), ids.toReversed());
    const sorted = `${mine}&sortBy[0].field=lastName&sortBy[0].direction=ASC`;
    assert.deepEqual(await find(sorted), [ids[2], ids[0], ids[1]]);
    const page = await api.get(`${CUSTOMERS}?${sorted}&pageSize=2`, { key });
    assert.equal(page.headers.get("x-pagination-total"), "3");
    const [, next = ""] = /<([^>]+)>/.exec(page.headers.get("link") ?? "") ?? [];
    const rest = await api.get(next.replace(/^https?:\/\/[^/]+/, ""), { key });
    assert.deepEqual(
      rest.body.map(({ customerId }: { customerId: string }) => customerId),
      [ids[1]],
    );
  });

  it("400: a field that does not exist", async () => {
    const { status } = await api.get(`${CUSTOMERS}?${filter("age", "equals", "7")}`, { key });
    assert.equal(status, 400);
  });
});

describe("PATCH /api/:tenantId/customers/:customerId (customer.update)", () => {
  it("200: merges, deletes what is null, and tells what was before", async () => {
    const before = await made({ ...EVERYTHING, identifiers: { "a.a": newNumber(), "b.b": "2" } });
    const changed = await patch(before.customerId, {
      firstName: "Augusta",
      phone: null,
      identifiers: { "b.b": null, "c.c": "3" },
      consents: { newsletter: null },
    });
    assert.equal(changed.status, 200, changed.text);
    const { body } = changed;
    assert.deepEqual(
      [body.firstName, body.phone, body.lastName, body.version],
      ["Augusta", null, "Lovelace", 2],
    );
    assert.deepEqual(body.identifiers, { "a.a": before.identifiers["a.a"], "c.c": "3" });
    assert.deepEqual(body.consents, {});
    const [, updated, ...others] = await eventsOf(before.customerId);
    assert.equal(others.length, 0);
    assert.deepEqual(updated, { name: "customer.updated", data: body, previous: before });
    await made({ identifiers: { "b.b": "2" } });
  });

  it("200: what changes nothing makes no version and no event", async () => {
    const before = await made(EVERYTHING);
    const same = { ...EVERYTHING, identifiers: before.identifiers, locale: "EN-gb" };
    const { status, body, headers } = await patch(before.customerId, same);
    assert.deepEqual([status, body], [200, before]);
    assert.ok(headers.get("etag"));
    assert.equal((await eventsOf(before.customerId)).length, 1);
  });

  it("409: an identifier of someone else changes nothing", async () => {
    const [holder, other] = [await made(), await made()];
    const taken = await patch(other.customerId, { identifiers: holder.identifiers, email: null });
    assert.deepEqual([taken.status, taken.body.customerId], [409, holder.customerId]);
    const { body } = await api.get(`${CUSTOMERS}/${other.customerId}`, { key });
    assert.deepEqual(body, other);
  });

  it("200: two who exchange their identifiers at once end with one each", async () => {
    const [left, right] = [await made(), await made()];
    await Promise.all([
      patch(left.customerId, { identifiers: right.identifiers }),
      patch(right.customerId, { identifiers: left.identifiers }),
    ]);
    const rows = await api.sql(
      "select count(*)::int as count from customer_identifier where customer_id = any($1)",
      [[left.customerId, right.customerId]],
    );
    assert.deepEqual(rows, [{ count: 2 }]);
  });

  it("412: changed meanwhile", async () => {
    const { customerId } = await made();
    const etag = (await api.get(`${CUSTOMERS}/${customerId}`, { key })).headers.get("etag") ?? "";
    const headers = { "if-match": etag };
    assert.equal((await patch(customerId, { firstName: "A" }, headers)).status, 200);
    assert.equal((await patch(customerId, { firstName: "B" }, headers)).status, 412);
    const path = `${CUSTOMERS}/${customerId}`;
    assert.equal((await api.delete(path, { key, headers })).status, 412);
  });

  it("404: nobody there", async () => {
    assert.equal((await patch(NOBODY, {})).status, 404);
  });
});
