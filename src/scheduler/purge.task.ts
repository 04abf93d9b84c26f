import { purgers, type TaskKind } from "./kinds.port.ts";

/** Deletes what the retention of the tenant says, as the hourly jobs do for all tenants. */
export const purgeTask: TaskKind = {
  kind: "purge",
  async run({ context, signal, log }) {
    const counts: Record<string, number> = {};
    for (const { name, purge } of context.runtime.ports.all(purgers)) {
      signal.throwIfAborted();
      const count = await purge(context, signal);
      counts[name] = count;
      if (count > 0) await log("info", "Rows were deleted.", { what: name, count });
    }
    signal.throwIfAborted();
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    return { summary: total === 1 ? "1 row was deleted." : `${total} rows were deleted.`, counts };
  },
};
