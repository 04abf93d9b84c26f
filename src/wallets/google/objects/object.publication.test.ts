import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { startGoogleFixture } from "#test/support/google-fixture.ts";
import { seedGoogleTenant } from "#test/support/google-stand-in.ts";
import { PASS_FILES } from "#test/support/pass-tenant.ts";
import { until } from "#test/support/webhook-receiver.ts";

const { api, savedPass, rowOf, settled } = await startGoogleFixture({ after });
await seedGoogleTenant(api, "acme");
const key = api.operatorKey;

describe("passes at Google", () => {
  it("that a publication does not concern are not marked: those of other types, and all after a file unseen at Google", async () => {
    const id = await savedPass();
    await settled(id);
    const before = await rowOf(id);
    const jobs = async () => {
      const open = "state in ('created', 'active', 'retry')";
      return await api.sql(
        `select from pgboss.job where name = 'google-object.refresh' and ${open}`,
      );
    };
    const publish = async (files: Record<string, string>) => {
      const { status, text } = await api.patch("/api/tenants/acme", { key, body: { files } });
      assert.equal(status, 200, text);
      await until(async () => (await jobs()).length === 0);
    };
    const coupon = String(PASS_FILES["server/passes/coupon.yml"]);
    await publish({ "server/passes/coupon.yml": coupon.replace("label: Offer", "label: Gift") });
    await publish({ "server/schedule.yml": "tasks: []\n" });
    await publish({ "layouts/loyalty.apple.yml": "groupingIdentifier: a\n" });
    assert.deepEqual(await rowOf(id), before);
    await publish({ "locales/en.yml": "Member: Holder\n" });
    assert.notEqual((await rowOf(id))?.revision, before?.revision);
    await settled(id);
  });
});
