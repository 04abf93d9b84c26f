import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import Type from "typebox";
import {
  collectLog,
  type LentDatabase,
  lendDatabase,
  originOf,
  testClock,
  wireJobs,
} from "#test/support/kernel.ts";
import { startStopwatch, watchSlowness } from "#test/support/slowness.ts";
import { sql } from "../db/sql.ts";
import { defineJob, type JobDefinition } from "./define.ts";
import { JOB_TIMES } from "./job-boss.ts";
import { openJobs } from "./jobs.ts";

const Payload = Type.Object({ n: Type.Integer() });
type Run = JobDefinition<typeof Payload>["run"];

function define(name: string, run: Run, more: Partial<JobDefinition> = {}) {
  return defineJob({
    name,
    payload: Payload,
    retryDelaySeconds: 1,
    retryDelaySecondsMax: 1,
    ...more,
    run,
  } as JobDefinition<typeof Payload>);
}

/** The waiting times of the product, a tenth as long or shorter. */
const SHORT_TIMES = {
  idleMs: 300,
  cronMonitorSeconds: 1,
  cronWorkerSeconds: 1,
  finishMs: 2_000,
  abortMs: 500,
};

async function start(database: LentDatabase, definitions: readonly JobDefinition[]) {
  const { log, lines } = collectLog();
  const db = database.open(4, log);
  const jobs = await wireJobs(database.connection, db, definitions, log, SHORT_TIMES);
  database.undoLater(() => jobs.stop());
  return { jobs, db, lines };
}

async function until(condition: () => boolean | Promise<boolean>, seconds = 15): Promise<void> {
  const elapsedMs = startStopwatch();
  while (elapsedMs() < seconds * 1_000) {
    if (await condition()) return;
    await sleep(20);
  }
  assert.fail(`It did not happen within ${seconds} s.`);
}

