import { setTimeout as sleep } from "node:timers/promises";
import type { TenantContext } from "#kernel/context.ts";
import { ProblemError } from "#kernel/errors.ts";
import { parseListQuery } from "#kernel/http/lists/list-query.ts";
import { cancelJob, findJob, type Job } from "#src/jobs/public.ts";
import {
  TaskFailure,
  type TaskKind,
  type TaskResult,
  type TaskSettings,
} from "#src/scheduler/public.ts";
import { hasMetadataSources } from "../connector.port.ts";
import { PASS_LIST } from "../lists/pass-list.repository.ts";
import { acceptUpdates } from "./update.service.ts";

const POLL_MS_MIN = 100;
const POLL_MS_MAX = 2_000;
const OVER = new Set(["completed", "cancelled", "failed"]);

/**
 * Asks the sources of metadata about all passes, by the same queue as changes with `UpdateMetadata`,
 * so that it overtakes no other change. The run lasts until the queue is done with it.
 */
export const refreshMetadataTask: TaskKind = {
  kind: "refresh-metadata",
  waits: true,
  async run({ executionId, context, settings, signal, log }) {
    if (!hasMetadataSources(context)) {
      const summary = "There is no source of metadata to ask.";
      return { summary, counts: { updated: 0, unchanged: 0, failed: 0 } };
    }
    const jobId = jobIdOf(executionId);
    // After a crash, the job of the earlier attempt goes on.
    if ((await findJob(context, jobId)) === undefined) {
      const options = { UpdateMetadata: true };
      const { matched } = await acceptUpdates(context, wantedBy(settings), options, jobId);
      const what = matched === 1 ? "1 pass is" : `${matched} passes are`;
      await log("info", `${what} asked about.`, { jobId, passes: matched });
    }
    return await follow(context, jobId, signal);
  },
};

/** The same in every attempt: a run that is repeated after a crash cannot queue a second job. */
function jobIdOf(executionId: string): string {
  return `job_${executionId.slice(executionId.indexOf("_") + 1)}`;
}

function wantedBy({ passType, status }: TaskSettings<"refresh-metadata">) {
  const filters = Object.entries({ passType, status }).filter(([, value]) => value !== undefined);
  const query = filters.flatMap(([field, value = ""], at) => [
    [`filter[${at}].field`, field],
    [`filter[${at}].operator`, "equals"],
    [`filter[${at}].value`, value],
  ]);
  const read = parseListQuery(Object.fromEntries(query), PASS_LIST);
  if (!read.ok) throw new Error(`No list: ${JSON.stringify(read.errors)}`);
  return { by: "filter", list: read.list, change: {} } as const;
}

async function follow(
  context: TenantContext,
  jobId: string,
  signal: AbortSignal,
): Promise<TaskResult> {
  for (let pauseMs = POLL_MS_MIN; ; pauseMs = Math.min(POLL_MS_MAX, pauseMs * 2)) {
    const job = await findJob(context, jobId);
    if (job === undefined || OVER.has(job.state)) return resultOf(job);
    try {
      await sleep(pauseMs, undefined, { signal });
    } catch (error) {
      // If the process stops, another one goes on with the job; if the run has failed, nobody does.
      if (signal.reason instanceof TaskFailure) await cancel(context, jobId);
      throw error;
    }
  }
}

function resultOf(job: Job | undefined): TaskResult {
  const { updated = 0, unchanged = 0, failed = 0, state } = job ?? {};
  const counts = { updated, unchanged, failed };
  const what = `${updated} passes were updated, ${unchanged} were up to date, ${failed} failed.`;
  const summary = state === "cancelled" ? `The job was cancelled: ${what}` : what;
  return { summary, counts };
}

async function cancel(context: TenantContext, jobId: string): Promise<void> {
  try {
    await cancelJob(context, jobId);
  } catch (error) {
    // It may have ended at the same moment.
    if (!(error instanceof ProblemError)) throw error;
  }
}
