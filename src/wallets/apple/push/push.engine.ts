import { systemCall } from "#kernel/call.ts";
import { steadyClock } from "#kernel/clock.ts";
import type { TenantContext } from "#kernel/context.ts";
import { ProblemError } from "#kernel/errors.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { isTenantNotFound } from "#kernel/tenant.errors.ts";
import type { Lease } from "#kernel/work/lease.ts";
import { WorkLoop } from "#kernel/work/work-loop.ts";
import { PUSH_HINT } from "../deliveries/delivery.service.ts";
import { claimFanOut, type FanOutStep, pushFanOut } from "../fan-out/fan-out.service.ts";
import { type ClaimedDelivery, findDueInMs, findPause, listDueTenants } from "./push.repository.ts";
import { claimPushes, pushClaimed } from "./push.service.ts";

const OP = "apple-pass.push";
const TENANTS_AT_ONCE = 4;
const BATCH = 500;
/** While some are sent, the next one is claimed and the last one recorded. */
const BATCHES_PER_TENANT = 4;
/**
 * Longer than a batch is sent (`BATCH_MS_MAX` of the service), and never renewed. Results come first
 * after that; if removals of gone devices outlast the lease, others may push to these devices again,
 * and remove what is left.
 */
const LEASE_SECONDS = 120;
const SWEEP_MS = 2_000;
const FINISH_MS = 10_000;
/** What is due and was not claimed is locked by other transactions, which may take a while. */
const DUE_AGAIN_MS = 25;

type Batch = {
  readonly context: TenantContext;
  /** Deliveries that were due, or some of a fan-out. */
  readonly claimed: readonly ClaimedDelivery[] | FanOutStep;
};

/** Pushes what is due, in every worker process. Its whole state is in the database. */
export class PushEngine {
  readonly #runtime: Runtime;
  readonly #loop: WorkLoop<Batch>;
  readonly #underWay = new Map<string, number>();
  /** Tenants whose last batch was full of what was due. */
  readonly #busy = new Set<string>();
  /** When tenants have deliveries that are due in a moment. */
  readonly #dueAt = new Map<string, number>();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.#loop = new WorkLoop<Batch>(
      {
        name: OP,
        groupsAtOnceMax: TENANTS_AT_ONCE,
        batchesOverlap: true,
        leaseSeconds: LEASE_SECONDS,
        finishMs: FINISH_MS,
        hint: PUSH_HINT,
        noteHint: (tenantId) => tenantId,
        sweepMs: SWEEP_MS,
        sweep: () => listDueTenants(systemCall(runtime, OP), runtime.clock.now()),
        claim: (tenantId, lease) => this.#claim(tenantId, lease),
        work: (batch, lease) => this.#work(batch, lease),
        nextDueAt: (tenantId) => this.#takeDueAt(tenantId),
      },
      runtime,
    );
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #claim(tenantId: string, lease: Lease): Promise<Batch | undefined> {
    if (this.#countOf(tenantId) >= BATCHES_PER_TENANT) return undefined;
    const context = systemCall(this.#runtime, OP, { tenantId });
    const claimed = await this.#claimNext(context, lease);
    if (claimed === undefined) return undefined;
    this.#underWay.set(tenantId, this.#countOf(tenantId) + 1);
    return { context, claimed };
  }

  /**
   * What is due comes first: a change of one pass does not wait for a publication. After a full batch comes one
   * step of the publication, or it would never be told where changes never end.
   */
  async #claimNext(context: TenantContext, lease: Lease) {
    const isStepFirst = this.#busy.delete(context.tenantId);
    const step = isStepFirst ? await claimFanOut(context, lease, BATCH) : undefined;
    if (step !== undefined) return step;
    const due = await this.#claimDue(context, lease);
    if (due?.length === BATCH) this.#busy.add(context.tenantId);
    return due ?? (await claimFanOut(context, lease, BATCH));
  }

  async #claimDue(context: TenantContext, lease: Lease) {
    const pause = await findPause(context);
    if (pause !== undefined) {
      // After a pause a single push finds out whether it is over.
      const isOver = pause.until <= this.#runtime.clock.now();
      if (!isOver || this.#countOf(context.tenantId) > 0) return undefined;
    }
    const claimed = await claimPushes(context, lease, pause === undefined ? BATCH : 1);
    if (claimed.length > 0) return claimed;
    const dueInMs = await findDueInMs(context);
    if (dueInMs !== undefined) {
      const dueAt = steadyClock.now() + Math.max(DUE_AGAIN_MS, dueInMs);
      this.#dueAt.set(context.tenantId, dueAt);
    }
    return undefined;
  }

  #takeDueAt(tenantId: string): number {
    const dueAt = this.#dueAt.get(tenantId) ?? Number.POSITIVE_INFINITY;
    this.#dueAt.delete(tenantId);
    return dueAt;
  }

  async #work({ context, claimed }: Batch, lease: Lease): Promise<boolean> {
    const { tenantId, log } = context;
    try {
      if ("tokens" in claimed) await pushFanOut(context, claimed, lease);
      else await pushClaimed(context, claimed, lease);
    } catch (error) {
      if (!(error instanceof ProblemError) || isTenantNotFound(error)) throw error;
      log.warn({ err: error, tenantId }, "pushes could not be sent, and wait");
    } finally {
      const left = this.#countOf(tenantId) - 1;
      if (left > 0) this.#underWay.set(tenantId, left);
      else this.#underWay.delete(tenantId);
      this.#loop.wake(tenantId);
    }
    return true;
  }

  #countOf(tenantId: string): number {
    return this.#underWay.get(tenantId) ?? 0;
  }
}
