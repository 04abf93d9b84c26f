import { systemCall } from "#kernel/call.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { isTenantNotFound } from "#kernel/tenant.errors.ts";
import type { Lease } from "#kernel/work/lease.ts";
import { WorkLoop } from "#kernel/work/work-loop.ts";
import type { Worker } from "#kernel/work/worker.ts";
import type { DisabledReason } from "../webhook.schema.ts";
import { disableWebhook, WEBHOOK_SIGNAL } from "../webhook.service.ts";
import { DeliveryBatch } from "./delivery.batch.ts";
import { Lanes, type PlannedClaim, READY_MS_MAX } from "./delivery.lanes.ts";
import type { DeliveryMetrics } from "./delivery.metrics.ts";
import { DeliveryRecorder, type RecordedEnd } from "./delivery.recorder.ts";
import {
  CLAIM_SECONDS,
  claimDeliveries,
  commitInMemory,
  keepCurrent,
  listNextRetries,
  type NextRetry,
  releaseDeliveries,
  renewClaims,
  waitingLanes,
} from "./delivery.repository.ts";
import type { ClaimedDelivery } from "./delivery.schema.ts";
import { DeliverySender } from "./delivery.sender.ts";
import { DELIVERY_HINT, readDeliveryHint } from "./delivery.signal.ts";

/**
 * The share of all outgoing connections that deliveries may use, because other modules make calls
 * too.
 */
const SLOTS_SHARE = 3 / 4;
const SWEEP_MS = 5_000;
/** The delay after a change of subscriptions, because several changes often come together. */
const SOON_MS = 20;
/** The time that requests under way have to end when the process stops. */
const FINISH_MS = 5_000;
/** The lanes themselves decide on the order for all tenants, so the loop sees a single group. */
const ALL_LANES = "lanes";

type ClaimedRows = {
  readonly claimed: readonly ClaimedDelivery[];
  readonly nextRetries: readonly NextRetry[];
  /** The time at which the subscriptions were read. */
  readonly seenAt: number;
};

type Claimed = { readonly planned: readonly PlannedClaim[]; readonly batch: DeliveryBatch };

/**
 * Tells the work loop what to claim and what to do with it. One claim is for many lanes, and their
 * requests end one by one, so batches overlap: the lanes limit how much is under way. Times are
 * those of `performance.now`, so this machine's wall clock has no effect.
 */
export class DeliveryEngine {
  readonly #runtime: Runtime;
  readonly #recorder: DeliveryRecorder;
  readonly #lanes: Lanes;
  readonly #sender: DeliverySender;
  readonly #loop: WorkLoop<Claimed>;

