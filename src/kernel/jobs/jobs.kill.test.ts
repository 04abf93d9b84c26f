import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { lostJob, poisonJob } from "#test/support/job-node.ts";
import { collectLog, lendDatabase, originOf, wireJobs } from "#test/support/kernel.ts";
import { startStopwatch } from "#test/support/slowness.ts";

const NODE = join(import.meta.dirname, "../../../test/support/job-node.ts");
const BOUND_MS = 30_000;

it("the job of a killed process runs elsewhere within 30 s; a poison job ends as failed", async (t) => {
  const database = await lendDatabase(t);
  const { log, lines } = collectLog();
  const db = database.open(2, log);
  let ranAt = 0;
  const rescued = {
    ...lostJob,
    run: async () => {
      ranAt = Date.now();
    },
  };
  const jobs = await wireJobs(database.connection, db, [rescued, poisonJob], log);
  database.undoLater(() => jobs.stop());

  const child = fork(NODE, [JSON.stringify(database.connection)]);
  t.after(() => child.kill("SIGKILL"));
  const started = new Set<unknown>();
  child.on("message", (name) => started.add(name));
  await db.transaction(originOf("acme"), async (tx) => {
    tx.enqueue(rescued, {});
    tx.enqueue(poisonJob, {});
  });
  while (started.size < 2) await sleep(20, undefined, { signal: t.signal });

  await jobs.startWorkers();
  child.kill("SIGKILL");
  await once(child, "exit");
  const killedAt = Date.now();
  const elapsedMs = startStopwatch();
  while (ranAt === 0 && elapsedMs() < BOUND_MS) await sleep(20);
  assert.ok(ranAt > 0, "the job did not run within 30 s");
  t.diagnostic(`the job ran elsewhere after ${((ranAt - killedAt) / 1_000).toFixed(1)} s`);

  // The two jobs have a heartbeat each, so the second one may be missed a moment later.
  const message = "job lost its worker and has failed for good";
  const isTold = () => lines.some(({ msg, job }) => msg === message && job === "poison.do");
  while (!isTold() && elapsedMs() < BOUND_MS) await sleep(20);
  assert.ok(isTold());
  const [poison] = await database.sql(
    "select state::text from pgboss.job where name = 'poison.do'",
  );
  assert.equal(poison?.state, "failed");
});
