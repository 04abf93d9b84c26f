import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { seedCard, seedScanTenant } from "#test/support/scan-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";

describe("a code that is read at several doors (scan.create)", () => {
  const api = shareApi();

  it("201: one key of many doors: another place or another reference is another scan", async () => {
    await seedScanTenant(api(), "doors");
    await seedCard(api(), "doors", "doors", { type: "OneTime" });
    const redeem = { privilegeId: "coffee", amount: 1 };
    const at = (location: string, reference?: string) =>
      api().post("/api/doors/scans", {
        key: api().operatorKey,
        body: { data: "M-doors", type: "qrcode", location, reference, redeem },
      });
    const { body: first } = await at("Door A", "a-1");
    assert.equal(first.decision, "accepted");
    assert.equal((await at("Door A", "a-1")).body.duplicateOf, first.scanId);
    for (const [location, reference] of [
      ["Door B", "b-1"],
      ["Door A", "a-2"],
      ["Door B", undefined],
    ] as const) {
      const { body } = await at(location, reference);
      const { decision, reason, duplicateOf } = body;
      assert.deepEqual([decision, reason], ["rejected", "already-redeemed"]);
      assert.equal(duplicateOf, undefined);
    }
  });
});