// Each test has a database of its own, and most of them wait for time to pass.
describe("background jobs", { concurrency: 8 }, () => {
  it("a job runs under the tenant of the transaction that enqueued it", async (t) => {
    const seen: unknown[] = [];
    const job = define("thing.do", async (context, payload) => {
      const [row] = await context.read<{ tenant: string }>(
        sql`select current_setting('app.tenant') as tenant`,
      );
      seen.push([context.tenantId, row?.tenant, payload]);
    });
    const { jobs, db } = await start(await lendDatabase(t), [job]);
    await jobs.startWorkers();
    await db.transaction(originOf("acme"), async (tx) => tx.enqueue(job, { n: 1 }));
    await until(() => seen.length === 1);
    assert.deepEqual(seen, [["acme", "acme", { n: 1 }]]);
  });

  it("a job exists if, and only if, its transaction commits", async (t) => {
    const job = define("thing.do", async () => undefined);
    const database = await lendDatabase(t);
    const { db } = await start(database, [job]);
    await assert.rejects(
      db.transaction(originOf("acme"), async (tx) => {
        tx.enqueue(job, { n: 1 });
        throw new Error("no");
      }),
      /no/,
    );
    await db.transaction(originOf("acme"), async (tx) => tx.enqueue(job, { n: 2 }));
    const rows = await database.sql(
      "select data - 'tenantSince' as data from pgboss.job where name = 'thing.do'",
    );
    assert.deepEqual(rows, [{ data: { tenantId: "acme", payload: { n: 2 } } }]);
  });

  it("a payload that does not fit its schema fails the transaction and names no value", async (t) => {
    const job = define("thing.do", async () => undefined);
    const database = await lendDatabase(t);
    const { db } = await start(database, [job]);
    const enqueue = db.transaction(originOf("acme"), async (tx) =>
      tx.enqueue(job, { n: "s3cret" } as never),
    );
    await assert.rejects(enqueue, (error: Error) => {
      assert.match(error.message, /'thing.do' does not fit: n /);
      assert.doesNotMatch(error.message, /s3cret/);
      return true;
    });
    assert.deepEqual(await database.sql("select 1 from pgboss.job where name = 'thing.do'"), []);
  });

  it("many jobs of one transaction all run, however few workers there are", async (t) => {
    const seen = new Set<number>();
    const job = define("thing.do", async (_context, { n }) => void seen.add(n), { concurrency: 2 });
    const { jobs, db } = await start(await lendDatabase(t), [job]);
    await jobs.startWorkers();
    await db.transaction(originOf("acme"), async (tx) => {
      for (let n = 0; n < 100; n += 1) tx.enqueue(job, { n });
    });
    await until(() => seen.size === 100, 10);
  });

  it("of two waiting jobs with one key the second is dropped, per tenant", async (t) => {
    const job = define("thing.do", async () => undefined);
    const database = await lendDatabase(t);
    const { db } = await start(database, [job]);
    for (const tenantId of ["acme", "rival"]) await database.addTenant(tenantId);
    for (const tenantId of ["acme", "acme", "rival"]) {
      await db.transaction(originOf(tenantId), async (tx) => {
        tx.enqueue(job, { n: 1 }, { singletonKey: "k" });
        tx.enqueue(job, { n: 2 });
      });
    }
    const rows = await database.sql(`
    select data ->> 'tenantId' as tenant, data -> 'payload' -> 'n' as n, count(*)::int
      from pgboss.job where name = 'thing.do' group by 1, 2 order by 1, 2`);
    assert.deepEqual(rows, [
      { tenant: "acme", n: 1, count: 1 },
      { tenant: "acme", n: 2, count: 2 },
      { tenant: "rival", n: 1, count: 1 },
      { tenant: "rival", n: 2, count: 1 },
    ]);
  });

  it("a job for later runs later, without waiting for a slow poll", async (t) => {
    let ranAt = 0;
    const job = define("thing.do", async () => {
      ranAt = Date.now();
    });
    const { jobs, db } = await start(await lendDatabase(t), [job]);
    await jobs.startWorkers();
    const slowness = watchSlowness();
    const startAfter = new Date(Date.now() + 1_500);
    await db.transaction(originOf("acme"), async (tx) => tx.enqueue(job, { n: 1 }, { startAfter }));
    await until(() => ranAt > 0, 8);
    assert.ok(ranAt >= startAfter.getTime() - 100, "too early");
    assert.ok(ranAt < startAfter.getTime() + 4_000 * slowness(), "too late");
  });

  it("a job that throws runs again, and is kept as failed when its attempts are used up", async (t) => {
    let runs = 0;
    const job = define(
      "thing.do",
      async () => {
        runs += 1;
        throw Object.assign(new Error("The sky fell."), { detail: "row of a tenant" });
      },
      { retries: 1 },
    );
    const database = await lendDatabase(t);
    const { jobs, db, lines } = await start(database, [job]);
    await jobs.startWorkers();
    await db.transaction(originOf("acme"), async (tx) => tx.enqueue(job, { n: 424_242 }));
    const failed = "select state::text, output::text from pgboss.job where name = 'thing.do'";
    await until(async () => (await database.sql(failed))[0]?.state === "failed");
    assert.equal(runs, 2);
    assert.doesNotMatch(String((await database.sql(failed))[0]?.output), /row of a tenant/);
    const [last] = lines.filter(({ msg }) => msg === "job has failed for good");
    assert.match(JSON.stringify(last?.err), /The sky fell/);
    assert.doesNotMatch(JSON.stringify(lines), /424242/);
  });

  it("the signal fires at the time limit, and a run that ignores it loses its place", async (t) => {
    const reasons: string[] = [];
    const job = define(
      "thing.do",
      async (_context, _payload, signal) => {
        signal.addEventListener("abort", () => reasons.push(String(signal.reason)));
        await sleep(60_000, undefined, { ref: false });
      },
      { timeoutSeconds: 1, retries: 0, concurrency: 1 },
    );
    const { jobs, db, lines } = await start(await lendDatabase(t), [job]);
    await jobs.startWorkers();
    await db.transaction(originOf("acme"), async (tx) => tx.enqueue(job, { n: 1 }));
    await until(() => lines.some(({ msg }) => msg === "job has failed for good"));
    assert.match(reasons[0] ?? "", /'thing.do' ran over 1 s/);
  });

  it("stop waits for running jobs and takes no new ones", async (t) => {
    const ended: number[] = [];
    const job = define(
      "thing.do",
      async (_context, { n }) => {
        await sleep(1_500);
        ended.push(n);
      },
      { concurrency: 1 },
    );
    const database = await lendDatabase(t);
    const { jobs, db } = await start(database, [job]);
    await jobs.startWorkers();
    await db.transaction(originOf("acme"), async (tx) => {
      tx.enqueue(job, { n: 1 });
      tx.enqueue(job, { n: 2 });
    });
    const states = "select state::text from pgboss.job where name = 'thing.do' order by 1";
    await until(async () => (await database.sql(states)).some(({ state }) => state === "active"));
    await jobs.stop();
    assert.equal(ended.length, 1);
    assert.deepEqual(
      (await database.sql(states)).map(({ state }) => state),
      ["completed", "created"].sort(),
    );
  });

  it("a process that only enqueues runs nothing and holds no connection", async (t) => {
    const job = define("thing.do", async () => assert.fail("must not run"));
    const database = await lendDatabase(t);
    const { db } = await start(database, [job]);
    await db.transaction(originOf("acme"), async (tx) => tx.enqueue(job, { n: 1 }));
    await sleep(SHORT_TIMES.idleMs + 1_000);
    const held = "select 1 from pg_stat_activity where application_name = 'billfold jobs'";
    const here = `${held} and datname = current_database()`;
    assert.deepEqual(await database.sql(here), []);
    const rows = await database.sql("select state::text from pgboss.job where name = 'thing.do'");
    assert.deepEqual(rows, [{ state: "created" }]);
  });

  it("racing processes prepare the same queues, and a later start follows the definition", async (t) => {
    const database = await lendDatabase(t);
    const { log } = collectLog();
    const open = (definitions: readonly JobDefinition[]) =>
      openJobs({
        connection: database.connection,
        runtime: () => assert.fail("not needed"),
        definitions,
        log,
      });
    const first = defineJob({
      name: "thing.do",
      payload: Type.Object({}),
      cron: "* * * * *",
      run: async () => undefined,
    });
    const racing = await Promise.all([1, 2, 3, 4].map(() => open([first])));
    await Promise.all(racing.map((jobs) => jobs.prepare()));
    await Promise.all(racing.map((jobs) => jobs.stop()));

    const { cron: _cron, ...second } = { ...first, retries: 9 };
    const later = await open([second]);
    const started = performance.now();
    await later.prepare();
    t.diagnostic(`prepare on an existing schema: ${(performance.now() - started).toFixed(0)} ms`);
    await later.stop();
    const queue = "select retry_limit from pgboss.queue where name = 'thing.do'";
    assert.deepEqual(await database.sql(queue), [{ retry_limit: 9 }]);
    assert.deepEqual(await database.sql("select name from pgboss.schedule order by 1"), [
      { name: "job.purge" },
    ]);
  });

  it("the role of requests can add jobs and cannot read those of others", async (t) => {
    const job = define("thing.do", async () => undefined);
    const database = await lendDatabase(t);
    const { db } = await start(database, [job]);
    await db.transaction(originOf("rival"), async (tx) => tx.enqueue(job, { n: 1 }));
    for (const text of [
      "select data from pgboss.job",
      "update pgboss.job_common set priority = 1",
      "delete from pgboss.job_common",
    ]) {
      await assert.rejects(
        db.transaction(originOf("acme"), (tx) => tx.runText(text, [])),
        { code: "42501" },
      );
    }
  });

  it("cron runs once per tick on two nodes", async (t) => {
    const ticks: number[] = [];
    const job = defineJob({
      name: "clock.tick",
      payload: Type.Object({}),
      cron: "* * * * *",
      run: async () => void ticks.push(Math.floor(testClock.now().getTime() / 60_000)),
    });
    const database = await lendDatabase(t);
    const nodes = [await start(database, [job]), await start(database, [job])];
    await Promise.all(nodes.map(({ jobs }) => jobs.startWorkers()));
    await until(() => ticks.length > 0, 100);
    // Long enough for both nodes to check the schedule and the queue three times.
    await sleep(3_500);
    const sent = async () => {
      const rows = await database.sql(`
        select count(*)::int as jobs, count(distinct singleton_on)::int as minutes
          from pgboss.job where name = '__pgboss__send-it' and state = 'completed'`);
      return rows[0] ?? {};
    };
    const ran = ticks.length;
    // A run may begin before the job that sent it counts as completed.
    const [asked] = await database.sql(
      "select count(distinct singleton_on)::int as minutes from pgboss.job where name = '__pgboss__send-it'",
    );
    assert.ok(ran <= Number(asked?.minutes), "one run too many");
    // The last run may still be under way.
    await until(async () => ticks.length === (await sent()).minutes);
    const { jobs, minutes } = await sent();
    assert.equal(jobs, minutes);
  });

  it("stats count what waits, runs and has failed", async (t) => {
    const job = define("thing.do", async () => undefined);
    const { jobs, db } = await start(await lendDatabase(t), [job]);
    await db.transaction(originOf("acme"), async (tx) => tx.enqueue(job, { n: 1 }));
    const stats = await jobs.stats();
    assert.deepEqual(stats.map(({ name }) => name).sort(), ["job.purge", "thing.do"]);
    assert.deepEqual(Object.keys(stats[0] ?? {}), ["name", "queued", "active", "failed"]);
  });

  it("waits as long as is promised: 20 s for running jobs, 5 s more once they were told", () => {
    assert.deepEqual([JOB_TIMES.finishMs, JOB_TIMES.abortMs], [20_000, 5_000]);
  });

  it("a stopping process tells long runs that time is up, and hands back what still runs after that", async (t) => {
    const database = await lendDatabase(t);
    let toldAt = 0;
    const polite = define("polite.do", async (_context, _payload, signal) => {
      signal.addEventListener("abort", () => {
        toldAt = performance.now();
      });
      await sleep(60_000, undefined, { signal });
    });
    const deaf = define("deaf.do", () => sleep(60_000, undefined, { ref: false }), {
      retries: 0,
      // Ends long after the stop; until then, the run that ignores its signal keeps this process
      // alive.
      timeoutSeconds: 6,
    });
    const { jobs, db } = await start(database, [polite, deaf]);
    await jobs.startWorkers();
    await db.transaction(originOf("acme"), async (tx) => {
      tx.enqueue(polite, { n: 1 });
      tx.enqueue(deaf, { n: 2 });
    });
    const rows = (columns: string) =>
      database.sql(`select ${columns} from pgboss.job where name in ('polite.do', 'deaf.do')`);
    await until(async () => (await rows("state::text")).every(({ state }) => state === "active"));
    const startedAt = performance.now();
    const slowness = watchSlowness();
    await jobs.stop();
    const { finishMs, abortMs } = SHORT_TIMES;
    const [told, ended] = [toldAt - startedAt, performance.now() - startedAt];
    const marginMs = 2_000 * slowness();
    assert.ok(told >= finishMs - 5 && told < finishMs + marginMs, `told after ${told} ms`);
    assert.ok(ended >= finishMs + abortMs - 5, `stopped after ${ended} ms`);
    assert.ok(ended < finishMs + abortMs + marginMs, `stopped after ${ended} ms`);
    const handedBack = { state: "retry", retry_count: 0, started_on: null };
    assert.deepEqual(await rows("state::text, retry_count, started_on"), [handedBack, handedBack]);
  });

  it("stop returns when the database is gone", async (t) => {
    const job = define("thing.do", async () => undefined);
    const database = await lendDatabase(t);
    const { jobs } = await start(database, [job]);
    await jobs.startWorkers();
    await database.sql(`
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and state = 'idle'`);
    const elapsedMs = startStopwatch();
    await jobs.stop();
    assert.ok(elapsedMs() < 5_000);
  });

  it("workers find jobs again after the database dropped every connection", async (t) => {
    const seen: number[] = [];
    const job = define("thing.do", async (_context, { n }) => void seen.push(n));
    const database = await lendDatabase(t);
    const { jobs, db } = await start(database, [job]);
    await jobs.startWorkers();
    await database.sql(`
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`);
    await sleep(100);
    await db.transaction(originOf("acme"), async (tx) => tx.enqueue(job, { n: 1 }));
    await until(() => seen.length === 1, 10);
  });
});
