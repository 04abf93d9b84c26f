import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCall } from "#kernel/call.ts";
import { type Provision, provide } from "#kernel/port.ts";
import { metadataSources } from "#src/passes/connector.port.ts";
import { expirePasses } from "#src/passes/pass.jobs.ts";
import { finishedJob } from "../support/jobs.ts";
import { seedPass, seedPassTenant } from "../support/pass-tenant.ts";
import { watchSlowness } from "../support/slowness.ts";
import { shareApi, type TestApi } from "../support/start-api.ts";
import { until } from "../support/webhook-receiver.ts";
import { createStage } from "../support/webhook-stage.ts";

const HOUR_MS = 3_600_000;
/** How far from its time anything may be on a quiet machine. */
const OFF_MS_MAX = { noted: 2_000, tried: 1_000, late: 500, signed: 3_000 };
/** A busy machine delays some of these tries. A clock that is an hour wrong spoils all of them. */
const TRIES_MAX = 3;

/** Starts a worker whose clock is wrong, for one test: it must not take the work of the next one. */
async function startWorker(
  t: TestContext,
  api: TestApi,
  offsetMs: number,
  provides: readonly Provision[] = [],
) {
  const clock = { now: () => new Date(Date.now() + offsetMs) };
  const node = await api.node({ ROLES: "worker" }, { clock, provides });
  t.after(() => node.application.stop());
  return node;
}

type OffMs = { readonly [what in keyof typeof OFF_MS_MAX]: number };

/** Has a delivery fail, and waits for its second attempt, which must never be early. */
async function tryAgainOnce(t: TestContext, api: TestApi): Promise<OffMs> {
  const { open, happen, settled } = createStage(api);
  const { receiver, hook } = await open(t);
  receiver.answer(() => (receiver.received.length === 1 ? 500 : 200));
  const [id = ""] = await happen(hook);
  const { attempts, nextAttemptAt } = await settled(hook, id, "retrying");
  const [first, second] = await receiver.waitFor(2);
  assert.ok(first !== undefined && second !== undefined);
  const waitMs = second.at - first.at;
  const late = second.at - Date.parse(nextAttemptAt);
  assert.ok(waitMs >= 5_000 && late >= 0, `${waitMs} ms, ${late} ms after its time`);
  const signed = receiver.received.map(({ at, headers }) =>
    Math.abs(Number(headers["webhook-timestamp"]) * 1_000 - at),
  );
  const noted = Math.abs(Date.parse(attempts[0].at) - first.at);
  return { noted, tried: waitMs - 5_000, late, signed: Math.max(...signed) };
}

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
      const worker = (t: TestContext, offMs: number, ...more: Provision[]) =>
        startWorker(t, api(), offMs, more);

      it("tries a failed delivery again at its time, neither early nor late, and says the right time", async (t) => {
        await worker(t, offsetMs);
        for (let tries = 1; ; tries += 1) {
          const slowness = watchSlowness();
          const offMs = await tryAgainOnce(t, api());
          const factor = slowness();
          t.diagnostic(`${JSON.stringify(offMs)}, slowness ${factor.toFixed(1)}`);
          const inTime = Object.entries(OFF_MS_MAX).every(
            ([what, mostMs]) => offMs[what as keyof OffMs] <= mostMs * factor,
          );
          if (inTime) return;
          assert.ok(tries < TRIES_MAX, JSON.stringify(offMs));
        }
      });

      it("signs with a former secret for as long as it is valid", async (t) => {
        const { open, happen, post } = createStage(api());
        await worker(t, offsetMs);
        const { receiver, hook } = await open(t);
        const rotated = await post(`${hook.path}/secret/rotate`, { overlapHours: 1 });
        assert.equal(rotated.status, 200, rotated.text);
        await happen(hook);
        const [got] = await receiver.waitFor(1);
        assert.equal(got?.headers["webhook-signature"]?.split(" ").length, 2);
      });

      it("expires passes when their time is over, not by its own clock", async (t) => {
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
        const node = await worker(t, offsetMs);
        const call = systemCall(node.runtime, "pass.expire");
        await expirePasses.run(call, {}, new AbortController().signal);
        const statusOf = async (id: string) =>
          (await api().get(`/api/${tenantId}/passes/${id}`, { key })).body.status;
        assert.deepEqual([await statusOf(soon.id), await statusOf(over.id)], ["active", "expired"]);
      });

      it("leaves what another worker asks sources about to that one", async (t) => {
        const tenantId = `sources-${how}`;
        await seedPassTenant(api(), tenantId);
        const { id } = await seedPass(api(), tenantId);
        await worker(t, 0, sourceOf("right", asked));
        const key = api().operatorKey;
        const body = { options: { UpdateMetadata: true } };
        const sent = await api().patch(`/api/${tenantId}/passes/${id}`, { key, body });
        await until(() => asked.length === 1);
        await worker(t, offsetMs, sourceOf("wrong", asked));
        await finishedJob(api(), tenantId, sent.body.jobId);
        assert.deepEqual(asked, ["right"]);
      });
    });
  }

  describe("an endpoint that takes its time", () => {
    const api = shareApi({ env: { ROLES: "api" } });

    it("is left to the worker that waits for it, whatever the clocks of the others say", async (t) => {
      const { open, happen, settled } = createStage(api());
      const { receiver, hook } = await open(t);
      receiver.answer(async () => {
        await sleep(18_000);
        return 200;
      });
      for (const offMs of [0, HOUR_MS, -HOUR_MS]) await startWorker(t, api(), offMs);
      const [id = ""] = await happen(hook);
      await until(async () => receiver.received.length > 0);
      await sleep(18_500);
      await settled(hook, id, "delivered");
      assert.equal(receiver.received.length, 1);
    });
  });
});
