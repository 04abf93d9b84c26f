import type { TenantContext } from "#kernel/context.ts";
import { readYaml } from "#src/files/public.ts";
import {
  type Configuration,
  configurationOf,
  newestConfigurationOf,
  settingsFacts,
} from "#src/tenants/public.ts";
import { parseCron } from "./cron/cron.ts";
import { lastTick, nextTick } from "./cron/ticks.ts";
import { timeZoneOf } from "./cron/time-zone.ts";
import * as schedules from "./schedule.repository.ts";
import { SCHEDULE_FILE, type Schedule, TIME_LIMIT_SECONDS_DEFAULT } from "./schedule.schema.ts";
import type { TaskKindName } from "./schedule.settings.ts";

/** A task of the published file, with its defaults filled in. */
export type Task = {
  readonly id: string;
  readonly kind: TaskKindName;
  readonly cron: string;
  readonly timeZone: string;
  readonly enabled: boolean;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly timeLimitSeconds: number;
};

type Timing = Pick<Task, "cron" | "timeZone">;

/** In the order of the file. */
export async function tasksOf(context: TenantContext): Promise<readonly Task[]> {
  return await tasksIn(await configurationOf(context));
}

function tasksIn(configuration: Configuration): Promise<readonly Task[]> {
  return configuration.derive("scheduled tasks", async () => {
    const bytes = await configuration.read(SCHEDULE_FILE);
    // The file was checked against its schema when it was published.
    const value = bytes && (readYaml(SCHEDULE_FILE, bytes).file?.value as Schedule | undefined);
    const { timeZone } = settingsFacts(configuration.settings);
    return (value?.tasks ?? []).map((task) => ({
      id: task.id,
      kind: task.kind,
      cron: task.cron,
      timeZone: task.timeZone ?? timeZone,
      enabled: task.enabled ?? true,
      settings: task.settings ?? {},
      timeLimitSeconds: task.timeLimitSeconds ?? TIME_LIMIT_SECONDS_DEFAULT,
    }));
  });
}

export function nextRunOf({ cron, timeZone }: Timing, after: Date): Date | undefined {
  return nextTick(parseCron(cron), timeZoneOf(timeZone), after);
}

/** The last time, until `until`, at which a task was due that is due since `dueAt`. */
export function lastRunOf({ cron, timeZone }: Timing, dueAt: Date, until: Date): Date {
  return lastTick(parseCron(cron), timeZoneOf(timeZone), dueAt, until) ?? dueAt;
}

/** When a task is due that was planned for too late; undefined if its time is right. */
export function earlierRunOf(task: schedules.PlannedTask, now: Date): Date | undefined {
  if (task.nextRunAt === null || task.nextRunAt <= now) return undefined;
  const next = nextRunOf(task, now);
  return next !== undefined && next < task.nextRunAt ? next : undefined;
}

/**
 * Follows the file that was published last. A task whose times are as before keeps the time at which
 * it is due, also if that has passed: it still has to run. So does one that was due before its times
 * were changed.
 */
export async function planPublished(context: TenantContext): Promise<void> {
  if (!(await schedules.isStale(context))) return;
  const configuration = await newestConfigurationOf(context);
  const tasks = await tasksIn(configuration);
  await context.transaction(async (tx) => {
    // Another process may have followed it meanwhile, or a newer version may have been published.
    const stale = await schedules.lockStale(tx, configuration.version);
    if (stale === undefined) return;
    const known = new Map((await schedules.listPlanned(tx)).map((row) => [row.taskId, row]));
    const planned = tasks.map((task) => ({
      ...task,
      nextRunAt: keptTime(task, known.get(task.id), stale) ?? nextTimeOf(task, tx.now),
    }));
    await schedules.replacePlanned(tx, planned, configuration.version);
  });
}

/** The time at which a task is due that the new file does not change. */
function keptTime(
  task: Task,
  known: schedules.PlannedTask | undefined,
  { publishedAt }: schedules.StaleSchedule,
): Date | null {
  const dueAt = known?.nextRunAt ?? null;
  if (dueAt === null || !task.enabled) return null;
  const isSame = known?.cron === task.cron && known.timeZone === task.timeZone;
  const wasDue = publishedAt !== null && dueAt <= publishedAt;
  return isSame || wasDue ? dueAt : null;
}

function nextTimeOf(task: Task, now: Date): Date | null {
  return task.enabled ? (nextRunOf(task, now) ?? null) : null;
}
