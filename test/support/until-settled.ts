import type { TestApi } from "./start-api.ts";
import { until } from "./webhook-receiver.ts";

/**
 * Waits until all transactions that write now have ended, those of tests beside this one included:
 * they share a server, and events are read up to the oldest of them.
 */
export async function untilSettled(api: Pick<TestApi, "sql">): Promise<void> {
  const [now] = await api.sql("select pg_snapshot_xmax(pg_current_snapshot())::text as xact");
  await until(async () => {
    const [seen] = await api.sql(
      "select pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 as passed",
      [now?.xact],
    );
    return seen?.passed === true;
  });
}
