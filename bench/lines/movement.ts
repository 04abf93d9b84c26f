import { type Loaded, loadedId, loadPasses } from "#test/support/pass-rows.ts";
import { withAdmin } from "#test/support/server.ts";
import type { Bench } from "../support/bench.ts";
import { defineLine } from "../support/line.ts";
import { runLoad } from "../support/load.ts";
import { preparePassTenant } from "../support/pass-tenant.ts";

const TENANT = "bench-movements";
const PASSES = 10_000;
const PRIVILEGE = "points";

/** One unit more on a pass among many: the lock, the ledger, the event and the audit row. */
export const movement = defineLine({
  name: "movement",
  measures: {
    throughput: { unit: "requests/s", bar: { of: "ratio", atLeast: 0.5 } },
    p99: { unit: "ms", bar: { of: "ratio", below: 4 } },
  },
  rounds: 5,
  async prepare(bench) {
    const product = await bench.product();
    const key = await preparePassTenant(product, TENANT);
    const loaded = await loadPasses(bench.connection, TENANT, PASSES);
    await givePoints(bench);
    const bare = await bench.baseline("ledger-server.ts");
    const load = (url: string) =>
      runLoad({
        url,
        method: "POST",
        headers: { "x-api-key": key, "content-type": "application/json" },
        vary: () => ({ path: pathOf(loaded) }),
        body: () => JSON.stringify({ value: 1 }),
        expectedStatus: 201,
      });
    return {
      ours: () => load(product.url),
      baselines: { "bare Fastify + pg": () => load(bare.url) },
    };
  },
});

function pathOf(loaded: Loaded): string {
  const passId = loadedId(loaded, Math.floor(Math.random() * PASSES));
  return `/api/${TENANT}/passes/${passId}/privileges/${PRIVILEGE}/movements`;
}

/** Every pass gets the privilege of its template, in the tables of both sides. */
function givePoints({ connection }: Bench): Promise<void> {
  return withAdmin(connection, async (client) => {
    await client.query("select set_config('app.tenant', '*', false)");
    for (const schema of ["public", "bare"]) {
      await client.query(
        `insert into ${schema}.privilege (tenant_id, pass_id, id, name, type, value, status,
                                          created_at, updated_at)
         select tenant_id, id, $2, 'Points', 'MultiUse', 0, 'available', now(), now()
           from public.pass where tenant_id = $1`,
        [TENANT, PRIVILEGE],
      );
      await client.query(`vacuum (analyze) ${schema}.privilege`);
    }
  });
}
