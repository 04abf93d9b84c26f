import type { Static, TSchema } from "typebox";
import type { SystemContext } from "../context.ts";

export type JobDefinition<Payload extends TSchema = TSchema> = {
  /** `noun.do`: the name of the queue. Renaming it orphans what is queued. */
  readonly name: string;
  /** Ids, never a snapshot of a row. */
  readonly payload: Payload;
  readonly timeoutSeconds: number;
  /** Attempts after the first. Every run may be the second one. */
  readonly retries: number;
  readonly retryDelaySeconds: number;
  readonly retryDelaySecondsMax: number;
  /** How many run at once in one process. */
  readonly concurrency: number;
  /** Five-field cron in UTC: the job then runs by itself, once per tick whatever the number of nodes. */
  readonly cron?: string;
  run(context: JobContext, payload: Static<Payload>, signal: AbortSignal): Promise<void>;
};

/** `tenantId` is `*` for jobs of the whole installation. */
export type JobContext = SystemContext & { readonly tenantId: string };

export type JobPayload<Definition> =
  Definition extends JobDefinition<infer Payload> ? Static<Payload> : never;

export type EnqueueOptions = {
  readonly startAfter?: Date;
  /** Two jobs with one key do not wait in the queue at once: the second is dropped. */
  readonly singletonKey?: string;
  readonly priority?: number;
};

export type PendingJob = {
  readonly definition: JobDefinition;
  readonly tenantId: string;
  readonly payload: unknown;
  readonly options: EnqueueOptions;
};

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
