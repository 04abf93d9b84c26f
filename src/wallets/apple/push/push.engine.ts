import { systemCall } from "#kernel/call.ts";
import type { TenantContext } from "#kernel/context.ts";
import { ProblemError } from "#kernel/errors.ts";
import type { Runtime } from "#kernel/runtime.ts";
import type { Lease } from "#kernel/work/lease.ts";
import { WorkLoop } from "#kernel/work/work-loop.ts";
import { PUSH_HINT } from "../deliveries/delivery.service.ts";
import { type ClaimedDelivery, findPause, listDueTenants } from "./push.repository.ts";
import { claimPushes, pushClaimed } from "./push.service.ts";

const OP = "apple-pass.push";
const TENANTS_AT_ONCE = 4;
const BATCH = 1_000;
/** While one batch is sent, the next one is claimed and the last one recorded. */
const BATCHES_PER_TENANT = 2;
/**
 * Longer than a batch is sent (`BATCH_MS_MAX` of the service), and never renewed. Results come first
 * after that; if removals of gone devices outlast the lease, others may push to these devices again,
 * and remove what is left.
 */
const LEASE_SECONDS = 120;
const SWEEP_MS = 2_000;
const FINISH_MS = 10_000;

type Batch = { readonly context: TenantContext; readonly claimed: readonly ClaimedDelivery[] };

/** Pushes what is due, in every worker process. Its whole state is in the database. */
export class PushEngine {
  readonly #runtime: Runtime;
  readonly #loop: WorkLoop<Batch>;
  readonly #underWay = new Map<string, number>();

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
    const pause = await findPause(context);
    if (pause !== undefined) {
      // After a pause a single push finds out whether it is over.
      const isOver = pause.until <= this.#runtime.clock.now();
      if (!isOver || this.#countOf(tenantId) > 0) return undefined;
    }
    const claimed = await claimPushes(context, lease, pause === undefined ? BATCH : 1);
    if (claimed.length === 0) return undefined;
    this.#underWay.set(tenantId, this.#countOf(tenantId) + 1);
    return { context, claimed };
  }

  async #work({ context, claimed }: Batch, lease: Lease): Promise<boolean> {
    const { tenantId, log } = context;
    try {
      await pushClaimed(context, claimed, lease);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
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
