import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
const PASSES = "/api/acme/passes";
const NOBODY = "ps_00000000000000000000000";

await seedPassTenant(api, "acme");

let lastNumber = 0;
function body(more: object = {}) {
  lastNumber += 1;
  return {
    identifiers: { "loyalty.number": `A${lastNumber}` },
    additionalData: { firstName: "Ada" },
    ...more,
  };
}

const create = (sent: unknown, query = "passType=loyalty", headers = {}) =>
  api.post(`${PASSES}?${query}`, { key: api.operatorKey, body: sent, headers });

const eventsOf = (passId: string) =>
  api.sql("select name, data, previous from event where subject = $1 order by sequence", [passId]);

describe("POST /api/:tenantId/passes (pass.create)", () => {
  it("201: the record, its address and one event", async () => {
    const sent = body();
    const { status, body: pass, headers } = await create(sent);
    assert.equal(status, 201);
    assert.match(pass.id, /^[\w-]{5,50}$/);
    assert.equal(headers.get("location"), `${PASSES}/${pass.id}`);
    assert.deepEqual(pass.identifiers, sent.identifiers);
    assert.deepEqual([pass.status, pass.version, pass.passType], ["active", 1, "loyalty"]);
    assert.equal(pass.secret.length, 24);
    const years = new Date(pass.expirationDate).getFullYear() - new Date().getFullYear();
    assert.equal(years, 2);

    const [event, ...others] = await eventsOf(pass.id);
    assert.equal(others.length, 0);
    const { secret: _, links: __, ...shown } = pass;
    assert.deepEqual([event?.name, event?.data], ["pass.created", shown]);
  });

  it("201: expires when its data says so, or when it is told", async () => {
    const at = "2031-05-01T10:00:00.000Z";
    const data = { additionalData: { validUntil: at } };
    assert.equal((await create(data, "passType=coupon")).body.expirationDate, at);
    const never = { ...data, expirationDate: null };
    assert.equal((await create(never, "passType=coupon")).body.expirationDate, null);
    const past = { expirationDate: "2020-01-01T00:00:00Z" };
    assert.equal((await create(past, "passType=coupon")).body.status, "expired");
  });

  it("409: an identifier that is unique names its holder, or leads to it", async () => {
    const sent = body();
    const { body: first } = await create(sent);
    const again = await create(sent);
    assert.equal(again.status, 409);
    assert.deepEqual([again.body.code, again.body.passId], ["pass.identifier-taken", first.id]);
    const found = await create(sent, "passType=loyalty&onConflict=return");
    assert.deepEqual([found.status, found.body.id, found.body.version], [200, first.id, 1]);
    const changed = { ...sent, additionalData: { firstName: "Grace" } };
    const updated = await create(changed, "passType=loyalty&onConflict=update");
    assert.deepEqual([updated.status, updated.body.id, updated.body.version], [200, first.id, 2]);
    assert.equal(updated.body.additionalData.firstName, "Grace");
    assert.deepEqual(
      (await eventsOf(first.id)).map(({ name }) => name),
      ["pass.created", "pass.updated"],
    );
  });

  it("409: fifty at once with one identifier make one pass and one event", async () => {
    const sent = body();
    const all = await Promise.all(Array.from({ length: 50 }, () => create(sent)));
    const made = all.filter(({ status }) => status === 201);
    assert.equal(made.length, 1);
    assert.equal(all.filter(({ status }) => status === 409).length, 49);
    const rows = await api.sql(
      "select name from event where name = 'pass.created' and data -> 'identifiers' = $1",
      [JSON.stringify(sent.identifiers)],
    );
    assert.equal(rows.length, 1);
  });

  it("409: a taken identifier is told with an Idempotency-Key, too, and told again as it was", async () => {
    const sent = body();
    const { body: first } = await create(sent);
    const headers = { "idempotency-key": "taken-once" };
    const refused = await create(sent, "passType=loyalty", headers);
    assert.deepEqual([refused.status, refused.body.passId], [409, first.id]);
    const again = await create(sent, "passType=loyalty", headers);
    assert.deepEqual([again.status, again.body.passId], [409, first.id]);
  });

  it("201: one Idempotency-Key twenty times at once makes one pass", async () => {
    const sent = { additionalData: { offer: "once" } };
    const send = () => create(sent, "passType=coupon", { "idempotency-key": "one-pass" });
    const all = await Promise.all(Array.from({ length: 20 }, send));
    const made = all.filter(({ status }) => status === 201);
    assert.equal(new Set(made.map(({ body }) => body.id)).size, 1);
    assert.ok(all.every(({ status }) => status === 201 || status === 409));
    const rows = await api.sql(`select from pass where data = '{"offer": "once"}'`);
    assert.equal(rows.length, 1);
  });

  const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`crm.k${at}`, "v"]));
  const REFUSED: readonly [string, string, unknown, string][] = [
    ["an unknown type", "passType=none", {}, "passType"],
    ["no type", "", {}, "passType"],
    ["an unknown onConflict", "passType=coupon&onConflict=merge", {}, "onConflict"],
    ["an unknown member", "passType=coupon", { extra: 1 }, "extra"],
    [
      "an identifier without a dot",
      "passType=coupon",
      { identifiers: { crm: "1" } },
      "identifiers.crm",
    ],
    [
      "an identifier that is a number",
      "passType=coupon",
      { identifiers: { "crm.id": 1 } },
      "identifiers.crm.id",
    ],
    [
      "an empty identifier",
      "passType=coupon",
      { identifiers: { "crm.id": "" } },
      "identifiers.crm.id",
    ],
    ["a thousand identifiers", "passType=coupon", { identifiers: many(1_000) }, "identifiers"],
    [
      "a missing identifier",
      "passType=loyalty",
      { additionalData: { firstName: "A" } },
      "identifiers.loyalty.number",
    ],
    [
      "data of the wrong type",
      "passType=loyalty",
      { identifiers: { "loyalty.number": "x" }, additionalData: { firstName: 5 } },
      "additionalData.firstName",
    ],
    [
      "data that is missing",
      "passType=loyalty",
      { identifiers: { "loyalty.number": "x" }, additionalData: {} },
      "additionalData.firstName",
    ],
    ["data too deep", "passType=coupon", { additionalData: { d: deep(20) } }, "additionalData"],
    [
      "data too large",
      "passType=coupon",
      { additionalData: { t: "x".repeat(70_000) } },
      "additionalData",
    ],
    ["a time that is none", "passType=coupon", { expirationDate: "soon" }, "expirationDate"],
  ];
  for (const [about, query, sent, field] of REFUSED) {
    it(`400: ${about} names ${field}`, async () => {
      const { status, body: problem, text } = await create(sent, query);
      assert.equal(status, 400, text);
      assert.ok(Object.hasOwn(problem.errors, field), text);
    });
  }
});