  constructor(runtime: Runtime, metrics: DeliveryMetrics) {
    this.#runtime = runtime;
    this.#lanes = new Lanes(Math.floor(runtime.egress.connectionsMax * SLOTS_SHARE));
    this.#recorder = new DeliveryRecorder(runtime, (ends, tookMs) =>
      this.#noteRecorded(ends, tookMs),
    );
    this.#sender = new DeliverySender({
      runtime,
      lanes: this.#lanes,
      recorder: this.#recorder,
      metrics,
      onRoom: () => this.#loop.wake(ALL_LANES),
      onDisable: (delivery, reason) => this.#disable(delivery, reason),
    });
    const worker: Worker<Claimed> = {
      name: "delivery.send",
      groupsAtOnceMax: 1,
      batchesOverlap: true,
      leaseSeconds: CLAIM_SECONDS,
      finishMs: FINISH_MS,
      hint: DELIVERY_HINT,
      noteHint: (payload) => this.#noteHint(payload),
      sweepMs: SWEEP_MS,
      sweep: () => this.#sweep(),
      claim: (_group, lease) => this.#claim(lease),
      work: (claimed, lease) => this.#send(claimed, lease),
      renew: (leases) => this.#renew(leases),
      nextDueAt: () => this.#lanes.nextLookAt,
    };
    this.#loop = new WorkLoop(worker, runtime);
  }

  start(): void {
    this.#runtime.signals.on(WEBHOOK_SIGNAL, (tenantId) => this.#noteChange(tenantId));
    this.#sender.start();
    this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#sender.close();
    await this.#loop.stop();
    this.#sender.stop();
    await this.#recorder.stop();
  }

  #noteHint(payload: string): string {
    const { tenantId, webhookIds } = readDeliveryHint(payload);
    for (const id of webhookIds) {
      this.#lanes.wake(this.#lanes.get(tenantId, id), { firstAttempts: true });
    }
    return ALL_LANES;
  }

  /** Deliveries that were claimed with the old settings are claimed again with the new ones. */
  #noteChange(tenantId: string): void {
    this.#sender.recall(tenantId);
    this.#loop.sweepIn(SOON_MS);
  }

  async #sweep(): Promise<string[]> {
    this.#lanes.forgetIdle(performance.now());
    const waiting = await this.#runtime.db.readAsSystem(waitingLanes);
    const now = performance.now();
    for (const { tenantId, webhookId, isRetry, dueInMs } of waiting) {
      const lane = this.#lanes.get(tenantId, webhookId);
      if (isRetry) this.#lanes.noteRetry(lane, now + dueInMs);
      else this.#lanes.wake(lane, { firstAttempts: true });
    }
    return [ALL_LANES];
  }

  async #claim(lease: Lease): Promise<Claimed | undefined> {
    const planned = this.#lanes.plan(performance.now());
    if (planned.length === 0) return undefined;
    this.#lanes.beginClaims(planned);
    try {
      const { claimed, nextRetries, seenAt } = await this.#claimRows(planned, lease);
      const batch = new DeliveryBatch(lease, claimed.length);
      this.#lanes.addGiven(planned, { claimed, seenAt, batch });
      const now = performance.now();
      for (const { tenantId, webhookId, dueInMs } of nextRetries) {
        this.#lanes.noteRetry(this.#lanes.get(tenantId, webhookId), now + dueInMs);
      }
      return { planned, batch };
    } catch (error) {
      this.#lanes.failClaims(planned);
      throw error;
    } finally {
      this.#lanes.endClaims(planned);
    }
  }

  /**
   * If a claim took so long that subscriptions may have changed, they are read again. Without that,
   * a slow database would prevent all sending.
   */
  #claimRows(planned: readonly PlannedClaim[], lease: Lease): Promise<ClaimedRows> {
    return systemCall(this.#runtime, "delivery.claim").transaction(async (tx) => {
      commitInMemory(tx);
      lease.begin();
      const claimedAt = lease.heldFrom;
      const claimed = await claimDeliveries(tx, planned, lease.token);
      const retrying = planned.filter(({ retries }) => retries > 0);
      const nextRetries = retrying.length === 0 ? [] : await listNextRetries(tx, retrying);
      const seenAt = performance.now();
      if (seenAt - claimedAt < READY_MS_MAX / 2) return { claimed, nextRetries, seenAt: claimedAt };
      const current = await keepCurrent(tx, claimed);
      const given = new Set(current);
      const changed = claimed.filter((delivery) => !given.has(delivery));
      if (changed.length > 0) await releaseDeliveries(tx, changed);
      return { claimed: current, nextRetries, seenAt };
    });
  }

  /** Every request that starts here ends on its own and then makes room for others. */
  async #send({ planned, batch }: Claimed, lease: Lease): Promise<boolean> {
    for (const { lane } of planned) this.#sender.dispatch(lane);
    const giveUp = () => this.#sender.callOff(lease);
    lease.signal.addEventListener("abort", giveUp, { once: true });
    await batch.ended;
    return false;
  }

  /** Needed because an endpoint may take longer than a claim is valid. */
  async #renew(leases: ReadonlySet<Lease>): Promise<void> {
    const slow = this.#sender.listUnder(leases);
    if (slow.length === 0) return;
    await systemCall(this.#runtime, "delivery.renew").transaction((tx) => renewClaims(tx, slow));
  }

  #noteRecorded(ends: readonly RecordedEnd[], tookMs: number): void {
    for (const { delivery, outcome } of ends) {
      const { tenantId, webhookId, isRetry, target } = delivery;
      const { retryAt } = outcome ?? {};
      if (retryAt === undefined && outcome !== undefined && !target.ordered) continue;
      const lane = this.#lanes.get(tenantId, webhookId);
      if (retryAt !== undefined) this.#lanes.noteRetry(lane, retryAt + tookMs);
      // In an ordered webhook, the next delivery can be claimed only now; so can one that was given
      // back.
      if (outcome === undefined || target.ordered) {
        this.#lanes.wake(lane, { firstAttempts: true, retries: isRetry });
      }
    }
    this.#loop.wake(ALL_LANES);
  }

  #disable(delivery: ClaimedDelivery, reason: DisabledReason): void {
    const { tenantId, webhookId, target } = delivery;
    const call = systemCall(this.#runtime, "webhook.disable", { tenantId });
    disableWebhook(call, { id: webhookId, version: target.webhookVersion }, reason).catch(
      (error) => {
        if (isTenantNotFound(error)) return;
        this.#runtime.log.error({ err: error, tenantId, webhookId }, "could not disable a webhook");
      },
    );
  }
}
