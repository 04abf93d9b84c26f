import { type SteadyClock, steadyClock } from "../clock.ts";
import { ProblemError } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { isTenantNotFound } from "../tenant.errors.ts";
import { Lease } from "./lease.ts";
import { Sweep } from "./sweep.ts";
import { Turns } from "./turns.ts";
import { createWorkMetrics, type WorkMetrics } from "./work-metrics.ts";
import type { Worker } from "./worker.ts";

/** A lease is renewed after a third of its time, so that it survives one failed renewal. */
const RENEWALS_PER_LEASE = 3;
/** How long batches may take to end after their signal was aborted. */
const ABORT_MS = 5_000;
/** A worker that had no capacity for due work is asked again after this pause. */
const DUE_AGAIN_MS = 10;
/** The longest time that a timer of Node can wait. */
const TIMER_MS_MAX = 2 ** 31 - 1;

type Surroundings = Pick<Runtime, "log" | "metrics" | "signals">;

/**
 * The loop of all continuous work: hint → claim → batch → renew → record → stop. Every process with
 * the role `worker` runs one loop for each kind of work; processes share the work through the
 * database only.
 *
 * - **When.** A group is served when a hint names it, when the sweep finds it, when its worker said that
 *   something is due, or when its last turn left something to do. Hints may be lost: the sweep finds
 *   the same work later. A group that is woken many times at once is served once.
 * - **Who.** Groups take turns (`Turns`). After a failed turn, mostly because the database is
 *   unavailable, the group rests for a moment, and the other groups go on.
 * - **Crash.** Claimed rows carry a lease. Leases of batches under way are renewed; a process that dies
 *   renews nothing, and other processes claim its work when the lease has ended.
 * - **Zombie.** A process that slept longer than its lease notices it, gives up and records nothing.
 *   Statements that it sends anyway have no effect, because the rows have another token by then.
 * - **Stop.** Nothing more is claimed. Batches under way have `finishMs` to end, then their signal is
 *   aborted, then they have five seconds more; work that still runs is left until its lease ends.
 *
 * The worker says what to claim and what to do with it (`Worker`). It needs no timer and no flag
 * for any of this.
 */
export class WorkLoop<Batch> {
  readonly #worker: Worker<Batch>;
  readonly #surroundings: Surroundings;
  readonly #clock: SteadyClock;
  readonly #metrics: WorkMetrics;
  readonly #turns: Turns;
  readonly #sweep: Sweep;
  /** The leases of batches under way. */
  readonly #leases = new Set<Lease>();
  readonly #underWay = new Set<Promise<void>>();
  #lookAt = Number.POSITIVE_INFINITY;
  #cancelLook: (() => void) | undefined;
  #cancelRenewal: (() => void) | undefined;
  #isRenewing = false;
  #isFillPlanned = false;
  #isStopped = false;
  #isCutShort = false;

  constructor(worker: Worker<Batch>, surroundings: Surroundings, clock = steadyClock) {
    this.#worker = worker;
    this.#surroundings = surroundings;
    this.#clock = clock;
    this.#metrics = createWorkMetrics(surroundings.metrics.registry, worker.name);
    this.#turns = new Turns(worker.groupsAtOnceMax);
    const look = () => this.#look();
    this.#sweep = new Sweep({ clock, everyMs: worker.sweepMs, look });
  }

