import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import pg from "pg";
import { systemCall } from "#kernel/call.ts";
import type { TenantContext } from "#kernel/context.ts";
import { PASS_FILES, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { untilBlocked } from "#test/support/until-blocked.ts";
import { fulfilWishes } from "./batches/batch.service.ts";
import { createPass } from "./pass.service.ts";
import { passTypesOf } from "./pass.types.ts";
import { createPassWithin } from "./pass-within.service.ts";
import { updatePassesNow } from "./updates/update.service.ts";

/** Requests that work by a former template while another one is published, on two nodes. */

const api = await startApi({ after }, { env: { ROLES: "api" } });
const other = await api.node();
const key = api.operatorKey;
const TEMPLATE = "server/passes/coupon.yml";
const D1 = { "shop.id": "D-1" };
const UNIQUE = "[shop.id, zone.id]";

type Identifiers = Readonly<Record<string, string>>;

const templateWith = (unique: string, text = "") =>
  `${PASS_FILES[TEMPLATE]}identifiers: { unique: ${unique} }\n${text}`;

const publish = (tenantId: string, template: string) =>
  api.patch(`/api/tenants/${tenantId}`, { key, body: { files: { [TEMPLATE]: template } } });

const create = (tenantId: string, identifiers: Identifiers) =>
  api.post(`/api/${tenantId}/passes?passType=coupon`, { key, body: { identifiers } });

const passesWith = async (tenantId: string, name: string, value: string) =>
  await api.sql(
    "select pass_id, is_unique from pass_identifier where tenant_id = $1 and name = $2 and value = $3",
    [tenantId, name, value],
  );

/** A tenant whose coupons share `shop.id`; `zone.id` is unique already. */
async function open(tenantId: string) {
  await seedPassTenant(api, tenantId, { [TEMPLATE]: templateWith("[zone.id]") });
}

/** A call of the other node that has begun by the template of now. */
async function callByFormer(tenantId: string, op: string): Promise<TenantContext> {
  const context = systemCall(other.runtime, op, { tenantId });
  await passTypesOf(context);
  return context;
}

/**
 * Keeps a request under way between its first identifier and its commit: it waits for another one
 * that took its `zone.id`. Returns the function that lets it go on.
 */
async function holdBack(tenantId: string): Promise<() => Promise<void>> {
  const client = new pg.Client(api.database.connection);
  await client.connect();
  await client.query("begin; set local app.tenant = '*'");
  await client.query(
    `insert into pass_identifier (tenant_id, name, value, pass_id, pass_type, is_unique)
     values ($1, 'zone.id', 'Z-1', 'ps_other', 'coupon', true)`,
    [tenantId],
  );
  return async () => {
    await client.query("rollback");
    await client.end();
  };
}

describe("a request that is being written by a former template", () => {
  it("201: and the publication that makes its identifier unique is answered after it", async () => {
    await open("under-way");
    const goOn = await holdBack("under-way");
    const first = create("under-way", { ...D1, "zone.id": "Z-1" });
    await untilBlocked(api);
    let isPublished = false;
    const publication = publish("under-way", templateWith(UNIQUE)).then((answer) => {
      isPublished = true;
      return answer;
    });
    await Promise.race([untilBlocked(api, 2), publication]);
    assert.equal(isPublished, false);
    await goOn();
    const [made, published] = await Promise.all([first, publication]);
    assert.deepEqual([made.status, published.status], [201, 200], made.text + published.text);

    const second = await create("under-way", D1);

    assert.deepEqual([second.status, second.body.passId], [409, made.body.id], second.text);
    assert.equal((await passesWith("under-way", "shop.id", "D-1")).length, 1);
  });

  it("200: a publication that makes nothing unique does not wait for it", async () => {
    await open("not-concerned");
    const goOn = await holdBack("not-concerned");
    const first = create("not-concerned", { ...D1, "zone.id": "Z-1" });
    await untilBlocked(api);
    const text = "locations: [ { latitude: 1, longitude: 2 } ]\n";
    const published = await publish("not-concerned", templateWith("[zone.id]", text));
    assert.equal(published.status, 200, published.text);
    await goOn();
    assert.equal((await first).status, 201);
  });
});

describe("a request that has begun by a former template on another node", () => {
  const unavailable = { status: 503, code: "service.unavailable" };

  it("503: takes no identifier that is unique by now, by any way", async () => {
    const tenantId = "former";
    await open(tenantId);
    const { id } = (await create(tenantId, {})).body;
    const calls = await Promise.all(
      ["pass.create", "pass.update", "import.run", "enrolment.create"].map((op) =>
        callByFormer(tenantId, op),
      ),
    );
    const [creating, changing, importing, enrolling] = calls as [
      TenantContext,
      TenantContext,
      TenantContext,
      TenantContext,
    ];
    assert.equal((await publish(tenantId, templateWith(UNIQUE))).status, 200);
    const made = await create(tenantId, D1);
    assert.equal(made.status, 201, made.text);

    const sent = { identifiers: D1 };
    await assert.rejects(createPass(creating, "coupon", sent, "fail"), unavailable);
    await assert.rejects(createPass(creating, "coupon", sent, "return"), unavailable);
    const updates = [{ target: { passId: id }, change: { identifiers: D1 } }];
    const change = updatePassesNow(changing, { by: "updates", updates }, {});
    await assert.rejects(change, unavailable);
    const types = await passTypesOf(importing);
    const upserts = ["D-2", "D-3"].map((value) => {
      return { action: "upsert", passType: "coupon", identifiers: { "shop.id": value } } as const;
    });
    const importAll = importing.transaction((tx) => fulfilWishes(importing, tx, types, upserts));
    await assert.rejects(importAll, unavailable);
    const formerTypes = await passTypesOf(enrolling);
    const coupon = formerTypes.find("coupon");
    assert.ok(coupon !== undefined);
    const enrol = enrolling.transaction((tx) =>
      createPassWithin(enrolling, tx, formerTypes, coupon, sent),
    );
    await assert.rejects(enrol, unavailable);

    assert.deepEqual(await passesWith(tenantId, "shop.id", "D-2"), []);
    assert.deepEqual(await passesWith(tenantId, "shop.id", "D-1"), [
      { pass_id: made.body.id, is_unique: true },
    ]);
  });

  it("201: takes any other identifier, and those that were unique before", async () => {
    const tenantId = "former-others";
    await open(tenantId);
    const context = await callByFormer(tenantId, "pass.create");
    assert.equal((await publish(tenantId, templateWith(UNIQUE))).status, 200);
    const identifiers = { "zone.id": "Z-2", "crm.id": "C-1" };
    const { isNew } = await createPass(context, "coupon", { identifiers }, "fail");
    assert.equal(isNew, true);
    await assert.rejects(createPass(context, "coupon", { identifiers }, "fail"), { status: 409 });
  });
});
