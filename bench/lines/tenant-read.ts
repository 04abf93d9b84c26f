import pg, { type Pool } from "pg";
import { systemClock } from "#kernel/clock.ts";
import { Database } from "#kernel/db/database.ts";
import { sql } from "#kernel/db/sql.ts";
import { createLog } from "#kernel/log.ts";
import { BARE_OPTIONS } from "../support/bare-tables.ts";
import { defineLine } from "../support/line.ts";
import { BENCH_TENANT } from "../support/product.ts";
import { timesPerSecond } from "../support/repeat.ts";

const POOL_SIZE = 10;
const TEXT = `select id, name, scopes, version from api_key
               where tenant_id = $1 and kind = 'api-key' and name = $2`;
const STATEMENT = { name: "read_key", text: TEXT, values: [BENCH_TENANT, "bench"] };

/** What it costs that the database itself holds a read to its tenant. */
export const tenantRead = defineLine({
  name: "tenant read",
  measures: { throughput: { unit: "reads/s" } },
  rounds: 5,
  async prepare(bench) {
    await bench.product();
    const db = new Database({
      connection: bench.connection,
      poolSize: POOL_SIZE,
      clock: systemClock,
      log: createLog({ level: "warn" }),
      role: "billfold_app",
    });
    const bare = new pg.Pool({ ...bench.connection, max: POOL_SIZE, options: BARE_OPTIONS });
    const asApp = new pg.Pool({
      ...bench.connection,
      max: POOL_SIZE,
      options: "-c role=billfold_app",
    });
    bench.onClose(() => Promise.all([db.close(), bare.end(), asApp.end()]));

    const measure = (read: () => Promise<unknown[]>) => async () => ({
      throughput: await timesPerSecond(async () => {
        if ((await read()).length !== 1) throw new Error("The row was not found.");
      }),
    });
    return {
      ours: measure(() =>
        db.read(
          BENCH_TENANT,
          sql`select id, name, scopes, version from api_key
               where tenant_id = ${BENCH_TENANT} and kind = 'api-key' and name = ${"bench"}`,
        ),
      ),
      baselines: {
        "pool.query, no row-level security": measure(
          async () => (await bare.query({ ...STATEMENT })).rows,
        ),
        "the same, parsed and planned each time": measure(
          async () => (await bare.query(TEXT, STATEMENT.values)).rows,
        ),
        "begin; set local, read, commit": measure(() => readInTransaction(asApp)),
      },
    };
  },
});

async function readInTransaction(pool: Pool): Promise<unknown[]> {
  const client = await pool.connect();
  try {
    await client.query(`begin; set local app.tenant = '${BENCH_TENANT}'`);
    const { rows } = await client.query({ ...STATEMENT });
    await client.query("commit");
    return rows;
  } finally {
    client.release();
  }
}