describe("GET /api/:tenantId/passes/:passId (pass.get)", () => {
  it("200: the record, with the secret and the links for those who may write only", async () => {
    const made = await seedPass(api, "acme");
    const path = `${PASSES}/${made.id}`;
    const { status, body: pass, headers } = await api.get(path, { key: api.operatorKey });
    assert.equal(status, 200);
    assert.deepEqual(pass, made);
    assert.ok(headers.get("etag"));
    const reader = await api.seed.key("acme", "Pass.Read");
    const { body: seen } = await api.get(path, { key: reader });
    const { secret: _, links: __, ...shown } = made;
    assert.deepEqual(seen, shown);
  });

  it("200: links to the public pages of the pass, on the tenant's own domain if it has one", async () => {
    const { id, secret, links } = await seedPass(api, "acme");
    const landing = `${api.runtime.baseUrl}/p/acme/${id}.${secret}`;
    const below = { apple: `${landing}/pass.pkpass`, google: `${landing}/google` };
    assert.deepEqual(links, { landing, ...below });

    await seedPassTenant(api, "own-domain", {
      "tenant.yml": "name: Lune\ncustomDomain: passes.lune.example\n",
    });
    const own = await seedPass(api, "own-domain");
    const { protocol, port } = new URL(api.runtime.baseUrl);
    const start = `${protocol}//passes.lune.example:${port}/p/own-domain/`;
    assert.equal(own.links.landing, `${start}${own.id}.${own.secret}`);
  });

  it("200: expand shows its privileges, given by the template, and what happened", async () => {
    const { id } = await seedPass(api, "acme");
    const key = api.operatorKey;
    const { body } = await api.get(`${PASSES}/${id}?expand=privileges,timeline`, { key });
    const [points, ...others] = body.privileges;
    assert.deepEqual([points.privilegeId, points.value, points.status], ["points", 0, "available"]);
    assert.deepEqual(others, []);
    assert.deepEqual(
      body.timeline.map(({ event }: { event: string }) => event),
      ["pass.created"],
    );
    const wrong = await api.get(`${PASSES}/${id}?expand=everything`, { key });
    assert.equal(wrong.status, 400);
    assert.ok("expand" in wrong.body.errors);
  });

  it("200: expand never has the ETag of the bare record, nor answers 304 by it", async () => {
    const { id } = await seedPass(api, "acme");
    const key = api.operatorKey;
    const etag = (await api.get(`${PASSES}/${id}`, { key })).headers.get("etag") ?? "";
    const headers = { "if-none-match": etag };
    assert.equal((await api.get(`${PASSES}/${id}`, { key, headers })).status, 304);
    const expanded = await api.get(`${PASSES}/${id}?expand=timeline`, { key, headers });
    assert.deepEqual([expanded.status, expanded.headers.get("etag")], [200, null]);
  });

  it("404: another tenant's pass looks exactly like one that does not exist", async () => {
    const { id } = await seedPass(api, "acme");
    await seedPassTenant(api, "rival");
    const key = await api.seed.key("rival", "Pass.Read");
    const foreign = await api.get(`/api/rival/passes/${id}`, { key });
    const missing = await api.get(`/api/rival/passes/${NOBODY}`, { key });
    assert.deepEqual([foreign.status, missing.status], [404, 404]);
    assert.equal(foreign.body.code, missing.body.code);
  });
});

describe("DELETE /api/:tenantId/passes/:passId (pass.delete)", () => {
  it("204: the person is nowhere any more, and what happened is still counted", async () => {
    const person = "Wilhelmina-Quetzalcoatl";
    const made = await seedPass(api, "acme", {
      identifiers: { "crm.id": person },
      additionalData: { firstName: person },
    });
    const path = `${PASSES}/${made.id}`;
    assert.equal((await api.delete(path, { key: api.operatorKey })).status, 204);
    assert.equal((await api.get(path, { key: api.operatorKey })).status, 404);
    assert.deepEqual(
      (await eventsOf(made.id)).map(({ name }) => name),
      ["pass.created", "pass.deleted"],
    );
    const tables = await api.sql(
      "select tablename as name from pg_tables where schemaname = 'public'",
    );
    for (const { name } of tables) {
      const rows = await api.sql(`select line::text as text from ${name} as line`);
      assert.ok(!rows.some(({ text }) => String(text).includes(person)), String(name));
    }
    const again = await seedPass(api, "acme", { identifiers: { "crm.id": person } });
    assert.notEqual(again.id, made.id);
  });
});
