import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import {
  envOf,
  findPostmaster,
  makeDataDir,
  type Product,
  removeDataDir,
  signalQuietly,
  startProduct,
  waitUntilGone,
  withProductDatabase,
} from "#test/support/product.ts";
import { checkDatabase, type DatabaseReport } from "./database-check.ts";
import { WriteJournal } from "./write-journal.ts";
import { createLoadTenants, send, writeUntilBroken } from "./write-load.ts";

/*
 * Kills the product under load again and again, at random moments. Then compares its database with
 * the answers that callers got: `node test/faults/crash-loop.ts --rounds 200`.
 */

export type CrashLoopOptions = {
  readonly rounds: number;
  /** If undefined, the product uses its own database server, which some rounds kill too. */
  readonly databaseUrl?: string | undefined;
  readonly writers?: number;
  readonly onRound?: (round: number, journal: WriteJournal) => void;
};

export type CrashLoopResult = DatabaseReport & {
  readonly rounds: number;
  readonly acknowledged: number;
  readonly unknown: number;
  readonly databaseKills: number;
  readonly surprises: readonly string[];
  readonly worstRestartMs: number;
};

const LOAD_MS_MIN = 50;
const LOAD_MS_MAX = 500;
/** In every fifth round the database server is killed too, in turn with SIGQUIT and SIGKILL. */
const DATABASE_KILL_EVERY = 5;
const SETTLE_TIMEOUT_MS = 120_000;

export async function runCrashLoop(options: CrashLoopOptions): Promise<CrashLoopResult> {
  const { rounds, databaseUrl, writers = 8 } = options;
  const dataDir = await makeDataDir();
  const journal = new WriteJournal();
  const env = {
    DATA_DIR: dataDir,
    LOG_LEVEL: "error",
    ...envOf(databaseUrl),
  };
  let worstRestartMs = 0;
  let databaseKills = 0;
  let product: Product | undefined;
  try {
    product = await startProduct({ env });
    await createLoadTenants(product, writers);
    for (let round = 1; round <= rounds; round += 1) {
      const victim = databaseUrl === undefined && round % DATABASE_KILL_EVERY === 0;
      await crash(product, journal, writers, victim ? { dataDir, round } : undefined);
      if (victim) databaseKills += 1;
      product = await startProduct({ env });
      worstRestartMs = Math.max(worstRestartMs, product.startedInMs);
      options.onRound?.(round, journal);
    }
    await settle(product, journal);
    const report = await withProductDatabase({ dataDir, databaseUrl }, (client) =>
      checkDatabase(client, journal),
    );
    return {
      ...report,
      rounds,
      databaseKills,
      worstRestartMs,
      acknowledged: journal.count("acknowledged"),
      unknown: journal.count("unknown"),
      surprises: journal.surprises,
    };
  } finally {
    await product?.kill("SIGKILL");
    await removeDataDir(dataDir);
  }
}

/** Runs several callers, and kills the process at a random moment. */
async function crash(
  product: Product,
  journal: WriteJournal,
  writers: number,
  databaseToo: { dataDir: string; round: number } | undefined,
): Promise<void> {
  const load = Promise.all(
    Array.from({ length: writers }, (_, writer) => writeUntilBroken(product, journal, writer)),
  );
  await sleep(LOAD_MS_MIN + Math.random() * (LOAD_MS_MAX - LOAD_MS_MIN));
  if (databaseToo !== undefined) await killDatabase(databaseToo.dataDir, databaseToo.round);
  await product.kill("SIGKILL");
  await load;
}

async function killDatabase(dataDir: string, round: number): Promise<void> {
  const pid = findPostmaster(dataDir);
  if (pid === undefined) return;
  signalQuietly(pid, round % (2 * DATABASE_KILL_EVERY) === 0 ? "SIGKILL" : "SIGQUIT");
  await waitUntilGone(pid);
  // So the product sometimes has begun to restart the server when it is killed, sometimes not.
  await sleep(Math.random() * 200);
}

/** Sends unanswered requests again, as careful callers do after an outage. */
async function settle(product: Product, journal: WriteJournal): Promise<void> {
  const deadline = Date.now() + SETTLE_TIMEOUT_MS;
  for (const write of journal.unansweredCreates()) {
    while (write.outcome === "unknown" && Date.now() < deadline) {
      if (!(await send(product, journal, write))) throw new Error("The product went away.");
      if (write.outcome === "unknown") await sleep(100);
    }
    if (write.outcome !== "acknowledged")
      journal.surprises.push(`${write.mark}: not accepted again`);
  }
}

export function summarise(result: CrashLoopResult): string {
  const { rounds, acknowledged, unknown, databaseKills, worstRestartMs } = result;
  return [
    `rounds ${rounds} (${databaseKills} with the database server)`,
    `acknowledged writes ${acknowledged}`,
    `unanswered ${unknown}`,
    `lost ${result.lost.length}`,
    `duplicates ${result.duplicates.length}`,
    `torn ${result.torn.length}`,
    `unexpected answers ${result.surprises.length}`,
    `worst restart ${Math.round(worstRestartMs)} ms`,
  ].join(", ");
}

export function faultsOf({ lost, duplicates, torn, surprises }: CrashLoopResult): string[] {
  return [...lost, ...duplicates, ...torn, ...surprises];
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { rounds: { type: "string", default: "200" }, "database-url": { type: "string" } },
  });
  const result = await runCrashLoop({
    rounds: Number(values.rounds),
    databaseUrl: values["database-url"],
    onRound: (round, journal) => {
      if (round % 20 === 0) console.error(`round ${round}: ${journal.writes.length} writes`);
    },
  });
  for (const fault of faultsOf(result)) console.error(fault);
  console.log(summarise(result));
  process.exit(faultsOf(result).length === 0 ? 0 : 1);
}
