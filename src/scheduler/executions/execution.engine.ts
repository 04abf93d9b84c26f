import { systemCall } from "#kernel/call.ts";
import { steadyClock } from "#kernel/clock.ts";
import type { TenantContext } from "#kernel/context.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { isTenantNotFound } from "#kernel/tenant.errors.ts";
import type { Lease } from "#kernel/work/lease.ts";
import { WorkLoop } from "#kernel/work/work-loop.ts";
import { taskKinds } from "../kinds.port.ts";
import { planPublished } from "../schedule.service.ts";
import { RunPlaces } from "./execution.places.ts";
import {
  type ClaimedExecution,
  claimExecution,
  forgiveAttempt,
  type Held,
  listTenantsToPlan,
  listTenantsToRun,
  renewClaims,
} from "./execution.repository.ts";
import { TASK_HINT } from "./execution.signal.ts";
import { planDue } from "./execution-plan.service.ts";
import { runExecution } from "./execution-run.service.ts";

const OP = "task.work";
const TENANTS_AT_ONCE = 4;
/** After a crash, another process takes a run over within this time and one sweep. */
const LEASE_SECONDS = 30;
/**
 * While another transaction has the row of a lost run, each sweep tries it again, for so long at the most. The
 * transaction that kept the lease from being renewed may last much longer than the lease.
 */
const FORGIVE_MS_MAX = 3_600_000;
/** So many tenants wait in a process for a place; the others wait in the database. */
const LINE_MAX = 200;
/** How late a task may be. */
const SWEEP_MS = 1_000;
/** A run that is cut short goes on in another process. */
const FINISH_MS = 5_000;

type Claimed = {
  readonly context: TenantContext;
  readonly execution: ClaimedExecution;
  /** Frees the place of the run. */
  leave(): void;
};

type Run = { readonly lease: Lease; readonly ended: AbortController };
type Forgiven = { readonly context: TenantContext; readonly held: Held; readonly until: number };

/** Plans and runs the tasks of all tenants, in every worker process. */
export class ExecutionEngine {
  readonly #runtime: Runtime;
  readonly #waitingKinds: readonly string[];
  readonly #loop: WorkLoop<Claimed>;
  readonly #places: RunPlaces;
  /** The runs of this process by their tokens, to end those that were ended elsewhere. */
  readonly #runs = new Map<string, Run>();
  /** Runs whose lease was lost: this process lives, so they count as no attempt. */
  #forgiven: Forgiven[] = [];

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.#waitingKinds = runtime.ports
      .all(taskKinds)
      .filter(({ waits }) => waits === true)
      .map(({ kind }) => kind);
    this.#places = new RunPlaces({
      onNext: (tenantId) => this.#loop.wake(tenantId),
      onFree: () => this.#loop.sweepIn(0),
    });
    this.#loop = new WorkLoop(
      {
        name: OP,
        groupsAtOnceMax: TENANTS_AT_ONCE,
        batchesOverlap: true,
        leaseSeconds: LEASE_SECONDS,
        finishMs: FINISH_MS,
        hint: TASK_HINT,
        noteHint: (tenantId) => tenantId,
        sweepMs: SWEEP_MS,
        sweep: () => this.#sweep(),
        claim: (tenantId, lease) => this.#claim(tenantId, lease),
        work: (claimed, lease) => this.#run(claimed, lease),
        renew: (leases) => this.#renew(leases),
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

  /**
   * Names no more tenants with waiting executions than can run; the others follow when a place is
   * free. Otherwise, when ten thousand tenants are due at midnight and all places are full, a process
   * would do nothing but ask each of them every second.
   */
  async #sweep(): Promise<Set<string>> {
    this.#endLost();
    await this.#forgive();
    const context = systemCall(this.#runtime, OP);
    const found = new Set(await listTenantsToPlan(context));
    for (const lane of this.#places.lanes) {
      if (lane.free <= 0) {
        lane.want();
        continue;
      }
      const { waits, fullTenants } = lane;
      const wanted = { waits, fullTenants, waitingKinds: this.#waitingKinds, count: LINE_MAX };
      const waiting = await listTenantsToRun(context, wanted);
      for (const tenantId of lane.line(waiting)) found.add(tenantId);
    }
    return found;
  }

  /** Times are planned also when there is no room to run anything. */
  async #claim(tenantId: string, lease: Lease): Promise<Claimed | undefined> {
    const context = systemCall(this.#runtime, OP, { tenantId });
    await planPublished(context);
    const place = this.#places.reserve(tenantId);
    const { lanes } = place;
    const waitingKinds = this.#waitingKinds;
    let execution: ClaimedExecution | undefined;
    try {
      execution = await context.transaction(async (tx) => {
        await planDue(tx, context.log);
        if (lanes.length === 0) return undefined;
        lease.begin();
        const { token } = lease;
        return await claimExecution(tx, { token, seconds: LEASE_SECONDS, lanes, waitingKinds });
      });
    } finally {
      if (execution === undefined) place.release();
    }
    if (execution === undefined) return undefined;
    return { context, execution, leave: place.keep(waitingKinds.includes(execution.kind)) };
  }

  async #run({ context, execution, leave }: Claimed, lease: Lease): Promise<boolean> {
    const ended = new AbortController();
    this.#runs.set(lease.token, { lease, ended });
    try {
      const end = await runExecution(context, execution, { lease, endedElsewhere: ended.signal });
      const held = { id: execution.id, token: lease.token };
      const until = steadyClock.now() + FORGIVE_MS_MAX;
      if (end === "lost") this.#forgiven.push({ context, held, until });
    } finally {
      this.#runs.delete(lease.token);
      leave();
      // The next run of the same task may have waited for the end of this one.
      this.#loop.wake(context.tenantId);
    }
    return false;
  }

  async #renew(leases: ReadonlySet<Lease>): Promise<void> {
    const tokens = [...leases].map(({ token }) => token);
    const context = systemCall(this.#runtime, OP);
    const held = await context.transaction((tx) => renewClaims(tx, tokens, LEASE_SECONDS));
    for (const token of tokens) if (!held.has(token)) this.#runs.get(token)?.ended.abort();
  }

  /** Soon after its lease is over, because another process may have the run by then. */
  #endLost(): void {
    for (const { lease, ended } of this.#runs.values()) if (lease.end === "lost") ended.abort();
  }

  /** What fails, because the database is still away, is tried again by the next sweep. */
  async #forgive(): Promise<void> {
    for (const each of [...this.#forgiven]) {
      const { context, held, until } = each;
      const isDone = await context
        .transaction((tx) => forgiveAttempt(tx, held))
        .catch(trueIfTenantEnded);
      if (!isDone && steadyClock.now() < until) continue;
      this.#forgiven = this.#forgiven.filter((other) => other !== each);
    }
  }
}

/** The run has ended with its tenant. */
function trueIfTenantEnded(error: unknown): true {
  if (isTenantNotFound(error)) return true;
  throw error;
}
