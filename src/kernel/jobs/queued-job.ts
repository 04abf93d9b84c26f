import type { Static, TSchema } from "typebox";

/** The part of a job's definition that is needed to enqueue it. */
export type QueuedJob<Payload extends TSchema = TSchema> = {
  /** `noun.do`: the name of the queue. After a rename, jobs that wait in the old queue are lost. */
  readonly name: string;
  /** Ids, never a copy of a row. */
  readonly payload: Payload;
};

export type JobPayload<Definition> =
  Definition extends QueuedJob<infer Payload> ? Static<Payload> : never;

export type EnqueueOptions = {
  readonly startAfter?: Date;
  /** If a job with the same key already waits in the queue, the new one is dropped. */
  readonly singletonKey?: string;
  readonly priority?: number;
};

export type PendingJob = {
  readonly definition: QueuedJob;
  readonly tenantId: string;
  readonly payload: unknown;
  readonly options: EnqueueOptions;
};
