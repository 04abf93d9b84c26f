import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";
import { type DeviceCount, noteDevices } from "./installation.service.ts";

describe("the devices that hold a pass", () => {
  const api = shareApi();
  const note = (count: DeviceCount) =>
    systemCall(api().runtime, "test.install", { tenantId: "harbour" }).transaction((tx) =>
      noteDevices(tx, count),
    );
  const read = (id: string) => api().get(`/api/harbour/passes/${id}`, { key: api().operatorKey });
  const eventsOf = async (id: string) =>
    await api().sql(
      "select name, data ->> 'wallet' as wallet from event where subject = $1 order by sequence",
      [id],
    );

  it("the first one and the last one are events, and none is a new version", async () => {
    await seedPassTenant(api(), "harbour");
    const { id } = await seedPass(api(), "harbour");
    const before = await read(id);
    for (const devices of [1, 2, 2, 1]) await note({ passId: id, wallet: "apple", devices });
    const held = await read(id);
    const { apple, google } = held.body.providers;
    assert.deepEqual([apple.status, apple.devices, apple.uninstalledAt], ["installed", 1, null]);
    assert.equal(google.status, "none");
    assert.deepEqual(
      [held.body.version, held.body.lastUpdateDate],
      [1, before.body.lastUpdateDate],
    );
    assert.notEqual(held.headers.get("etag"), before.headers.get("etag"));

    await note({ passId: id, wallet: "apple", devices: 0 });
    await note({ passId: id, wallet: "google", devices: 1 });
    assert.deepEqual(await eventsOf(id), [
      { name: "pass.created", wallet: null },
      { name: "pass.installed", wallet: "apple" },
      { name: "pass.uninstalled", wallet: "apple" },
      { name: "pass.installed", wallet: "google" },
    ]);
    const gone = (await read(id)).body.providers.apple;
    assert.deepEqual([gone.status, gone.installedAt], ["uninstalled", apple.installedAt]);
  });

  it("a pass that does not exist is held by nobody", async () => {
    const passId = "ps_00000000000000000000000";
    assert.equal(await note({ passId, wallet: "apple", devices: 1 }), undefined);
  });
});
