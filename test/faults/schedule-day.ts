import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCall } from "#kernel/call.ts";
import { makeDataDir, removeDataDir } from "#test/support/product.ts";
import { startApi, type TestApi } from "#test/support/start-api.ts";

/** A day of minutes with two worker processes, whose clocks go on when both are done with a minute. */

const NODE = join(import.meta.dirname, "../support/schedule-node.ts");
const TENANT = "punctual";
const MASTER_KEY = randomBytes(32).toString("base64");
const MINUTE_MS = 60_000;
const WAIT_MS = 120_000;
/** Between two looks at what is left: whoever looks without a pause takes the processor from the workers. */
const LOOK_MS = 4;

type Owner = { after(undo: () => Promise<void>): void };

export type PlannedTask = { readonly id: string; readonly cron: string; readonly zone: string };

export type DayResult = {
  /** The times at which each task ran, as texts to the minute. */
  readonly runs: Readonly<Record<string, readonly string[]>>;
  /** Runs by how they ended and came about. */
  readonly ends: Readonly<Record<string, number>>;
  /** The number of runs, by the number of events about each. */
  readonly told: Readonly<Record<string, number>>;
  /** How many of the two processes ran something. */
  readonly minutes: number;
  readonly tookMs: number;
};

export async function runDay(
  owner: Owner,
  tasks: readonly PlannedTask[],
  [from, to]: readonly [string, string],
): Promise<DayResult> {
  const start = Date.parse(from);
  let now = start;
  const clock = { now: () => new Date(now) };
  const api = await startApi(owner, { env: { ROLES: "api", MASTER_KEY }, clock });
  await api.seed.tenant(TENANT, { "server/schedule.yml": fileOf(tasks) });
  const nodes = [await startNode(owner, api, start), await startNode(owner, api, start)];
  const startedAt = Date.now();
  await settle(api, now);
  for (now += MINUTE_MS; now <= Date.parse(to); now += MINUTE_MS) {
    await Promise.all(nodes.map((node) => tell(node, now)));
    await wake(api);
    await settle(api, now);
  }
  const tookMs = Date.now() - startedAt;
  return { ...(await read(api)), minutes: (Date.parse(to) - start) / MINUTE_MS, tookMs };
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

/** As every commit does that has news for workers; otherwise they look once a second. */
async function wake(api: TestApi): Promise<void> {
  const call = systemCall(api.runtime, "test.wake", { tenantId: TENANT });
  await call.transaction(async (tx) => tx.signal("task", TENANT));
}

/** Resolves when everything that is due at this time has run. */
async function settle(api: TestApi, now: number): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const [row] = await api.sql(
      `select (select count(*) from schedule where planned_version < published_version)
            + (select count(*) from scheduled_task where next_run_at <= $1)
            + (select count(*) from task_execution where status = 'running') as left`,
      [new Date(now)],
    );
    if (Number(row?.left) === 0) return;
    if (Date.now() > deadline) throw new Error(`Not done with ${new Date(now).toISOString()}.`);
    await sleep(LOOK_MS);
  }
}

async function read(api: TestApi): Promise<Pick<DayResult, "runs" | "ends" | "told">> {
  const rows = await api.sql(
    `select task_id as task, to_char(scheduled_for at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI') as at
       from task_execution order by scheduled_for`,
  );
  const byTask = Map.groupBy(rows, ({ task }) => String(task));
  const ends = await api.sql(
    `select concat_ws(' ', status, trigger, attempts) as name, count(*)::int as count
       from task_execution group by 1`,
  );
  const told = await api.sql(
    `select told as name, count(*)::int as count
       from (select (select count(*) from event
                      where name = 'task.completed' and data ->> 'executionId' = execution.id) as told
               from task_execution as execution) as each
      group by 1`,
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