  start(): void {
    const { signals } = this.#surroundings;
    signals.on(this.#worker.hint, (payload) => this.wake(this.#worker.noteHint(payload)));
    if (this.#worker.sweep !== undefined) {
      signals.onGap(() => this.sweepIn(0));
      this.sweepIn(0);
    }
    this.#planRenewal();
  }

  /** Notes that the group may have work, or that there is capacity for it. */
  wake(group: string): void {
    if (this.#isStopped) return;
    this.#turns.wake(group);
    if (this.#isFillPlanned || !this.#turns.hasNext) return;
    // All groups that are woken in the same turn of the event loop are served by the same claim.
    this.#isFillPlanned = true;
    setImmediate(() => {
      this.#isFillPlanned = false;
      this.#fill();
    });
  }

  /** For callers that know that something changed, but not for which group. */
  sweepIn(delayMs: number): void {
    this.#sweep.lookIn(delayMs);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelLook?.();
    const ended = Promise.all([this.#sweep.stop(), this.#allEnd()]);
    if (!(await this.#endsWithin(ended, this.#worker.finishMs))) {
      this.#isCutShort = true;
      for (const lease of this.#leases) lease.endAs("stopped");
      if (!(await this.#endsWithin(ended, ABORT_MS))) {
        const facts = { work: this.#worker.name, batches: this.#leases.size };
        this.#surroundings.log.warn(facts, "work did not end in time, and is left to others");
      }
    }
    // Renewal ends only here, because batches under way must not be claimed by others.
    this.#cancelRenewal?.();
  }

  #fill(): void {
    if (this.#isStopped) return;
    this.#turns.noteTime(this.#clock.now());
    for (let group = this.#turns.next(); group !== undefined; group = this.#turns.next()) {
      this.#keep(this.#serve(group));
    }
    this.#planLook();
  }

  async #serve(group: string): Promise<void> {
    try {
      const hasMore = await this.#takeTurn(group);
      const dueAt = this.#worker.nextDueAt?.(group) ?? Number.POSITIVE_INFINITY;
      this.#turns.end(group, hasMore, Math.max(dueAt, this.#clock.now() + DUE_AGAIN_MS));
    } catch (error) {
      // Its rows are erased; there will be no work that a later turn could do.
      if (isTenantNotFound(error)) this.#turns.end(group, false);
      else this.#turns.fail(group, this.#clock.now());
      this.#noteFailure(error, group);
    }
    this.#fill();
  }

  async #takeTurn(group: string): Promise<boolean> {
    const { leaseSeconds = Number.POSITIVE_INFINITY, batchesOverlap = false } = this.#worker;
    const lease = new Lease(leaseSeconds, this.#clock);
    const batch = await this.#worker.claim(group, lease);
    if (batch === undefined) return false;
    const working = this.#work(batch, lease);
    if (!batchesOverlap) return await working;
    this.#keep(
      working.then(
        () => undefined,
        (error) => this.#noteFailure(error, group),
      ),
    );
    return true;
  }

  async #work(batch: Batch, lease: Lease): Promise<boolean> {
    this.#leases.add(lease);
    if (this.#isCutShort) lease.endAs("stopped");
    try {
      const hasMore = await this.#worker.work(batch, lease);
      this.#metrics.note(lease.end ?? "done");
      return hasMore;
    } finally {
      this.#leases.delete(lease);
    }
  }

  async #look(): Promise<void> {
    try {
      for (const group of (await this.#worker.sweep?.()) ?? []) this.wake(group);
    } catch (error) {
      const facts = { err: error, work: this.#worker.name };
      this.#surroundings.log.warn(facts, "could not look for work that waits");
    }
  }

  /** Sets a timer for the next time at which a group has work without being woken. */
  #planLook(): void {
    const at = this.#turns.nextTimeAt;
    if (at === this.#lookAt) return;
    this.#lookAt = at;
    this.#cancelLook?.();
    this.#cancelLook = undefined;
    if (at === Number.POSITIVE_INFINITY) return;
    const delayMs = Math.max(1, Math.ceil(at - this.#clock.now()));
    this.#cancelLook = this.#clock.after(Math.min(TIMER_MS_MAX, delayMs), () => {
      this.#lookAt = Number.POSITIVE_INFINITY;
      this.#fill();
    });
  }

  /** One timer serves all leases, however many batches there are. */
  #planRenewal(): void {
    const { leaseSeconds } = this.#worker;
    if (leaseSeconds === undefined) return;
    const everyMs = (leaseSeconds * 1_000) / RENEWALS_PER_LEASE;
    this.#cancelRenewal = this.#clock.after(everyMs, () => {
      this.#planRenewal();
      for (const lease of this.#leases) if (lease.end === "lost") lease.endAs("lost");
      void this.#renewAll();
    });
  }

  /** New leases as well: one that waited for the next tick would not survive a renewal that fails then. */
  async #renewAll(): Promise<void> {
    const leases = new Set([...this.#leases].filter((lease) => !lease.isOver));
    if (leases.size === 0 || this.#isRenewing || this.#worker.renew === undefined) return;
    this.#isRenewing = true;
    try {
      const sentAt = this.#clock.now();
      await this.#worker.renew(leases);
      for (const lease of leases) lease.renewedAt(sentAt);
    } catch (error) {
      const facts = { err: error, work: this.#worker.name };
      this.#surroundings.log.warn(facts, "leases could not be renewed");
    } finally {
      this.#isRenewing = false;
    }
  }

  #noteFailure(error: unknown, group: string): void {
    const facts = { err: error, work: this.#worker.name, group };
    if (isTenantNotFound(error)) {
      this.#surroundings.log.info(facts, "work is given up: its tenant has ended");
      return;
    }
    this.#metrics.note("failed");
    // A problem is told to callers too, and passes: mostly the database is away. Anything else is a defect.
    const level = error instanceof ProblemError ? "warn" : "error";
    this.#surroundings.log[level](facts, "work failed and waits for the next try");
  }

  #keep(going: Promise<void>): void {
    this.#underWay.add(going);
    void going.finally(() => this.#underWay.delete(going));
  }

  async #allEnd(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #endsWithin(ended: Promise<unknown>, ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(ms, () => resolve(false));
      void ended.then(() => {
        cancel();
        resolve(true);
      });
    });
  }
}
