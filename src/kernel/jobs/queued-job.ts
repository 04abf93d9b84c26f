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
  /**
   * If a job with the same key already waits in the queue, the new one is dropped. What it guarantees: a run that
   * begins when this transaction has ended, and not before `startAfter`. So the run finds what is committed here,
   * whichever job it belongs to. Jobs with one key must have the same payload.
   *
   * Without more, the queue guarantees less: a worker can take the waiting job, and read, before this transaction
   * commits, and nobody would look at what is committed then. Therefore the worker waits, before it begins, for the
   * transactions that dropped a job in favour of this one (`job-key.ts`). And the start belongs to the key, by the full
   * minute: a job that waits for another time stands for nothing.
   *
   * What it does not guarantee: that there is one run at a time. A job that runs already, or waits for its next
   * attempt, stands for nothing either, so another one is enqueued and may run beside it.
   */
  readonly singletonKey?: string;
  readonly priority?: number;
};

export type PendingJob = {
  readonly definition: QueuedJob;
  readonly tenantId: string;
  readonly payload: unknown;
  readonly options: EnqueueOptions;
};
