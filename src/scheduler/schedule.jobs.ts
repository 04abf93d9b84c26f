import Type from "typebox";
import { defineJob, type JobContext } from "#kernel/jobs/define.ts";
import { runInTenant } from "#kernel/jobs/run-in-tenant.ts";
import * as schedules from "./schedule.repository.ts";
import { earlierRunOf } from "./schedule.service.ts";

const TASKS_AT_ONCE = 500;

/**
 * Corrects tasks that were planned by a clock that was far ahead, such as that of a machine that
 * started in the wrong year: otherwise they would not run until then. A time that has had its run
 * does not have another one.
 */
export const correctSchedules = defineJob({
  name: "schedule.correct",
  payload: Type.Object({}),
  cron: "7 * * * *",
  concurrency: 1,
  timeoutSeconds: 600,
  async run(context, _payload, signal) {
    for (let after = schedules.FIRST_TASK; !signal.aborted; ) {
      const tasks = await schedules.listTasksAfter(context, after, TASKS_AT_ONCE);
      for (const task of tasks) await correct(context, task);
      const last = tasks.at(-1);
      if (last === undefined || tasks.length < TASKS_AT_ONCE) return;
      after = last;
    }
  },
});

/** A task that this process cannot work out, because a newer release planned it, is left to others. */
async function correct(context: JobContext, task: schedules.TaskOfTenant): Promise<void> {
  const { tenantId, taskId } = task;
  try {
    const nextRunAt = earlierRunOf(task, context.clock.now());
    if (nextRunAt === undefined) return;
    const facts = { tenantId, taskId, plannedFor: task.nextRunAt, nextRunAt };
    context.log.warn(facts, "a task was planned too late and is corrected");
    await runInTenant(context, tenantId, (tenant) =>
      tenant.transaction((tx) => schedules.updateNextRun(tx, task, nextRunAt)),
    );
  } catch (error) {
    context.log.error({ err: error, tenantId, taskId }, "the time of a task was not checked");
  }
}
