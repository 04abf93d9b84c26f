import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { apiKeyCreate } from "./lines/api-key-create.ts";
import { authenticatedRead } from "./lines/authenticated-read.ts";
import { bundleBuild, bundleBuildPeer, bundleBuildPieces } from "./lines/bundle-build.ts";
import { consolePages } from "./lines/console.ts";
import { deliveryLatency, deliveryLatencyAcross } from "./lines/delivery-latency.ts";
import { deliveryThroughput, deliveryThroughputSpread } from "./lines/delivery-throughput.ts";
import { importRows } from "./lines/import.ts";
import { inboundEvents } from "./lines/inbound-events.ts";
import { movement } from "./lines/movement.ts";
import { passBulk } from "./lines/pass-bulk.ts";
import { passCreate } from "./lines/pass-create.ts";
import { passFetches } from "./lines/pass-fetches.ts";
import { passScale } from "./lines/pass-scale.ts";
import { pushFanOut } from "./lines/push-fan-out.ts";
import { render } from "./lines/render.ts";
import { scan } from "./lines/scan.ts";
import { scanDuringBulk } from "./lines/scan-bulk.ts";
import { startUp } from "./lines/start-up.ts";
import { tenantRead } from "./lines/tenant-read.ts";
import {
  unchangedPassBuffer,
  unchangedPassKnown,
  unchangedPassOnDevice,
  unchangedPassOnPage,
} from "./lines/unchanged-pass.ts";
import { webhookMatch } from "./lines/webhook-match.ts";
import { openBench } from "./support/bench.ts";
import { compare, type Result } from "./support/compare.ts";
import type { Line } from "./support/line.ts";
import { describeMachine, machineLine, toTable } from "./support/table.ts";

/*
 * `npm run bench [-- filter] [-- --json <file>]`: every line against its baseline, in one table.
 * Ends with 1 when a line could not be measured or a bar is missed.
 */

const LINES: readonly Line[] = [
  authenticatedRead,
  tenantRead,
  apiKeyCreate,
  passCreate,
  passBulk,
  importRows,
  scan,
  scanDuringBulk,
  inboundEvents,
  movement,
  render,
  bundleBuild,
  bundleBuildPeer,
  bundleBuildPieces,
  unchangedPassOnDevice,
  unchangedPassOnPage,
  unchangedPassBuffer,
  unchangedPassKnown,
  pushFanOut,
  passFetches,
  webhookMatch,
  ...passScale,
  deliveryLatency,
  deliveryLatencyAcross,
  deliveryThroughput,
  deliveryThroughputSpread,
  startUp,
  consolePages,
];

const { values, positionals } = parseArgs({
  options: { json: { type: "string" } },
  allowPositionals: true,
});
/** A line by its whole name, or all those whose names contain the word. */
const named = (word: string): readonly Line[] => {
  const exact = LINES.filter(({ name }) => name === word);
  return exact.length > 0 ? exact : LINES.filter(({ name }) => name.includes(word));
};
const asked = new Set(positionals.flatMap(named));
const wanted = LINES.filter((line) => positionals.length === 0 || asked.has(line));
if (wanted.length === 0) {
  console.error(`No such line. There are: ${LINES.map(({ name }) => name).join(", ")}.`);
  process.exit(1);
}

const bench = await openBench();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void bench.close().finally(() => process.exit(1)));
}
const results: Result[] = [];
const failures: string[] = [];
try {
  const machine = describeMachine(bench.postgresVersion);
  console.log(`${machineLine(machine)}\n`);
  for (const line of wanted) {
    process.stderr.write(`${line.name} …\n`);
    try {
      results.push(...(await compare(line, bench)));
    } catch (error) {
      failures.push(`${line.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  console.log(toTable(results));
  for (const failure of failures) console.log(`\nNot measured: ${failure}`);
  if (values.json !== undefined) {
    await writeFile(values.json, `${JSON.stringify({ machine, results, failures }, null, 2)}\n`);
  }
} finally {
  await bench.close();
}
process.exit(failures.length === 0 && results.every(({ holds }) => holds) ? 0 : 1);
