import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { openAppleStage } from "#test/support/apple-stage.ts";
import { shareApi } from "#test/support/start-api.ts";
import { tellDevices } from "../deliveries/delivery.service.ts";
import { forgetToken, removeGoneDevice } from "./device.service.ts";

describe("devices and tokens that Apple calls wrong", () => {
  // Without the role `worker`, so that nobody pushes.
  const api = shareApi({ env: { ROLES: "api", APNS_URL: "https://127.0.0.1:9" } });
  let stage: Awaited<ReturnType<typeof openAppleStage>>;
  before(async () => {
    stage = await openAppleStage(api());
  });
  const call = () => systemCall(api().runtime, "test.device", { tenantId: stage.tenantId });

  /** A change that the device was not pushed yet. */
  async function tellPhone() {
    const [pass, phone] = [await stage.pass(), stage.device()];
    await phone.fetch(pass);
    assert.equal((await phone.register(pass)).status, 201);
    await call().transaction(async (tx) => tellDevices(tx, [pass.id]));
    const device = { deviceId: phone.id, passTypeIdentifier: stage.passType };
    const statesNow = async () => {
      const rows = await api().sql("select state from apple_delivery where pass_id = $1", [
        pass.id,
      ]);
      return rows.map(({ state }) => state);
    };
    return { pass, phone, device, statesNow };
  }

  it("a wrong token ends what is queued for it, not what is queued for its successor", async () => {
    const { pass, phone, device, statesNow } = await tellPhone();
    assert.equal((await phone.register(pass, "beef")).status, 200);
    await forgetToken(call(), device, phone.pushToken, "BadDeviceToken");
    assert.deepEqual(await statesNow(), ["queued"]);
    await forgetToken(call(), device, "beef", "BadDeviceToken");
    assert.deepEqual(await statesNow(), ["gone"]);
  });

  it("a device whose old token is gone stays, if it has sent another one", async () => {
    const { pass, phone, device, statesNow } = await tellPhone();
    assert.equal((await phone.register(pass, "cafe")).status, 200);
    const goneAt = new Date(Date.now() + 60_000);
    const old = { pushToken: phone.pushToken, goneAt };
    await removeGoneDevice(call(), device, old, "Unregistered");
    assert.deepEqual(await statesNow(), ["queued"]);
    await removeGoneDevice(call(), device, { pushToken: "cafe", goneAt }, "Unregistered");
    assert.deepEqual(await statesNow(), ["gone"]);
    assert.equal((await phone.register(pass)).status, 201);
  });

  it("a device that leaves one pass while it registers for another is not forgotten", async () => {
    const { pass, phone } = await tellPhone();
    const other = await stage.pass();
    for (let round = 0; round < 5; round += 1) {
      const [left, registered] = await Promise.all([phone.unregister(pass), phone.register(other)]);
      assert.deepEqual([left.status, registered.status], [200, 201]);
      const rows = await api().sql("select from apple_device where device_id = $1", [phone.id]);
      assert.equal(rows.length, 1);
      await phone.register(pass);
      await phone.unregister(other);
    }
  });

  it("an erased pass takes the devices along that hold no other", async () => {
    const { pass, phone } = await tellPhone();
    const [other, watch] = [await stage.pass(), stage.device()];
    for (const each of [pass, other]) await watch.register(each);
    await api().delete(`/api/${stage.tenantId}/passes/${pass.id}`, { key: api().operatorKey });
    const rows = await api().sql(
      "select device_id from apple_device where device_id = any($1::text[])",
      [[phone.id, watch.id]],
    );
    assert.deepEqual(rows, [{ device_id: watch.id }]);
  });
});
