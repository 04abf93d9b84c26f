import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCall } from "#kernel/call.ts";
import { type Provision, provide } from "#kernel/port.ts";
import { metadataSources } from "#src/passes/connector.port.ts";
import { expirePasses } from "#src/passes/pass.jobs.ts";
import { finishedJob } from "../support/jobs.ts";
import { seedPass, seedPassTenant } from "../support/pass-tenant.ts";
import { shareApi, type TestApi } from "../support/start-api.ts";
import { until } from "../support/webhook-receiver.ts";
import { createStage } from "../support/webhook-stage.ts";

const HOUR_MS = 3_600_000;

/** Starts a worker whose clock is wrong. */
const startWorker = (api: TestApi, offsetMs: number, provides: readonly Provision[] = []) =>
  api.node(
    { ROLES: "worker" },
    { clock: { now: () => new Date(Date.now() + offsetMs) }, provides },
  );

/** A source of metadata that records which node called it. */
const sourceOf = (node: string, asked: string[]): Provision =>
  provide(metadataSources, {
    name: "crm",
    async fetch() {
      asked.push(node);
      // Longer than the interval at which workers look for work.
      await sleep(5_000);
      return { segment: "gold" };
    },
  });

// Concurrent, because each waits for real time and has its own database.
describe("clocks that are wrong", { concurrency: true }, () => {
  for (const [how, offsetMs] of [
    ["ahead", 1.1 * HOUR_MS],
    ["behind", -1.1 * HOUR_MS],
  ] as const) {
    describe(`a worker whose clock is an hour ${how}`, { concurrency: false }, () => {
      const asked: string[] = [];
      const provides = [sourceOf("the one that only queues", asked)];
      const api = shareApi({ env: { ROLES: "api" }, provides });
      const worker = (offMs: number, ...more: Provision[]) => startWorker(api(), offMs, more);

      it("tries a failed delivery again at its time, neither early nor late, and says the right time", async (t) => {
        const { open, happen, settled } = createStage(api());
        const node = await worker(offsetMs);
        const { receiver, hook } = await open(t);
        receiver.answer(500);
        const [id = ""] = await happen(hook);
        const { attempts, nextAttemptAt } = await settled(hook, id, "retrying");
        const [first] = await receiver.waitFor(1);
        assert.ok(Math.abs(Date.parse(attempts[0].at) - (first?.at ?? 0)) < 2_000, attempts[0].at);
        receiver.answer(200);
        const [, second] = await receiver.waitFor(2);
        const waitMs = (second?.at ?? 0) - (first?.at ?? 0);
        const lateMs = (second?.at ?? 0) - Date.parse(nextAttemptAt);
        t.diagnostic(`again after ${waitMs} ms, ${lateMs} ms after its time`);
        assert.ok(waitMs >= 5_000 && waitMs <= 6_000, `${waitMs} ms`);
        assert.ok(lateMs >= 0 && lateMs <= 500, `${lateMs} ms`);
        for (const { at, headers } of receiver.received) {
          const offSeconds = Math.abs(Number(headers["webhook-timestamp"]) - at / 1_000);
          assert.ok(offSeconds < 3, `signed ${offSeconds} s off`);
        }
        await node.application.stop();
      });

      it("signs with a former secret for as long as it is valid", async (t) => {
        const { open, happen, post } = createStage(api());
        const node = await worker(offsetMs);
        const { receiver, hook } = await open(t);
        const rotated = await post(`${hook.path}/secret/rotate`, { overlapHours: 1 });
        assert.equal(rotated.status, 200, rotated.text);
        await happen(hook);
        const [got] = await receiver.waitFor(1);
        assert.equal(got?.headers["webhook-signature"]?.split(" ").length, 2);
        await node.application.stop();
      });

      it("expires passes when their time is over, not by its own clock", async () => {
        const tenantId = `expiry-${how}`;
        await seedPassTenant(api(), tenantId);
        const key = api().operatorKey;
        const [soon, over] = [await seedPass(api(), tenantId), await seedPass(api(), tenantId)];
        for (const [{ id }, minutes] of [
          [soon, "30"],
          [over, "-30"],
        ] as const) {
          const change = `update pass set expires_at = now() + interval '${minutes} minutes',
                               has_own_expiry = true where id = $1`;
          await api().sql(change, [id]);
        }
        const node = await worker(offsetMs);
        const call = systemCall(node.runtime, "pass.expire");
        await expirePasses.run(call, {}, new AbortController().signal);
        const statusOf = async (id: string) =>
          (await api().get(`/api/${tenantId}/passes/${id}`, { key })).body.status;
        assert.deepEqual([await statusOf(soon.id), await statusOf(over.id)], ["active", "expired"]);
        await node.application.stop();
      });

      it("leaves what another worker asks sources about to that one", async () => {
        const tenantId = `sources-${how}`;
        await seedPassTenant(api(), tenantId);
        const { id } = await seedPass(api(), tenantId);
        const right = await worker(0, sourceOf("right", asked));
        const key = api().operatorKey;
        const body = { options: { UpdateMetadata: true } };
        const sent = await api().patch(`/api/${tenantId}/passes/${id}`, { key, body });
        await until(() => asked.length === 1);
        const wrong = await worker(offsetMs, sourceOf("wrong", asked));
        await finishedJob(api(), tenantId, sent.body.jobId);
        assert.deepEqual(asked, ["right"]);
        for (const node of [right, wrong]) await node.application.stop();
      });
    });
  }

  describe("an endpoint that takes its time", () => {
    const api = shareApi({ env: { ROLES: "api" } });
    const worker = (offMs: number) => startWorker(api(), offMs);

    it("is left to the worker that waits for it, whatever the clocks of the others say", async (t) => {
      const { open, happen, settled } = createStage(api());
      const { receiver, hook } = await open(t);
      receiver.answer(async () => {
        await sleep(18_000);
        return 200;
      });
      const nodes = [await worker(0), await worker(HOUR_MS), await worker(-HOUR_MS)];
      const [id = ""] = await happen(hook);
      await until(async () => receiver.received.length > 0);
      await sleep(18_500);
      await settled(hook, id, "delivered");
      assert.equal(receiver.received.length, 1);
      for (const node of nodes) await node.application.stop();
    });
  });
});
