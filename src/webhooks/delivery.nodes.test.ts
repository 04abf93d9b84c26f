import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shareApi } from "#test/support/start-api.ts";
import { startReceiver, until } from "#test/support/webhook-receiver.ts";

const api = shareApi({ env: { ROLES: "api" } });

async function subscribe(tenantId: string, endpoint: string): Promise<void> {
  await api().seed.tenant(tenantId);
  const body = { events: ["api-key.*"], endpoint, enabled: true };
  const { status } = await api().post(`/api/${tenantId}/webhooks`, {
    key: api().operatorKey,
    body,
  });
  assert.equal(status, 200);
}

describe("deliveries by other processes", () => {
  it("what happens while no worker runs is sent when one starts, and then at once", async (t) => {
    const receiver = await startReceiver(t);
    await subscribe("split", receiver.url);
    await api().seed.key("split", "Pass.Read");
    assert.equal(receiver.received.length, 0);

    await api().node({ ROLES: "worker" });
    await receiver.waitFor(1);
    const startedAt = Date.now();
    for (let count = 2; count <= 11; count += 1) {
      await api().seed.key("split", "Pass.Read");
      await receiver.waitFor(count);
    }
    // Whoever only looked from time to time would need 25 seconds.
    assert.ok(Date.now() - startedAt < 12_000, `${Date.now() - startedAt} ms for ten`);
  });

  it("two workers share the work and send nothing twice", async (t) => {
    const receiver = await startReceiver(t);
    await subscribe("shared", receiver.url);
    await api().node({ ROLES: "worker" });
    await api().node({ ROLES: "worker" });
    const count = 60;
    await Promise.all(Array.from({ length: count }, () => api().seed.key("shared", "Pass.Read")));
    await until(
      async () => {
        const [row] = await api().sql(
          "select count(*)::int as open from delivery where tenant_id = 'shared' and state <> 'delivered'",
        );
        return row?.open === 0 && receiver.received.length >= count;
      },
      () => `${receiver.received.length} of ${count}`,
    );
    assert.equal(receiver.received.length, count);
    assert.equal(new Set(receiver.ids()).size, count);
  });
});
