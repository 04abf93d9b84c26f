import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { endedImport, uploadImport } from "#test/support/imports.ts";
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
 * Kills the product again and again during one import. Every row must be done exactly once, and stand
 * in the log exactly once: `node test/faults/import-crash.ts --rows 100000 --kills 10`.
 */

export type ImportCrashResult = {
  readonly rows: number;
  /** The number of rows that were done at each kill. */
  readonly doneAtKill: readonly number[];
  readonly file: Readonly<Record<"status" | "rows" | "created" | "failed", unknown>>;
  /** Numbers of things that there must be as many of as rows. */
  readonly counts: Readonly<Record<string, number>>;
};

type Place = Parameters<typeof withProductDatabase>[0];

const TENANT = "crashing";
const WAIT_MS = 120_000;
/** Between two looks: whoever looks without a pause takes the processor from the product. */
const LOOK_MS = 20;

export async function runImportCrash(
  rows: number,
  kills: number,
  databaseUrl?: string,
): Promise<ImportCrashResult> {
  const dataDir = await makeDataDir();
  const place = { dataDir, databaseUrl };
  const env = { DATA_DIR: dataDir, LOG_LEVEL: "error", ...envOf(databaseUrl) };
  let product: Product | undefined;
  const callersOf = (running: Product) => ({ ...running, operatorKey: PRODUCT_OPERATOR_KEY });
  try {
    product = await startProduct({ env });
    await seedPassTenant(callersOf(product), TENANT);
    const { importId } = await uploadImport(callersOf(product), TENANT, fileOf(rows));
    const doneAtKill: number[] = [];
    for (let kill = 1; kill <= kills; kill += 1) {
      await waitUntilDone(product, importId, Math.floor((rows * kill) / (kills + 2)));
      await product.kill("SIGKILL");
      doneAtKill.push(await leaveAt(place));
      product = await startProduct({ env });
    }
    const ended = await endedImport(callersOf(product), TENANT, importId);
    const { status, rows: done, created, failed } = ended;
    const file = { status, rows: done, created, failed };
    return { rows, doneAtKill, file, counts: await count(place) };
  } finally {
    await product?.kill("SIGKILL");
    await removeDataDir(dataDir);
  }
}

function fileOf(rows: number): string {
  const lines = ["passType,identifiers.loyalty.number,additionalData.firstName"];
  for (let row = 1; row <= rows; row += 1) lines.push(`loyalty,L-${row},Name ${row}`);
  return lines.join("\n");
}

async function waitUntilDone(product: Product, importId: string, wanted: number): Promise<void> {
  for (const deadline = Date.now() + WAIT_MS; ; ) {
    const path = `/api/${TENANT}/admin/imports/${importId}`;
    const { body } = await product.get(path, { key: PRODUCT_OPERATOR_KEY });
    if (body.rows >= Math.max(1, wanted)) return;
    if (Date.now() > deadline) throw new Error(`No progress: ${JSON.stringify(body)}`);
    await sleep(LOOK_MS);
  }
}

/** How many rows are done. The lease of the process that is dead ends now, and not in 30 seconds. */
function leaveAt(place: Place): Promise<number> {
  return withProductDatabase(place, async (client) => {
    const { rows } = await client.query(
      "update import_file set claimed_until = now() returning rows",
    );
    return rows[0].rows as number;
  });
}

function count(place: Place): Promise<Record<string, number>> {
  return withProductDatabase(place, async (client) => {
    const { rows } = await client.query(
      `select (select count(*)::int from pass) as passes,
              (select count(distinct identifiers ->> 'loyalty.number')::int from pass) as numbers,
              (select count(*)::int from privilege) as privileges,
              (select count(distinct subject)::int from event where name = 'pass.created') as told,
              (select count(*)::int from event where name = 'pass.created') as events,
              (select count(*)::int from import_outcome where outcome = 'created') as outcomes,
              (select count(distinct row)::int from import_outcome) as logged,
              (select count(*)::int from import_outcome join pass
                   on pass.id = pass_id and pass.identifiers = import_outcome.identifiers) as right_ones`,
    );
    return rows[0];
  });
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      rows: { type: "string", default: "100000" },
      kills: { type: "string", default: "5" },
      "database-url": { type: "string" },
    },
  });
  const { rows, kills, "database-url": url } = values;
  const result = await runImportCrash(Number(rows), Number(kills), url);
  console.log(JSON.stringify(result));
}
