import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { openAppleStage } from "#test/support/apple-stage.ts";
import { PASS_FILES } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { tellDevices } from "./delivery.service.ts";

/** Without workers: nothing is pushed, so each delivery stays as the movement left it. */
const api = await startApi({ after }, { env: { ROLES: "api" } });
const key = api.operatorKey;

const SHOWING = String(PASS_FILES["server/passes/loyalty.yml"]).replace(
  'label: Member, value: "{{ data.firstName }}"',
  'label: Points, value: "{{ privileges.points.value }}", change: "You now have %@ points"',
);

async function open(loyalty: string) {
  const stage = await openAppleStage(api);
  await stage.publish({ "server/passes/loyalty.yml": loyalty });
  const [pass, device] = [await stage.pass(), stage.device()];
  await device.show(pass);
  assert.equal((await device.register(pass)).status, 201);
  const base = `/api/${stage.tenantId}/passes/${pass.id}/privileges`;
  const deliveries = async () => {
    const rows = await api.sql("select from apple_delivery where pass_id = $1", [pass.id]);
    return rows.length;
  };
  const start = await deliveries();
  return {
    ...stage,
    pass,
    device,
    base,
    move: (value: number, privilegeId = "points") =>
      api.post(`${base}/${privilegeId}/movements`, { key, body: { value } }),
    /** Deliveries since the device registered. */
    told: async () => (await deliveries()) - start,
  };
}

describe("a device that holds a pass which shows its points", () => {
  it("is told once of a movement, lists the pass and fetches the new value with its message", async () => {
    const { device, pass, move, told, events, tenantId } = await open(SHOWING);
    const first = await device.fetch(pass);
    const modified = first.headers.get("last-modified") ?? "";
    const { body: known } = await device.ask();
    assert.equal((await device.fetch(pass, modified)).status, 304);

    assert.equal((await move(5)).status, 201);
    assert.equal(await told(), 1);
    const asked = await device.ask(known.lastUpdated);
    assert.deepEqual(asked.body.serialNumbers, [pass.id]);
    const second = await device.fetch(pass, modified);
    assert.equal(second.status, 200);
    assert.ok(Date.parse(second.headers.get("last-modified") ?? "") >= Date.parse(modified));
    const [field] = (await device.show(pass)).storeCard.primaryFields;
    assert.deepEqual([field.value, field.changeMessage], ["5", "You now have %@ points"]);
    const names = await events(pass);
    assert.ok(!names.includes("pass.updated"), names.join());
    const { body } = await api.get(`/api/${tenantId}/passes/${pass.id}`, { key });
    assert.equal(body.version, 1);
  });

  it("is told once of fifty parallel redemptions of the last unit", async () => {
    const { move, told } = await open(SHOWING);
    await move(1);
    const before = await told();
    const answers = await Promise.all(Array.from({ length: 50 }, () => move(-1)));
    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    assert.equal(answers.filter(({ status }) => status === 409).length, 49);
    assert.equal((await told()) - before, 1);
  });

  it("is told of a privilege that is created, changed and deleted, each once", async () => {
    const { base, told } = await open(SHOWING);
    const body = { type: "MultiUse", value: 3 };
    assert.equal((await api.put(`${base}/tea`, { key, body })).status, 201);
    assert.equal(await told(), 1);
    const changed = { ...body, name: "Tea", value: 4 };
    assert.equal((await api.put(`${base}/tea`, { key, body: changed })).status, 200);
    assert.equal(await told(), 2);
    assert.equal((await api.put(`${base}/tea`, { key, body: changed })).status, 200);
    assert.equal(await told(), 2);
    assert.equal((await api.delete(`${base}/tea`, { key })).status, 204);
    assert.equal(await told(), 3);
  });

  it("finds a change that was made while it registered under a tag that it does not know", async () => {
    const { device, pass, move, tenantId } = await open(SHOWING);
    const tag = async () => {
      const [row] = await api.sql("select tag::int from apple_tag where tenant_id = $1", [
        tenantId,
      ]);
      return Number(row?.tag);
    };
    assert.equal((await device.unregister(pass)).status, 200);
    const before = await tag();
    // The registration may be committed at any moment of this transaction.
    assert.equal((await move(5)).status, 201);
    assert.equal(await tag(), before + 1);
  });

  it("is not told of what was refused", async () => {
    const { move, told } = await open(SHOWING);
    assert.equal((await move(-1)).status, 409);
    assert.equal(await told(), 0);
  });
});

describe("a device that holds a pass which shows no privileges", () => {
  it("is not told of movements, until a template shows them", async () => {
    const { device, pass, move, told, publish, tenantId } = await open(
      String(PASS_FILES["server/passes/loyalty.yml"]),
    );
    const tag = () => api.sql("select tag::text from apple_tag where tenant_id = $1", [tenantId]);
    const tagBefore = await tag();
    assert.equal((await move(5)).status, 201);
    assert.equal(await told(), 0);
    assert.deepEqual(await tag(), tagBefore, "movements of all passes would wait for the tag");
    await publish({ "server/passes/loyalty.yml": SHOWING });
    assert.equal((await device.show(pass)).storeCard.primaryFields[0].value, "5");
    const before = await told();
    await move(1);
    assert.equal((await told()) - before, 1);
  });

  it("keeps what it was told, after another device was told alone", async () => {
    const { device, pass, move, passType, tenantId } = await open(
      String(PASS_FILES["server/passes/loyalty.yml"]),
    );
    const call = systemCall(api.runtime, "test.tell", { tenantId });
    const other = { deviceId: "tablet", passTypeIdentifier: passType };
    await call.transaction(async (tx) => tellDevices(tx, [pass.id]));
    await call.transaction(async (tx) => tellDevices(tx, [pass.id], other));
    assert.equal((await move(5)).status, 201);
    const rows = await api.sql(
      "select state from apple_delivery where pass_id = $1 and device_id = $2",
      [pass.id, device.id],
    );
    assert.deepEqual(rows, [{ state: "queued" }]);
  });
});
