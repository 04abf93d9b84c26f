import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { seedWebhook } from "#test/support/factories.ts";
import { startStopwatch } from "#test/support/slowness.ts";
import { shareApi } from "#test/support/start-api.ts";
import { startReceiver, until } from "#test/support/webhook-receiver.ts";

const api = shareApi({ env: { ROLES: "api" } });

async function subscribe(tenantId: string, endpoint: string): Promise<void> {
  await api().seed.tenant(tenantId);
  await seedWebhook(api(), tenantId, { events: ["api-key.*"], endpoint });
}

/**
 * A worker for one test: a worker that went on would call endpoints of other tests that do not
 * exist any more.
 */
async function startWorker(t: TestContext): Promise<void> {
  const worker = await api().node({ ROLES: "worker" });
  t.after(() => worker.application.stop());
}

describe("deliveries by other processes", () => {
  it("what happens while no worker runs is sent when one starts, and then at once", async (t) => {
    const receiver = await startReceiver(t);
    await subscribe("split", receiver.url);
    await api().seed.key("split", "Pass.Read");
    assert.equal(receiver.received.length, 0);

    await startWorker(t);
    await receiver.waitFor(1);
    const elapsedMs = startStopwatch();
    for (let count = 2; count <= 11; count += 1) {
      await api().seed.key("split", "Pass.Read");
      await receiver.waitFor(count);
    }
    // A process that only polls would need 25 seconds.
    const tookMs = elapsedMs();
    assert.ok(tookMs < 12_000, `${tookMs} ms for ten`);
  });

  it("two workers share the work and send nothing twice", async (t) => {
    const receiver = await startReceiver(t);
    await subscribe("shared", receiver.url);
    await startWorker(t);
    await startWorker(t);
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

  it("an answer that comes after the claim went to another worker is not written down", async (t) => {
    const receiver = await startReceiver(t);
    await subscribe("zombie", receiver.url);
    // Simulates a worker that slept longer than its lease while the endpoint had its request.
    const taken = Promise.withResolvers<void>();
    receiver.answer(async () => {
      receiver.answer(200);
      await api().sql(
        `update delivery set claim = gen_random_uuid(), claimed_until = now() + interval '1 hour'
          where tenant_id = 'zombie'`,
      );
      taken.resolve();
      return 200;
    });
    await startWorker(t);
    const rows = () =>
      api().sql(
        `select state, attempt_count as attempts, claim is not null as held
           from delivery where tenant_id = 'zombie' order by sequence`,
      );
    await api().seed.key("zombie", "Pass.Read");
    await taken.promise;
    // Recorded after the other worker took the first one, so it is not taken with it. When the
    // second one is delivered, the result of the first one was refused.
    await api().seed.key("zombie", "Pass.Read");
    await until(
      async () => (await rows())[1]?.state === "delivered",
      () => `${receiver.received.length} were received`,
    );
    assert.deepEqual((await rows())[0], { state: "pending", attempts: 0, held: true });
    assert.equal(receiver.received.length, 2);
  });

  it("a webhook that another node made is owed the very next event, a deleted one none", async () => {
    await api().seed.tenant("guessed");
    const other = await api().node({ ROLES: "api" });
    const owed = async () => {
      await api().seed.key("guessed", "Pass.Read");
      return await api().sql(
        `select webhook_id as id from delivery
          where event_id = (select id from event
                             where tenant_id = 'guessed' and name = 'api-key.created'
                             order by sequence desc limit 1)`,
      );
    };
    const [key, path] = [api().operatorKey, "/api/guessed/webhooks"];
    assert.deepEqual(await owed(), []);
    const body = { events: ["api-key.*"], endpoint: "https://example.com/hook", enabled: true };
    for (let round = 0; round < 3; round += 1) {
      const { body: made } = await other.post(path, { key, body });
      assert.deepEqual(await owed(), [{ id: made.id }]);
      assert.deepEqual(await owed(), [{ id: made.id }]);
      assert.equal((await other.delete(`${path}/${made.id}`, { key })).status, 200);
      assert.deepEqual(await owed(), []);
    }
  });

  it("nothing fails while webhooks change all the time on two nodes", async () => {
    await api().seed.tenant("restless");
    const other = await api().node({ ROLES: "api" });
    const [key, path] = [api().operatorKey, "/api/restless/webhooks"];
    const body = { events: ["api-key.*"], endpoint: "https://example.com/hook", enabled: true };
    const change = async (node: Pick<typeof other, "post">) => {
      for (let count = 0; count < 20; count += 1) {
        assert.equal((await node.post(path, { key, body })).status, 200);
      }
    };
    const write = async (node: Pick<typeof other, "post">, name: string) => {
      for (let count = 0; count < 20; count += 1) {
        const made = { name: `${name}-${count}`, scopes: ["Pass.Read"] };
        const { status } = await node.post("/api/restless/admin/apiKeys", { key, body: made });
        assert.equal(status, 201);
      }
    };
    const nodes = [api(), other, api(), other];
    await Promise.all(nodes.flatMap((node, at) => [change(node), write(node, `s${at}`)]));
  });
});
