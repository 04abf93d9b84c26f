import Type from "typebox";
import { defineJob, type JobContext } from "#kernel/jobs/define.ts";
import { type ExpiredPass, listExpired } from "./pass.repository.ts";
import { passTypesOf } from "./pass.types.ts";
import { changePasses } from "./pass.writer.ts";

const BATCH = 500;

/** Passes of all tenants whose time is over. Those that someone expired meanwhile stay as they are. */
export const expirePasses = defineJob({
  name: "pass.expire",
  payload: Type.Object({}),
  cron: "* * * * *",
  concurrency: 1,
  async run(context, _payload, signal) {
    const failed = new Set<string>();
    for (let count = BATCH; count === BATCH && !signal.aborted; ) {
      // Those that failed would come again and again; the next run tries them once more.
      const due = await context.transaction((tx) => listExpired(tx, BATCH, [...failed]));
      count = due.length;
      for (const [tenantId, passes] of Map.groupBy(due, (pass) => pass.tenantId)) {
        if (!(await expireOf(context, tenantId, passes))) failed.add(tenantId);
      }
    }
  },
});

/** An empty change: what time does to a pass is decided where every change is. */
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
