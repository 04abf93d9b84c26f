import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { seedCustomer } from "#test/support/factories.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
const key = api.operatorKey;
const CUSTOMERS = "/api/acme/customers";
const PASSES = "/api/acme/passes";

await seedPassTenant(api, "acme");

let count = 0;
/** Returns a word that occurs nowhere else in the database. */
const newPerson = () => {
  count += 1;
  return `Wilhelmina-Quetzalcoatl-${count}x`;
};

const bodyOf = (person: string) => ({
  firstName: person,
  email: `${person}@example.com`,
  identifiers: { "crm.id": person },
  consents: { news: { granted: true, at: "2026-01-31T09:30:00Z", source: person } },
});

async function createCustomer(person: string, headers = {}) {
  const answer = await api.post(CUSTOMERS, { key, body: bodyOf(person), headers });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

async function tablesWith(person: string): Promise<string[]> {
  const tables = await api.sql(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await api.sql(`select from ${name} as line where line::text like $1 limit 1`, [
      `%${person}%`,
    ]);
    if (rows.length > 0) found.push(String(name));
  }
  return found;
}

const namesOf = async (subject: string) => {
  const rows = await api.sql("select name from event where subject = $1 order by sequence", [
    subject,
  ]);
  return rows.map(({ name }) => name);
};

describe("DELETE /api/:tenantId/customers/:customerId (customer.delete)", () => {
  it("204: the person is nowhere any more, and what happened is still counted", async () => {
    const person = newPerson();
    const { customerId } = await createCustomer(person);
    const path = `${CUSTOMERS}/${customerId}`;
    await api.patch(path, { key, body: { lastName: person } });
    assert.ok((await tablesWith(person)).length > 2);
    assert.equal((await api.delete(path, { key })).status, 204);
    assert.equal((await api.get(path, { key })).status, 404);
    assert.deepEqual(await tablesWith(person), []);
    assert.deepEqual(await namesOf(customerId), [
      "customer.created",
      "customer.updated",
      "customer.deleted",
    ]);
    const bodies = await api.sql("select data, previous from event where subject = $1", [
      customerId,
    ]);
    assert.ok(bodies.every(({ previous }) => previous === null));
    assert.notEqual((await createCustomer(person)).customerId, customerId);
  });

  it("204: passes stay unless they are to go too", async () => {
    const person = newPerson();
    const { customerId } = await createCustomer(person);
    const pass = await seedPass(api, "acme", { identifiers: { "crm.id": person } });
    assert.equal((await api.delete(`${CUSTOMERS}/${customerId}`, { key })).status, 204);
    assert.equal((await api.get(`${PASSES}/${pass.id}`, { key })).status, 200);
  });

  it("204: with its passes, all that share an identifier and no other", async () => {
    const person = newPerson();
    const { customerId } = await createCustomer(person);
    const more = { additionalData: { firstName: person }, identifiers: { "crm.id": person } };
    const linked = await seedPass(api, "acme", more);
    const other = await seedPass(api, "acme", { identifiers: { "crm.id": newPerson() } });
    const path = `${CUSTOMERS}/${customerId}`;
    assert.equal((await api.delete(`${path}?passes=true`, { key })).status, 204);
    assert.deepEqual(await tablesWith(person), []);
    assert.equal((await api.get(`${PASSES}/${linked.id}`, { key })).status, 404);
    assert.equal((await api.get(`${PASSES}/${other.id}`, { key })).status, 200);
    assert.ok((await namesOf(linked.id)).includes("pass.deleted"));
    const rows = await api.sql("select op from audit where target = any($1)", [
      [`pass:${linked.id}`, `customer:${customerId}`],
    ]);
    assert.equal(rows.filter(({ op }) => op === "customer.delete").length, 2);
  });

  it("403: with its passes, who may not erase passes; nothing is erased", async () => {
    const { customerId } = await createCustomer(newPerson());
    const writer = await api.seed.key("acme", "Customer.Write");
    const path = `${CUSTOMERS}/${customerId}`;
    const refused = await api.delete(`${path}?passes=true`, { key: writer });
    assert.deepEqual([refused.status, refused.body.requiredScope], [403, "Pass.Write"]);
    assert.equal((await api.get(path, { key })).status, 200);
    assert.equal((await api.delete(path, { key: writer })).status, 204);
  });

  it("409: an identifier that hundreds of passes have is not of one person", async () => {
    const identifiers = { "shop.region": "north" };
    const { customerId } = await seedCustomer(api, "acme", { identifiers });
    await api.sql(
      `insert into pass_identifier (tenant_id, name, value, pass_id, pass_type, is_unique)
       select 'acme', 'shop.region', 'north', 'ps_' || at, 'loyalty', false
         from generate_series(1, 501) as at`,
    );
    const path = `${CUSTOMERS}/${customerId}`;
    const refused = await api.delete(`${path}?passes=true`, { key });
    assert.deepEqual([refused.status, refused.body.code], [409, "customer.too-many-passes"]);
    assert.equal((await api.delete(path, { key })).status, 204);
  });

  it("400: passes that are neither true nor false", async () => {
    const { customerId } = await createCustomer(newPerson());
    const { status } = await api.delete(`${CUSTOMERS}/${customerId}?passes=some`, { key });
    assert.equal(status, 400);
  });
});

describe("a stored answer about someone who was erased", () => {
  const answers = () =>
    api.sql("select answer from idempotent_answer where answer is not null and op like '%create'");

  it("409: does not bring a customer back", async () => {
    const [person, other] = [newPerson(), newPerson()];
    const headers = { "idempotency-key": person };
    const { customerId } = await createCustomer(person, headers);
    await createCustomer(other, { "idempotency-key": other });
    const replayed = await api.post(CUSTOMERS, { key, body: bodyOf(person), headers });
    assert.equal(replayed.headers.get("idempotency-replayed"), "true");
    const before = (await answers()).length;
    await api.delete(`${CUSTOMERS}/${customerId}`, { key });
    assert.equal((await answers()).length, before - 1);

    const again = await api.post(CUSTOMERS, { key, body: bodyOf(person), headers });
    assert.deepEqual([again.status, again.body.code], [409, "idempotency.answer-erased"]);
    assert.deepEqual(await tablesWith(person), []);
    const kept = await api.post(CUSTOMERS, {
      key,
      body: bodyOf(other),
      headers: { "idempotency-key": other },
    });
    assert.deepEqual([kept.status, kept.headers.get("idempotency-replayed")], [201, "true"]);
  });

  it("409: does not bring a pass back, nor one that was only found", async () => {
    const person = newPerson();
    const path = `${PASSES}?passType=loyalty&onConflict=return`;
    const body = {
      identifiers: { "loyalty.number": person },
      additionalData: { firstName: person },
    };
    const send = (name: string) =>
      api.post(path, { key, body, headers: { "idempotency-key": `${name}-${person}` } });
    const [made, found] = [await send("made"), await send("found")];
    assert.deepEqual([made.status, found.status], [201, 200]);
    await api.delete(`${PASSES}/${made.body.id}`, { key });
    for (const name of ["made", "found"]) {
      const again = await send(name);
      assert.deepEqual([again.status, again.body.code], [409, "idempotency.answer-erased"]);
    }
    assert.deepEqual(await tablesWith(person), []);
  });

  it("is emptied in the transaction of the erasure, or not at all", async () => {
    const person = newPerson();
    const headers = { "idempotency-key": person };
    const { customerId } = await createCustomer(person, headers);
    const path = `${CUSTOMERS}/${customerId}`;
    const refused = await api.delete(path, { key, headers: { "if-match": '"another"' } });
    assert.equal(refused.status, 412);
    const replayed = await api.post(CUSTOMERS, { key, body: bodyOf(person), headers });
    assert.deepEqual([replayed.status, replayed.body.customerId], [201, customerId]);
  });
});
