import type { Lease } from "./lease.ts";

/**
 * What a `WorkLoop` needs to know about one kind of work. What a worker remembers between two
 * batches (queues, windows, sizes) is private to it.
 *
 * Work is divided into groups that take turns, mostly one group per tenant. A worker that decides
 * by itself what comes first has a single group.
 */
export type Worker<Batch> = {
  /** The name in logs and metrics, in the form of an operation id. */
  readonly name: string;
  /** How many groups are served at once. */
  readonly groupsAtOnceMax: number;
  /**
   * True if the next batch of a group may be claimed while earlier ones are under way. `claim` then
   * decides how much is enough: the group has turns until nothing is claimed. Otherwise the turn of
   * a group lasts until its batch is done.
   */
  readonly batchesOverlap?: boolean;
  /**
   * After a process died, its claimed work can be claimed by others when so much time has passed.
   * Left out if a batch is one transaction: its locks are the claim and end with the process.
   */
  readonly leaseSeconds?: number;
  /** When the process stops, batches may go on for so long before their signal is aborted. */
  readonly finishMs: number;

  /** The channel of the hints that wake this work. */
  readonly hint: string;
  /** Remembers what a hint says, and returns its group. */
  noteHint(payload: string): string;

  /** The interval of the search for work without a hint: a process died, or a hint was lost. */
  readonly sweepMs: number;
  /**
   * Returns the groups that have work in the database. Left out by one of two workers with the same
   * queue; the sweep of the other one wakes its loop.
   */
  sweep?(): Promise<Iterable<string>>;

  /**
   * Claims a limited batch for `lease.seconds`, under `lease.token`. Returns undefined if there is
   * no work, or no capacity for it.
   */
  claim(group: string, lease: Lease): Promise<Batch | undefined>;
  /**
   * Does the batch and records the results; true if there may be more work at once. Records nothing
   * once `lease.isOver`, and only in rows that still have the token.
   */
  work(batch: Batch, lease: Lease): Promise<boolean>;
  /**
   * Extends all these leases from now on, in one statement. Left out if a batch surely ends within
   * its lease.
   */
  renew?(leases: ReadonlySet<Lease>): Promise<void>;
  /** The next time, by the loop's clock, at which the group has work; called after each turn. */
  nextDueAt?(group: string): number;
};
