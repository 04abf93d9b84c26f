import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { provide } from "#kernel/port.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { noteDevices } from "../installations/installation.service.ts";
import { type WalletTeller, walletTellers } from "./delivery.service.ts";

const BYPASS = { options: { BypassQueue: true } };

describe("PATCH with BypassQueue, of a pass that wallets hold", () => {
  it("200: answers when the wallets were told, each with what became of it", async (t) => {
    const told: string[][] = [];
    const apple: WalletTeller = {
      wallet: "apple",
      async tellNow(_context, passIds) {
        told.push([...passIds]);
        return new Map(passIds.map((id) => [id, { state: "sent" }]));
      },
    };
    const google: WalletTeller = {
      wallet: "google",
      tellNow: () => Promise.reject(new Error("A connection was cut.")),
    };
    const api = await startApi(t, {
      provides: [provide(walletTellers, apple), provide(walletTellers, google)],
    });
    await seedPassTenant(api, "acme");
    const { id } = await seedPass(api, "acme");
    const other = await seedPass(api, "acme");
    const call = systemCall(api.runtime, "test.install", { tenantId: "acme" });
    await call.transaction(async (tx) => {
      await noteDevices(tx, { passId: id, wallet: "apple", devices: 2 });
      await noteDevices(tx, { passId: id, wallet: "google", devices: 1 });
    });

    const key = api.operatorKey;
    const body = { passIds: [id, other.id], additionalData: { points: 7 }, ...BYPASS };
    const { body: many } = await api.patch("/api/acme/passes", { key, body });
    const [one, two] = many.results;
    assert.deepEqual(one.delivery, {
      apple: { state: "sent", devices: 2 },
      google: { state: "queued", devices: 1 },
    });
    assert.equal(two.delivery.apple.state, "none");
    assert.deepEqual(told, [[id]]);
  });
});
