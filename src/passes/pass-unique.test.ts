import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { importFile } from "#test/support/imports.ts";
import { PASS_FILES, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { markUniqueIdentifiers } from "./pass-identifier.jobs.ts";

// Without workers: what is published is never followed by the job that marks what exists.
const api = await startApi({ after }, { env: { ROLES: "api" } });
const key = api.operatorKey;
const options = { BypassQueue: true };
const TEMPLATE = "server/passes/coupon.yml";

type Identifiers = Readonly<Record<string, string>>;

async function publishUnique(tenantId: string, names: string) {
  const template = `${PASS_FILES[TEMPLATE]}identifiers: { unique: [${names}] }\n`;
  const body = { files: { [TEMPLATE]: template } };
  const { status, text } = await api.patch(`/api/tenants/${tenantId}`, { key, body });
  assert.equal(status, 200, text);
}

async function mark(tenantId: string) {
  const context = systemCall(api.runtime, "pass.mark-unique", { tenantId });
  await markUniqueIdentifiers.run(context, {}, new AbortController().signal);
}

/** A tenant whose coupons share `shop.id` freely, until it is published as unique. */
async function open(tenantId: string) {
  await seedPassTenant(api, tenantId);
  const path = `/api/${tenantId}/passes`;
  const send = (identifiers: Identifiers, query = "") =>
    api.post(`${path}?passType=coupon${query}`, { key, body: { identifiers } });
  return {
    path,
    send,
    async make(identifiers: Identifiers): Promise<string> {
      const { status, body, text } = await send(identifiers);
      assert.equal(status, 201, text);
      return body.id;
    },
    count: async () => (await api.get(path, { key })).headers.get("x-pagination-total"),
    change: (id: string, identifiers: Identifiers) =>
      api.patch(`${path}/${id}`, { key, body: { identifiers, options } }),
  };
}

const D1 = { "shop.id": "D-1" };

describe("an identifier that is unique from now on", () => {
  it("409: it cannot be taken from the moment the publication is answered", async () => {
    const { make, send, count } = await open("at-once");
    const first = await make(D1);
    await publishUnique("at-once", "shop.id");

    const refused = await send(D1);

    const { code, passId } = refused.body;
    assert.deepEqual([refused.status, code, passId], [409, "pass.identifier-taken", first]);
    const { body: found, status } = await send(D1, "&onConflict=return");
    assert.deepEqual([status, found.id], [200, first]);
    assert.equal((await send(D1, "&onConflict=update")).body.id, first);
    assert.equal(await count(), "1");
    await mark("at-once");
    const body = { data: "D-1", type: "qrcode" };
    const scan = await api.post("/api/at-once/scans", { key, body });
    assert.deepEqual([scan.body.matched, scan.body.pass?.id], [true, first], scan.text);
  });

  it("409: nor by the change of one pass, nor by that of many", async () => {
    const { path, make, change } = await open("by-change");
    const first = await make(D1);
    const [second, third] = [await make({}), await make({})];
    await publishUnique("by-change", "shop.id");

    const one = await change(second, D1);
    const updates = [
      { passId: second, identifiers: D1 },
      { passId: third, identifiers: { "shop.id": "D3" } },
    ];
    const many = await api.patch(path, { key, body: { updates, options } });

    assert.deepEqual([one.status, one.body.passId], [409, first], one.text);
    const [refused, accepted] = many.body.results;
    assert.equal(refused.problem?.code, "pass.identifier-taken", many.text);
    assert.match(refused.problem.message, new RegExp(first));
    assert.equal(accepted.problem, undefined, many.text);
  });

  it("409: those who shared it before keep it, and it belongs to the first of them", async () => {
    const { make, send, change } = await open("shared");
    const first = await make(D1);
    const second = await make(D1);
    await publishUnique("shared", "shop.id");

    for (const step of ["before the marks", "after them"]) {
      const refused = await send(D1);
      assert.deepEqual([refused.status, refused.body.passId], [409, first], step);
      const other = await change(second, { "crm.id": step });
      assert.deepEqual([other.status, other.body.identifiers["shop.id"]], [200, "D-1"], step);
      await mark("shared");
    }
    // The other one still has it when the first is gone.
    assert.equal((await api.delete(`/api/shared/passes/${first}`, { key })).status, 204);
    const refused = await send(D1);
    assert.deepEqual([refused.status, refused.body.passId], [409, second]);
  });

  it("201: once, for any number of requests at the same time", async () => {
    const { send, count } = await open("at-the-same-time");
    await send({ "shop.id": "D0" });
    await publishUnique("at-the-same-time", "shop.id");

    const sent = await Promise.all(Array.from({ length: 6 }, () => send(D1)));

    const statuses = sent.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, 409, 409, 409, 409, 409]);
    const taken = sent.filter(({ status }) => status === 409);
    const made = sent.find(({ status }) => status === 201)?.body.id;
    assert.ok(taken.every(({ body }) => body.passId === made));
    const held = await Promise.all(Array.from({ length: 3 }, () => send({ "shop.id": "D0" })));
    assert.deepEqual(
      held.map(({ status }) => status),
      [409, 409, 409],
    );
    assert.equal(await count(), "2");
  });

  it("409: also when it was free for a while, or when the marks came half of the way", async () => {
    const { make, send } = await open("again");
    await publishUnique("again", "shop.id");
    const first = await make(D1);
    await publishUnique("again", "other.id");
    await make(D1);
    // Takes the mark away from the first.
    await mark("again");
    const other = await make({ "shop.id": "D-0" });
    await publishUnique("again", "shop.id, other.id");
    // As a job leaves it that ended in the middle: they are marked in their order.
    await api.sql("update pass_identifier set is_unique = true where pass_id = $1", [other]);

    const [marked, unmarked] = [await send({ "shop.id": "D-0" }), await send(D1)];

    assert.deepEqual([marked.status, marked.body.passId], [409, other]);
    assert.deepEqual([unmarked.status, unmarked.body.passId], [409, first]);
    assert.equal((await send({ "other.id": "D-1" })).status, 201);
  });

  it("201: passes of another type are not concerned", async () => {
    const { make } = await open("other-type");
    await make(D1);
    await publishUnique("other-type", "shop.id");
    const identifiers = { ...D1, "loyalty.number": "1" };
    const body = { identifiers, additionalData: { firstName: "Ada" } };
    const made = await api.post("/api/other-type/passes?passType=loyalty", { key, body });
    assert.equal(made.status, 201, made.text);
  });

  it("is found by journeys and by rows of an import: the pass that has it changes", async () => {
    const { make, count } = await open("in-bulk");
    const first = await make(D1);
    const settings = { passType: "coupon" };
    const connector = "/api/in-bulk/admin/extensions/klaviyo";
    assert.equal((await api.put(connector, { key, body: settings })).status, 204);
    await publishUnique("in-bulk", "shop.id");

    const journey = await api.post("/api/in-bulk/extensions/klaviyo/journey/createPass", {
      key: await api.seed.key("in-bulk", "Extension.Journey"),
      body: { identifiers: D1, additionalData: { offer: "Tea" } },
    });
    assert.deepEqual([journey.status, journey.body.passId], [200, first], journey.text);

    // A worker that imports, and finds no marks to set.
    await api.sql("delete from pgboss.job where name = 'pass.mark-unique'");
    await api.node({ ROLES: "worker" });
    const csv =
      "passType,identifiers.shop.id,additionalData.offer\ncoupon,D-1,Soup\ncoupon,D-2,Tea\n";
    const { outcomes } = await importFile(api, "in-bulk", csv);
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ["updated", "created"],
    );
    assert.equal(outcomes[0].passId, first);
    assert.equal(await count(), "2");
  });
});
