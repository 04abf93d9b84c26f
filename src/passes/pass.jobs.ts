import Type from "typebox";
import { defineJob, type JobContext } from "#kernel/jobs/define.ts";
import type { TaskKind } from "#src/scheduler/public.ts";
import { type ExpiredPass, listExpired, listExpiredOf } from "./pass.repository.ts";
import { passTypesOf } from "./pass.types.ts";
import { changePasses } from "./pass.writer.ts";

const BATCH = 500;

/**
 * Expires passes of all tenants whose time is over. Passes that have been expired meanwhile are not
 * changed again.
 */
export const expirePasses = defineJob({
  name: "pass.expire",
  payload: Type.Object({}),
  cron: "* * * * *",
  concurrency: 1,
  async run(context, _payload, signal) {
    const failed = new Set<string>();
    for (let count = BATCH; count === BATCH && !signal.aborted; ) {
      // Tenants whose passes failed are left out, because the same passes would come again and
      // again; the next run tries them once more.
      const due = await context.transaction((tx) => listExpired(tx, BATCH, [...failed]));
      count = due.length;
      for (const [tenantId, passes] of Map.groupBy(due, (pass) => pass.tenantId)) {
        if (!(await expireOf(context, tenantId, passes))) failed.add(tenantId);
      }
    }
  },
});

/** Applies an empty change, because the effect of time is part of every change. */
async function expireOf(
  context: JobContext,
  tenantId: string,
  passes: readonly ExpiredPass[],
): Promise<boolean> {
  const tenant = context.forTenant(tenantId);
  try {
    const types = await passTypesOf(tenant);
    const changes = new Map(passes.map(({ id }) => [id, [{}]] as const));
    const now = passes[0]?.now;
    const results = await tenant.transaction((tx) => changePasses(tx, types, changes, now));
    return results.some(({ isUpdated }) => isUpdated);
  } catch (error) {
    context.log.warn({ err: error, tenantId }, "passes of a tenant could not expire");
    return false;
  }
}

/**
 * Expires what is over now. A job does the same for all tenants every minute, so this mostly finds
 * what has become due since then.
 */
export const expirePassesTask: TaskKind = {
  kind: "expire-passes",
  async run({ context, settings, signal, log }) {
    let [expired, failed] = [0, 0];
    for (let after = ""; ; ) {
      signal.throwIfAborted();
      const types = await passTypesOf(context);
      const batch = await context.transaction(async (tx) => {
        const due = await listExpiredOf(tx, BATCH, { after, passType: settings.passType });
        // An empty change, because the effect of time is part of every change.
        const changes = new Map(due.map(({ id }) => [id, [{}]] as const));
        const results = due.length === 0 ? [] : await changePasses(tx, types, changes, due[0]?.now);
        return { due, changed: results.filter(({ isUpdated }) => isUpdated).length };
      });
      expired += batch.changed;
      failed += batch.due.length - batch.changed;
      if (batch.due.length < BATCH) break;
      after = batch.due.at(-1)?.id ?? after;
    }
    if (failed > 0) await log("warn", "Some passes changed meanwhile, or failed.", { failed });
    const summary = expired === 1 ? "1 pass has expired." : `${expired} passes have expired.`;
    return { summary, counts: { expired } };
  },
};
