import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { known, seedCdpTenant } from "#test/support/cdp-stage.ts";
import { seedPass } from "#test/support/pass-tenant.ts";
import { startStopwatch } from "#test/support/slowness.ts";
import { startApi } from "#test/support/start-api.ts";
import { startVendors } from "#test/support/vendors.ts";
import { until } from "#test/support/webhook-receiver.ts";

const { bloomreach } = await startVendors({ after });

/** Runs ahead of the real time by as much as a test says. */
let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };

describe("a customer-data platform that answers after a minute", () => {
  for (const kind of ["slow", "drip"] as const) {
    it(`${kind}: settings, attributes and events end within seconds, others are served, nothing is lost`, async (t) => {
      const api = await startApi(t, { clock });
      const { tenantId, put, settings, project, key } = await seedCdpTenant(api, bloomreach);
      await put();
      const { id } = await seedPass(api, tenantId, known("slow@harbour.example"));
      const told = () => bloomreach.events(project.token);
      await until(() => told().length === 1, "the first event");
      t.after(() => bloomreach.server.setFault(undefined));
      await bloomreach.server.setFault({ kind, delayMs: 60_000 });

      const elapsedMs = startStopwatch();
      const path = `/api/${tenantId}/admin/extensions/cdp`;
      const options = { UpdateMetadata: true, BypassQueue: true };
      const [saved, patched] = await Promise.all([
        api.put(path, { key, body: { ...settings, apiKeyId: "another" } }),
        api.patch(`/api/${tenantId}/passes/${id}`, { key, body: { options } }),
        seedPass(api, tenantId, known("later@harbour.example")),
        // Nobody else waits for it.
        (async () => {
          const otherMs = startStopwatch();
          assert.equal((await api.get(`/api/${tenantId}/passes/${id}`, { key })).status, 200);
          assert.ok(otherMs() < 5_000);
        })(),
      ]);
      assert.ok(elapsedMs() < 25_000);
      assert.deepEqual([saved.status, Object.keys(saved.body.errors)], [400, ["baseUrl"]]);
      assert.equal((await api.get(path, { key })).body.apiKeyId, settings.apiKeyId);
      assert.equal(patched.status, 200);
      assert.equal(patched.body.metadataFailures.length, 1);
      assert.ok(!api.logLines.some((line) => line.includes(project.apiKeySecret)));

      await until(async () => {
        const rows = await api.sql("select attempts from connector_feed where problem is not null");
        return Number(rows[0]?.attempts) > 0;
      }, "the feed has given up waiting");
      await bloomreach.server.setFault(undefined);
      await until(() => {
        aheadMs += 60_000;
        return told().length >= 2;
      }, "the second event");
      assert.deepEqual(told().at(-1)?.customer_ids, { registered: "later@harbour.example" });
    });
  }
});
