import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SIGNAL_CHANNEL } from "#kernel/db/signal-channel.ts";
import { EVENT_HINT } from "#kernel/events/outbox.ts";
import { TASK_HINT } from "#src/scheduler/executions/execution.signal.ts";
import { makeDataDir, removeDataDir } from "#test/support/product.ts";
import { startApi, type TestApi } from "#test/support/start-api.ts";

/**
 * Days of minutes with two worker processes, this one and another, whose clocks go on when both are
 * done with a minute.
 */

const NODE = join(import.meta.dirname, "../support/schedule-node.ts");
const MASTER_KEY = randomBytes(32).toString("base64");
const MINUTE_MS = 60_000;
const WAIT_MS = 120_000;
/** Between two looks at what is left, if no run says before that it has ended. */
const LOOK_MS = 50;

type Owner = { after(undo: () => Promise<void>): void };

export type PlannedTask = { readonly id: string; readonly cron: string; readonly zone: string };

export type DayResult = {
  /** The times at which each task ran, as texts to the minute. */
  readonly runs: Readonly<Record<string, readonly string[]>>;
  /** Runs by how they ended and came about. */
  readonly ends: Readonly<Record<string, number>>;
  /** The number of runs, by the number of events about each. */
  readonly told: Readonly<Record<string, number>>;
  /** Of all runs, those of this process; the other ones are of the other process. */
  readonly runsHere: number;
  readonly minutes: number;
  readonly tookMs: number;
};

export type Workers = {
  /** Runs the tasks of a new tenant from one time to the other, which must be later than any before. */
  runDay(
    tenantId: string,
    tasks: readonly PlannedTask[],
    span: readonly [from: string, to: string],
  ): Promise<DayResult>;
};

export async function startWorkers(owner: Owner): Promise<Workers> {
  let now = 0;
  const clock = { now: () => new Date(now) };
  const api = await startApi(owner, { env: { MASTER_KEY, SIMULATOR: "0" }, clock });
  const other = await startNode(owner, api, now);
  const eventHeard = listenForEvents(api);
  const goTo = async (time: number) => {
    now = time;
    await tell(other, now);
  };
  return {
    async runDay(tenantId, tasks, [from, to]) {
      const start = Date.parse(from);
      await goTo(start);
      await api.seed.tenant(tenantId, { "server/schedule.yml": fileOf(tasks) });
      const startedAt = Date.now();
      const runsBefore = await countRuns(api);
      await settle(api, now, eventHeard);
      for (let time = start + MINUTE_MS; time <= Date.parse(to); time += MINUTE_MS) {
        await goTo(time);
        // By the database, and not by a process, so that both workers hear of it at the same time.
        await api.sql("select pg_notify($1, $2)", [SIGNAL_CHANNEL, `${TASK_HINT} ${tenantId}`]);
        await settle(api, now, eventHeard);
      }
      const tookMs = Date.now() - startedAt;
      const found = await read(api, tenantId);
      const runsHere = (await countRuns(api)) - runsBefore;
      // Otherwise its tasks would be due when the clocks go to the next day.
      await api.delete(`/api/tenants/${tenantId}`, { key: api.operatorKey });
      return { ...found, runsHere, minutes: (now - start) / MINUTE_MS, tookMs };
    },
  };
}

function fileOf(tasks: readonly PlannedTask[]): string {
  const lines = tasks.map(
    ({ id, cron, zone }) =>
      `  - { id: ${id}, kind: expire-passes, cron: "${cron}", timeZone: ${zone} }`,
  );
  return `tasks:\n${lines.join("\n")}\n`;
}

async function startNode(owner: Owner, api: TestApi, now: number): Promise<ChildProcess> {
  const dataDir = await makeDataDir();
  owner.after(() => removeDataDir(dataDir));
  const env = {
    DATABASE_URL: api.database.url,
    DATA_DIR: dataDir,
    MASTER_KEY,
    OPERATOR_KEY: api.operatorKey,
    ROLES: "worker",
    DEMO: "0",
    SIMULATOR: "0",
    DATABASE_POOL_SIZE: "4",
  };
  const child = fork(NODE, [JSON.stringify({ env, now })], { stdio: "inherit" });
  owner.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
  });
  const [first] = await Promise.race([once(child, "message"), once(child, "exit")]);
  if (first !== "ready") throw new Error(`The worker ended: ${first}`);
  return child;
}

async function tell(node: ChildProcess, now: number): Promise<void> {
  const heard = once(node, "message");
  node.send(now);
  await heard;
}

/** Returns a function whose promise resolves when the next event of either process is written. */
function listenForEvents(api: TestApi): () => Promise<void> {
  let next = Promise.withResolvers<void>();
  api.runtime.signals.on(EVENT_HINT, () => {
    next.resolve();
    next = Promise.withResolvers();
  });
  return () => next.promise;
}

/** Resolves when everything that is due at this time has run. */
async function settle(api: TestApi, now: number, eventHeard: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    // Every run ends with an event.
    await Promise.race([eventHeard(), sleep(LOOK_MS)]);
    const [row] = await api.sql(
      `select (select count(*) from schedule where planned_version < published_version)
            + (select count(*) from scheduled_task where next_run_at <= $1)
            + (select count(*) from task_execution where status = 'running') as left`,
      [new Date(now)],
    );
    if (Number(row?.left) === 0) return;
    if (Date.now() > deadline) throw new Error(`Not done with ${new Date(now).toISOString()}.`);
  }
}

/** How many runs this process has ended since its start. */
async function countRuns(api: TestApi): Promise<number> {
  const text = await api.runtime.metrics.registry.metrics();
  const line = /^billfold_work_batches_total\{work="task\.work",end="done"\} (\d+)/m.exec(text);
  return Number(line?.[1] ?? 0);
}

async function read(
  api: TestApi,
  tenantId: string,
): Promise<Pick<DayResult, "runs" | "ends" | "told">> {
  const rows = await api.sql(
    `select task_id as task, to_char(scheduled_for at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI') as at
       from task_execution where tenant_id = $1 order by scheduled_for`,
    [tenantId],
  );
  const byTask = Map.groupBy(rows, ({ task }) => String(task));
  const ends = await api.sql(
    `select concat_ws(' ', status, trigger, attempts) as name, count(*)::int as count
       from task_execution where tenant_id = $1 group by 1`,
    [tenantId],
  );
  const told = await api.sql(
    `select told as name, count(*)::int as count
       from (select (select count(*) from event
                      where name = 'task.completed' and data ->> 'executionId' = execution.id) as told
               from task_execution as execution
              where tenant_id = $1) as each
      group by 1`,
    [tenantId],
  );
  const toRecord = (list: typeof rows) =>
    Object.fromEntries(list.map(({ name, count }) => [String(name), Number(count)]));
  return {
    runs: Object.fromEntries(
      [...byTask].map(([task, own]) => [task, own.map(({ at }) => String(at))]),
    ),
    ends: toRecord(ends),
    told: toRecord(told),
  };
}
