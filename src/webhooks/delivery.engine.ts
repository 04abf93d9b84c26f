import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { systemCall } from "#kernel/call.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { Lanes, type PlannedClaim, READY_MS_MAX } from "./delivery.lanes.ts";
import type { DeliveryMetrics } from "./delivery.metrics.ts";
import { DeliveryRecorder, type RecordedEnd } from "./delivery.recorder.ts";
import {
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
import type { DisabledReason } from "./webhook.schema.ts";
import { disableWebhook, WEBHOOK_SIGNAL } from "./webhook.service.ts";

/** Requests under way at once, of all connections there can be: others call out as well. */
const SLOTS_SHARE = 3 / 4;
/** How often to look for endpoints that take long. */
const WATCH_MS = 250;
/** For what no hint told of: a process died, or a hint was lost. */
const SWEEP_MS = 5_000;
/** Claims hold three times as long. */
const RENEW_MS = 5_000;
/** After a change of subscriptions; several come together. */
const SOON_MS = 20;
/** After a claim that failed. */
const PAUSE_MS = 1_000;

type Claimed = {
  readonly claimed: readonly ClaimedDelivery[];
  readonly nextRetries: readonly NextRetry[];
  /** When their subscriptions were seen as they are. */
  readonly seenAt: number;
};

/**
 * Finds what is due and claims it, in every worker process. Rows are claimed for a while, so a process
 * that dies leaves them to the others; hints say where to look, each lane knows when its next retry is
 * due, and the sweep finds what neither told. Times are those of `performance.now`: this machine's own
 * clock plays no part.
 */
export class DeliveryEngine {
  readonly #runtime: Runtime;
  readonly #recorder: DeliveryRecorder;
  readonly #lanes: Lanes;
  readonly #sender: DeliverySender;
  #timers: NodeJS.Timeout[] = [];
  #sweepTimer: NodeJS.Timeout | undefined;
  #sweepAt = Number.POSITIVE_INFINITY;
  #lookTimer: NodeJS.Timeout | undefined;
  #pumping: Promise<void> | undefined;
  #pumpAgain = false;
  #isStopped = false;

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
      onRoom: () => this.#pump(),
      onDisable: (delivery, reason) => this.#disable(delivery, reason),
    });
  }

  start(): void {
    const { signals } = this.#runtime;
    signals.on(DELIVERY_HINT, (payload) => this.#wake(payload));
    signals.on(WEBHOOK_SIGNAL, (tenantId) => this.#noteChange(tenantId));
    signals.onGap(() => this.#sweepIn(0));
    this.#timers = [
      setInterval(() => void this.#renew(), RENEW_MS),
      setInterval(() => this.#sender.watch(), WATCH_MS),
    ];
    this.#sweepIn(0);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#sweepTimer);
    clearTimeout(this.#lookTimer);
    await this.#pumping;
    await this.#sender.stop();
    for (const timer of this.#timers) clearInterval(timer);
    await this.#recorder.stop();
  }

  /** Endpoints may take longer than a claim holds. */
  async #renew(): Promise<void> {
    const slow = this.#sender.listBegunBefore(performance.now() - RENEW_MS);
    if (slow.length === 0) return;
    await systemCall(this.#runtime, "delivery.renew")
      .transaction((tx) => renewClaims(tx, slow))
      .catch((error) => this.#runtime.log.warn({ err: error }, "claims could not be renewed"));
  }

  #wake(payload: string): void {
    const { tenantId, webhookIds } = readDeliveryHint(payload);
    for (const id of webhookIds) {
      this.#lanes.wake(this.#lanes.get(tenantId, id), { firstAttempts: true });
    }
    this.#pump();
  }

  /** What was claimed under the old settings is claimed anew under the new ones. */
  #noteChange(tenantId: string): void {
    this.#sender.recall(tenantId);
    this.#sweepIn(SOON_MS);
  }

  /** The earlier of two wishes counts: none puts off what another one waits for. */
  #sweepIn(delayMs: number): void {
    const at = performance.now() + delayMs;
    if (this.#isStopped || at >= this.#sweepAt) return;
    clearTimeout(this.#sweepTimer);
    this.#sweepAt = at;
    this.#sweepTimer = setTimeout(() => void this.#sweep(), delayMs);
  }

  async #sweep(): Promise<void> {
    this.#sweepAt = Number.POSITIVE_INFINITY;
    try {
      this.#lanes.forgetIdle(performance.now());
      const waiting = await this.#runtime.db.readAsSystem(waitingLanes);
      const now = performance.now();
      for (const { tenantId, webhookId, isRetry, dueInMs } of waiting) {
        const lane = this.#lanes.get(tenantId, webhookId);
        if (isRetry) this.#lanes.noteRetry(lane, now + dueInMs);
        else this.#lanes.wake(lane, { firstAttempts: true });
      }
      this.#pump();
    } catch (error) {
      this.#runtime.log.warn({ err: error }, "could not look for deliveries that wait");
    } finally {
      this.#sweepIn(SWEEP_MS);
    }
  }

  /** One claim at a time: while it runs, those who want something come together. */
  #pump(): void {
    if (this.#isStopped) return;
    this.#pumpAgain = true;
    this.#pumping ??= this.#run();
  }

  async #run(): Promise<void> {
    // Those who wake it in the same turn of the loop belong together.
    await nextTurn();
    try {
      while (this.#pumpAgain && !this.#isStopped) {
        this.#pumpAgain = false;
        const planned = this.#lanes.plan(performance.now());
        if (planned.length === 0) continue;
        await this.#claim(planned);
        // Those that were not asked have their turn, whatever the others got.
        this.#pumpAgain = true;
      }
    } catch (error) {
      this.#runtime.log.error({ err: error }, "could not claim deliveries");
      this.#sweepIn(PAUSE_MS);
    } finally {
      this.#pumping = undefined;
      this.#planLook();
      if (this.#pumpAgain) this.#pump();
    }
  }

  async #claim(planned: readonly PlannedClaim[]): Promise<void> {
    // Before the claim: a hint that comes while it runs must not be taken for an answered one.
    for (const { lane, firstAttempts, retries } of planned) {
      if (firstAttempts > 0) lane.hasFirstAttempts = false;
      if (retries > 0) lane.hasRetries = false;
    }
    try {
      const { claimed, nextRetries, seenAt } = await this.#claimRows(planned);
      for (const delivery of claimed) {
        const lane = this.#lanes.get(delivery.tenantId, delivery.webhookId);
        lane.isOrdered = delivery.target.ordered;
        this.#lanes.addReady(lane, { delivery, claimedAt: seenAt });
      }
      this.#noteGiven(planned, claimed);
      const now = performance.now();
      for (const { tenantId, webhookId, dueInMs } of nextRetries) {
        this.#lanes.noteRetry(this.#lanes.get(tenantId, webhookId), now + dueInMs);
      }
    } finally {
      this.#lanes.endClaims(planned);
    }
    for (const { lane } of planned) this.#sender.dispatch(lane);
  }

  /**
   * A claim that took so long that subscriptions may have changed looks at them once more, or nothing
   * would ever be sent on a slow database.
   */
  #claimRows(planned: readonly PlannedClaim[]): Promise<Claimed> {
    return systemCall(this.#runtime, "delivery.claim").transaction(async (tx) => {
      commitInMemory(tx);
      const claimedAt = performance.now();
      const claimed = await claimDeliveries(tx, planned, randomUUID());
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

  /** Who got all that was asked for may have more. */
  #noteGiven(planned: readonly PlannedClaim[], claimed: readonly ClaimedDelivery[]): void {
    const given = Map.groupBy(claimed, ({ tenantId, webhookId }) => `${tenantId} ${webhookId}`);
    for (const { lane, tenantId, webhookId, firstAttempts, retries } of planned) {
      const own = given.get(`${tenantId} ${webhookId}`) ?? [];
      const retried = own.filter(({ isRetry }) => isRetry).length;
      this.#lanes.wake(lane, {
        firstAttempts: firstAttempts > 0 && own.length - retried >= firstAttempts,
        retries: retries > 0 && retried >= retries,
      });
    }
  }

  #noteRecorded(ends: readonly RecordedEnd[], tookMs: number): void {
    for (const { delivery, outcome } of ends) {
      const { tenantId, webhookId, isRetry, target } = delivery;
      const { retryAt } = outcome ?? {};
      if (retryAt === undefined && outcome !== undefined && !target.ordered) continue;
      const lane = this.#lanes.get(tenantId, webhookId);
      if (retryAt !== undefined) this.#lanes.noteRetry(lane, retryAt + tookMs);
      // What follows in order can be seen only now. So can what was given back.
      if (outcome === undefined || target.ordered) {
        this.#lanes.wake(lane, { firstAttempts: true, retries: isRetry });
      }
    }
    this.#pump();
  }

  #disable(delivery: ClaimedDelivery, reason: DisabledReason): void {
    const { tenantId, webhookId, target } = delivery;
    const call = systemCall(this.#runtime, "webhook.disable", { tenantId });
    disableWebhook(call, { id: webhookId, version: target.webhookVersion }, reason).catch((error) =>
      this.#runtime.log.error({ err: error, tenantId, webhookId }, "could not disable a webhook"),
    );
  }

  /** Looks again when the next retry is due, or a pause is over. */
  #planLook(): void {
    clearTimeout(this.#lookTimer);
    const delayMs = this.#lanes.nextLookAt - performance.now();
    if (this.#isStopped || delayMs > SWEEP_MS) return;
    this.#lookTimer = setTimeout(() => this.#pump(), Math.max(Math.ceil(delayMs), 1));
  }
}
