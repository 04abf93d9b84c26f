import type { Static, TSchema } from "typebox";
import type { SystemContext } from "../context.ts";
import type { QueuedJob } from "./queued-job.ts";

export type JobDefinition<Payload extends TSchema = TSchema> = QueuedJob<Payload> & {
  readonly timeoutSeconds: number;
  /** Attempts after the first one. Any run may be a repetition. */
  readonly retries: number;
  readonly retryDelaySeconds: number;
  readonly retryDelaySecondsMax: number;
  /** How many runs of this job one process executes at once. */
  readonly concurrency: number;
  /**
   * Five-field cron expression in UTC: the job then also runs by schedule, once per tick for all
   * nodes together.
   */
  readonly cron?: string;
  run(context: JobContext, payload: Static<Payload>, signal: AbortSignal): Promise<void>;
};

/** `tenantId` is `*` for jobs of the whole installation. */
export type JobContext = SystemContext & { readonly tenantId: string };

type Defaulted =
  | "timeoutSeconds"
  | "retries"
  | "retryDelaySeconds"
  | "retryDelaySecondsMax"
  | "concurrency";

export function defineJob<Payload extends TSchema>(
  definition: Omit<JobDefinition<Payload>, Defaulted> & Partial<Pick<JobDefinition, Defaulted>>,
): JobDefinition<Payload> {
  return {
    timeoutSeconds: 300,
    retries: 5,
    retryDelaySeconds: 5,
    retryDelaySecondsMax: 3_600,
    concurrency: 2,
    ...definition,
  };
}
