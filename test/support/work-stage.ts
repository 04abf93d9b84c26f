import { Registry } from "prom-client";
import type { Runtime } from "#kernel/runtime.ts";
import type { Lease } from "#kernel/work/lease.ts";
import { WorkLoop } from "#kernel/work/work-loop.ts";
import type { Worker } from "#kernel/work/worker.ts";
import { collectLog } from "./kernel.ts";
import { ManualClock } from "./manual-clock.ts";

/* For tests of the loop of all work that goes on by itself. */

export const LEASE_SECONDS = 30;
export const SWEEP_MS = 5_000;

type Row = { group: string; dueAt: number; token?: string; claimedUntil: number; doneBy?: string };
export type Batch = { readonly rows: readonly Row[]; readonly hasMore: boolean };

/** A queue that several processes share, as a table with a column for the token of the claim would be. */
class Queue {
  readonly rows: Row[] = [];
  readonly #clock: ManualClock;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  add(group: string, dueAt = 0): Row {
    const row = { group, dueAt, claimedUntil: 0 };
    this.rows.push(row);
    return row;
  }

  waiting(group: string): Row[] {
    const now = this.#clock.now();
    return this.rows.filter(
      (row) => row.group === group && row.doneBy === undefined && row.claimedUntil <= now,
    );
  }

  claim(group: string, { token, seconds }: Lease, count = 1): Batch {
    const due = this.waiting(group).filter(({ dueAt }) => dueAt <= this.#clock.now());
    const rows = due.slice(0, count);
    for (const row of rows) Object.assign(row, { token, claimedUntil: this.#until(seconds) });
    return { rows, hasMore: due.length > count };
  }

  renew(leases: ReadonlySet<Lease>): void {
    for (const { token, seconds } of leases) {
      const held = this.rows.filter((row) => row.token === token);
      for (const row of held) row.claimedUntil = this.#until(seconds);
    }
  }

  #until(seconds: number): number {
    return this.#clock.now() + seconds * 1_000;
  }

  /** Only where the token still stands. */
  record({ rows }: Batch, { token }: Lease): void {
    for (const row of rows) if (row.token === token) row.doneBy = token;
  }
}

/** What the loop needs of a running process, and the hints that reach it. */
function surround() {
  const handlers = new Map<string, (payload: string) => void>();
  const gaps: (() => void)[] = [];
  const { log, lines } = collectLog();
  const registry = new Registry();
  const runtime = {
    log,
    metrics: { registry },
    signals: {
      on: (channel: string, handler: (payload: string) => void) => handlers.set(channel, handler),
      onGap: (handler: () => void) => gaps.push(handler),
    },
  } as unknown as Runtime;
  return {
    runtime,
    lines,
    registry,
    hint: (group: string) => handlers.get("hint")?.(group),
    gap(): void {
      for (const handler of gaps) handler();
    },
  };
}

export type Change = Partial<Worker<Batch>>;

/** One process that works on the queue; what it does with a batch is for the test to say. */
function startLoop(queue: Queue, clock: ManualClock, change: Change = {}) {
  const around = surround();
  const claimed: string[] = [];
  const worker: Worker<Batch> = {
    name: "test.work",
    groupsAtOnceMax: 2,
    leaseSeconds: LEASE_SECONDS,
    finishMs: 10_000,
    hint: "hint",
    noteHint: (payload) => payload,
    sweepMs: SWEEP_MS,
    async sweep() {
      return new Set(queue.rows.map(({ group }) => group));
    },
    async claim(group, lease) {
      const batch = queue.claim(group, lease);
      if (batch.rows.length === 0) return undefined;
      claimed.push(group);
      return batch;
    },
    async work(batch, lease) {
      queue.record(batch, lease);
      return batch.hasMore;
    },
    nextDueAt(group) {
      return Math.min(...queue.waiting(group).map(({ dueAt }) => dueAt));
    },
    ...change,
  };
  const loop = new WorkLoop(worker, around.runtime, clock);
  loop.start();
  return { ...around, loop, claimed };
}

/** A clock, a queue, and processes that work on it. */
export function stage() {
  const clock = new ManualClock();
  const queue = new Queue(clock);
  const start = (change?: Change) => startLoop(queue, clock, change);
  return { clock, queue, start };
}

/** A promise for each call, for tests that say when work ends. */
export function gate() {
  const calls: { resolve(): void }[] = [];
  return {
    calls,
    pass: () => new Promise<void>((resolve) => void calls.push({ resolve })),
  };
}
