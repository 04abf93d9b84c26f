import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { insertPasses } from "#test/support/factories.ts";
import { finishedJob } from "#test/support/jobs.ts";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import {
  envOf,
  makeDataDir,
  PRODUCT_OPERATOR_KEY,
  type Product,
  removeDataDir,
  startProduct,
  withProductDatabase,
} from "#test/support/product.ts";

/*
 * Kills the product again and again during one update of many passes. Every pass must be updated
 * exactly once, and have exactly one event of the update: `node test/faults/update-crash.ts
 * --passes 100000 --kills 10`.
 */

export type UpdateCrashResult = {
  readonly passes: number;
  /** The number of processed passes at each kill. */
  readonly doneAtKill: readonly number[];
  readonly job: { readonly state: string; readonly updated: number; readonly processed: number };
  /** The number of updated passes, by version. */
  readonly versions: Readonly<Record<string, number>>;
  /** The number of passes, by how many update events they have. */
  readonly events: Readonly<Record<string, number>>;
};

type Place = Parameters<typeof withProductDatabase>[0];

const TENANT = "crashing";
const WAIT_MS = 120_000;
/** Between two looks: whoever looks without a pause takes the processor from the product. */
const LOOK_MS = 20;

export async function runUpdateCrash(
  passes: number,
  kills: number,
  databaseUrl?: string,
): Promise<UpdateCrashResult> {
  const dataDir = await makeDataDir();
  const place = { dataDir, databaseUrl };
  const env = { DATA_DIR: dataDir, LOG_LEVEL: "error", ...envOf(databaseUrl) };
  let product: Product | undefined;
  try {
    product = await startProduct({ env });
    await seedPassTenant({ ...product, operatorKey: PRODUCT_OPERATOR_KEY }, TENANT);
    await fill(place, passes);
    const jobId = await update(product, passes);
    const doneAtKill: number[] = [];
    for (let kill = 1; kill <= kills; kill += 1) {
      await waitUntilDone(product, jobId, Math.floor((passes * kill) / (kills + 2)));
      await product.kill("SIGKILL");
      doneAtKill.push(await countDone(place));
      product = await startProduct({ env });
    }
    const api = { ...product, operatorKey: PRODUCT_OPERATOR_KEY };
    const { state, updated, processed } = await finishedJob(api, TENANT, jobId);
    const job = { state, updated, processed };
    return { passes, doneAtKill, job, ...(await count(place)) };
  } finally {
    await product?.kill("SIGKILL");
    await removeDataDir(dataDir);
  }
}

/** Inserts directly, because creating thousands of passes through the API would take too long. */
async function fill(place: Place, passes: number): Promise<void> {
  await withProductDatabase(place, async (client) => {
    const rows = { sql: (text: string, values: unknown[]) => client.query(text, values) };
    await insertPasses(rows, TENANT, passes, { passType: "coupon", data: { offer: "Tea" } });
  });
}

async function update(product: Product, passes: number): Promise<string> {
  const filter = [{ field: "additionalData.offer", operator: "equals", value: "Tea" }];
  const { status, body, text } = await product.patch(`/api/${TENANT}/passes`, {
    key: PRODUCT_OPERATOR_KEY,
    body: { filter, additionalData: { offer: "Coffee" } },
  });
  if (status !== 202 || body.matched !== passes) throw new Error(`Not accepted: ${text}`);
  return body.jobId;
}

async function waitUntilDone(product: Product, jobId: string, wanted: number): Promise<void> {
  for (const deadline = Date.now() + WAIT_MS; ; ) {
    const path = `/api/${TENANT}/jobs/${jobId}`;
    const { body } = await product.get(path, { key: PRODUCT_OPERATOR_KEY });
    if (body.processed >= Math.max(1, wanted)) return;
    if (Date.now() > deadline) throw new Error(`No progress: ${JSON.stringify(body)}`);
    await sleep(LOOK_MS);
  }
}

function countDone(place: Place): Promise<number> {
  return withProductDatabase(place, async (client) => {
    const { rows } = await client.query("select processed from job");
    return rows[0].processed as number;
  });
}

function count(place: Place): Promise<Pick<UpdateCrashResult, "versions" | "events">> {
  return withProductDatabase(place, async (client) => {
    const versions = await client.query(
      `select version::text as name, count(*)::int as count from pass
        where data ->> 'offer' = 'Coffee' group by version`,
    );
    const events = await client.query(
      `select told.count::text as name, count(*)::int as count
         from (select pass.id, count(event.id)
                 from pass
                 left join event on event.tenant_id = pass.tenant_id
                                and event.subject = pass.id
                                and event.name = 'pass.updated'
                group by pass.id) as told (id, count)
        group by told.count`,
    );
    const toRecord = (rows: { name: string; count: number }[]) =>
      Object.fromEntries(rows.map((row) => [row.name, row.count]));
    return { versions: toRecord(versions.rows), events: toRecord(events.rows) };
  });
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      passes: { type: "string", default: "100000" },
      kills: { type: "string", default: "5" },
      "database-url": { type: "string" },
    },
  });
  const { passes, kills, "database-url": url } = values;
  const result = await runUpdateCrash(Number(passes), Number(kills), url);
  console.log(JSON.stringify(result));
}
