import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { systemCall } from "#kernel/call.ts";
import { RequestTicket } from "#kernel/egress/request-ticket.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { type AttemptResult, DeliveryClient } from "./delivery.client.ts";
import { type Lane, Lanes, READY_MS_MAX, type ReadyDelivery } from "./delivery.lanes.ts";
import type { DeliveryMetrics } from "./delivery.metrics.ts";
import { type Decision, decide } from "./delivery.outcome.ts";
import { DeliveryRecorder, type RecordedEnd } from "./delivery.recorder.ts";
import {
  claimDeliveries,
  commitInMemory,
  keepCurrent,
  type LaneRequest,
  releaseDeliveries,
  renewClaims,
  waitingLanes,
} from "./delivery.repository.ts";
import type { ClaimedDelivery } from "./delivery.schema.ts";
import { DELIVERY_HINT, readDeliveryHint } from "./delivery.signal.ts";
import { disableWebhook, WEBHOOK_SIGNAL } from "./webhook.service.ts";

/** Requests under way at once: fewer than the connections there are. */
const SLOTS_MAX = 200;
/** For what no hint told of: a process died, or a hint was lost. */
const SWEEP_MS = 5_000;
/** Claims hold three times as long. */
const RENEW_MS = 5_000;
/** After a change of subscriptions; several come together. */
const SOON_MS = 20;
const PAUSE_MS = 1_000;
/** Requests under way at the stop get this long to end. */
const GOODBYE_MS = 5_000;

type Sending = ReadyDelivery & { readonly ticket: RequestTicket; done: Promise<void> };

/**
 * Sends what is due, in every worker process. Rows are claimed for a while, so a process that dies
 * leaves them to the others; hints say where to look, and the sweep finds what they did not tell.
 */
export class DeliveryEngine {
  readonly #runtime: Runtime;
  readonly #client: DeliveryClient;
  readonly #metrics: DeliveryMetrics;
  readonly #recorder: DeliveryRecorder;
  readonly #lanes = new Lanes();
  /** Something lies ready for them and found no room: whoever waits longest comes first. */
  readonly #blocked = new Set<Lane>();
  readonly #sending = new Set<Sending>();
  #renewTimer: NodeJS.Timeout | undefined;
  #sweepTimer: NodeJS.Timeout | undefined;
  #sweepAt = Number.POSITIVE_INFINITY;
  #retryTimer: NodeJS.Timeout | undefined;
  #pumping: Promise<void> | undefined;
  #pumpAgain = false;
  #isStopped = false;

  constructor(runtime: Runtime, metrics: DeliveryMetrics) {
    this.#runtime = runtime;
    this.#client = new DeliveryClient(runtime);
    this.#metrics = metrics;
    this.#recorder = new DeliveryRecorder(runtime, (ends) => this.#noteRecorded(ends));
  }

  start(): void {
    const { signals } = this.#runtime;
    signals.on(DELIVERY_HINT, (payload) => this.#wake(payload));
    signals.on(WEBHOOK_SIGNAL, (tenantId) => this.#noteChange(tenantId));
    signals.onGap(() => this.#sweepIn(0));
    this.#renewTimer = setInterval(() => void this.#renew(), RENEW_MS);
    this.#sweepIn(0);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#sweepTimer);
    clearTimeout(this.#retryTimer);
    await this.#pumping;
    for (const lane of this.#lanes.all()) this.#giveBack(lane.ready.splice(0));
    const ended = Promise.allSettled([...this.#sending].map(({ done }) => done));
    await Promise.race([ended, sleep(GOODBYE_MS, undefined, { ref: false })]);
    for (const { ticket } of this.#sending) ticket.callOff();
    await ended;
    clearInterval(this.#renewTimer);
    await this.#recorder.stop();
  }

  /** Endpoints may take longer than a claim holds. */
  async #renew(): Promise<void> {
    const latest = this.#now() - RENEW_MS;
    const slow = [...this.#sending].filter(({ claimedAt }) => claimedAt <= latest);
    if (slow.length === 0) return;
    const claimed = slow.map(({ delivery }) => delivery);
    await systemCall(this.#runtime, "delivery.renew")
      .transaction((tx) => renewClaims(tx, claimed))
      .catch((error) => this.#runtime.log.warn({ err: error }, "claims could not be renewed"));
  }

  #wake(payload: string): void {
    const { tenantId, webhookIds } = readDeliveryHint(payload);
    for (const id of webhookIds) this.#lanes.get(tenantId, id).hasFirstAttempts = true;
    this.#pump();
  }

  /** What was claimed under the old settings is claimed anew under the new ones. */
  #noteChange(tenantId: string): void {
    for (const lane of this.#lanes.all()) {
      if (lane.tenantId === tenantId) this.#giveBack(lane.ready.splice(0));
    }
    // Those that still wait for a connection as well.
    for (const { delivery, ticket } of this.#sending) {
      if (delivery.tenantId === tenantId && !ticket.isUnderWay) ticket.callOff();
    }
    this.#sweepIn(SOON_MS);
  }

  /** The earlier of two wishes counts: none puts off what another one waits for. */
  #sweepIn(delayMs: number): void {
    const at = this.#now() + delayMs;
    if (this.#isStopped || at >= this.#sweepAt) return;
    clearTimeout(this.#sweepTimer);
    this.#sweepAt = at;
    this.#sweepTimer = setTimeout(() => void this.#sweep(), delayMs);
  }

  async #sweep(): Promise<void> {
    this.#sweepAt = Number.POSITIVE_INFINITY;
    try {
      this.#lanes.forgetIdle();
      for (const waiting of await this.#runtime.db.readAsSystem(waitingLanes)) {
        const lane = this.#lanes.get(waiting.tenantId, waiting.webhookId);
        if (waiting.isRetry) lane.noteRetry(waiting.dueAt.getTime());
        else lane.hasFirstAttempts = true;
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
        const now = this.#now();
        this.#lanes.noteTime(now);
        const requests = this.#lanes.plan(SLOTS_MAX - this.#lanes.inFlight, SLOTS_MAX, now);
        if (requests.length === 0) continue;
        await this.#claim(requests);
        // Those that were not asked have their turn, whatever the others got.
        this.#pumpAgain = true;
      }
    } catch (error) {
      this.#runtime.log.error({ err: error }, "could not claim deliveries");
      this.#sweepIn(PAUSE_MS);
    } finally {
      this.#pumping = undefined;
      this.#planRetries();
      if (this.#pumpAgain) this.#pump();
    }
  }

  async #claim(requests: readonly LaneRequest[]): Promise<void> {
    for (const request of requests) this.#noteAsked(request);
    const { claimed, seenAt } = await this.#claimRows(requests);
    for (const delivery of claimed) {
      const lane = this.#lanes.get(delivery.tenantId, delivery.webhookId);
      lane.isOrdered = delivery.target.ordered;
      lane.ready.push({ delivery, claimedAt: seenAt });
    }
    this.#noteGiven(requests, claimed);
    for (const { tenantId, webhookId } of requests) {
      this.#dispatch(this.#lanes.get(tenantId, webhookId));
    }
  }

  /**
   * With the moment at which their subscriptions were seen as they are. A claim that took so long
   * that they may have changed looks once more, or nothing would ever be sent on a slow database.
   */
  #claimRows(requests: readonly LaneRequest[]) {
    return systemCall(this.#runtime, "delivery.claim").transaction(async (tx) => {
      commitInMemory(tx);
      const claimedAt = this.#now();
      const claimed = await claimDeliveries(tx, requests, randomUUID());
      const seenAt = this.#now();
      if (seenAt - claimedAt < READY_MS_MAX / 2) return { claimed, seenAt: claimedAt };
      const current = await keepCurrent(tx, claimed);
      const given = new Set(current);
      const changed = claimed.filter((delivery) => !given.has(delivery));
      if (changed.length > 0) await releaseDeliveries(tx, changed);
      return { claimed: current, seenAt };
    });
  }

  /** Before the claim: a hint that comes while it runs must not be taken for an answered one. */
  #noteAsked({ tenantId, webhookId, firstAttempts, retries }: LaneRequest): void {
    const lane = this.#lanes.get(tenantId, webhookId);
    if (firstAttempts > 0) lane.hasFirstAttempts = false;
    if (retries > 0) lane.hasRetries = false;
  }

  /** Who got all that was asked for may have more. */
  #noteGiven(requests: readonly LaneRequest[], claimed: readonly ClaimedDelivery[]): void {
    const given = Map.groupBy(claimed, ({ tenantId, webhookId }) => `${tenantId} ${webhookId}`);
    for (const { tenantId, webhookId, firstAttempts, retries } of requests) {
      const own = given.get(`${tenantId} ${webhookId}`) ?? [];
      const retried = own.filter(({ isRetry }) => isRetry).length;
      const lane = this.#lanes.get(tenantId, webhookId);
      if (firstAttempts > 0 && own.length - retried >= firstAttempts) lane.hasFirstAttempts = true;
      if (retries > 0 && retried >= retries) lane.hasRetries = true;
      if (lane.hasFirstAttempts || lane.hasRetries) this.#pumpAgain = true;
    }
  }

  #dispatch(lane: Lane): void {
    const stale = [];
    while (!this.#isStopped && lane.ready.length > 0 && lane.inFlight < lane.window) {
      const now = this.#now();
      if (!this.#lanes.hasRoom(lane, SLOTS_MAX, now)) {
        this.#blocked.add(lane);
        break;
      }
      const next = lane.ready.shift();
      if (next === undefined) break;
      if (now - next.claimedAt > READY_MS_MAX) stale.push(next);
      else this.#begin(lane, next);
    }
    if (stale.length === 0) return;
    lane.hasFirstAttempts = true;
    lane.hasRetries = true;
    this.#giveBack(stale);
  }

  #begin(lane: Lane, next: ReadyDelivery): void {
    const { delivery, claimedAt } = next;
    const ticket = new RequestTicket();
    const sending: Sending = { delivery, claimedAt, ticket, done: Promise.resolve() };
    this.#sending.add(sending);
    sending.done = this.#send(lane, sending);
  }

  async #send(lane: Lane, sending: Sending): Promise<void> {
    const { delivery, ticket } = sending;
    this.#lanes.noteStart(lane);
    const startedAt = this.#now();
    try {
      const result = await this.#client.attempt(delivery, ticket);
      const decision = decide(delivery, result, this.#runtime.clock.now(), Math.random());
      this.#noteResult(lane, delivery, result, decision);
      this.#metrics.record(delivery, decision, startedAt);
    } catch (error) {
      this.#runtime.log.error({ err: error }, "a delivery could not be attempted");
      this.#pause(lane);
      this.#recorder.add({ delivery, outcome: undefined, isWorking: undefined });
    } finally {
      this.#sending.delete(sending);
      this.#lanes.noteEnd(lane);
    }
    this.#dispatchBlocked();
    this.#dispatch(lane);
    this.#pump();
  }

  #dispatchBlocked(): void {
    if (this.#blocked.size === 0) return;
    for (const lane of [...this.#blocked]) {
      if (this.#lanes.inFlight >= SLOTS_MAX) return;
      this.#blocked.delete(lane);
      this.#dispatch(lane);
    }
  }

  #noteResult(lane: Lane, delivery: ClaimedDelivery, result: AttemptResult, decision: Decision) {
    const { outcome, isWorking, disable } = decision;
    if (outcome === undefined) {
      this.#pause(lane);
    } else {
      lane.noteAnswer(result.attempt.status !== null && result.attempt.status !== 429, this.#now());
      if (outcome.state === "pending") lane.noteRetry(outcome.dueAt.getTime());
    }
    this.#recorder.add({ delivery, outcome, isWorking });
    if (disable !== undefined) this.#disable(delivery, disable);
  }

  /** Nothing could be sent, so nothing can be for a moment. */
  #pause(lane: Lane): void {
    lane.pausedUntil = this.#now() + PAUSE_MS;
  }

  #disable(delivery: ClaimedDelivery, reason: "gone" | "failing"): void {
    const { tenantId, webhookId, target } = delivery;
    const call = systemCall(this.#runtime, "webhook.disable", { tenantId });
    disableWebhook(call, { id: webhookId, version: target.webhookVersion }, reason).catch((error) =>
      this.#runtime.log.error({ err: error, tenantId, webhookId }, "could not disable a webhook"),
    );
  }

  #giveBack(ready: readonly { readonly delivery: ClaimedDelivery }[]): void {
    for (const { delivery } of ready) {
      this.#recorder.add({ delivery, outcome: undefined, isWorking: undefined });
    }
  }

  /** What follows in order can be seen only now. So can what was given back. */
  #noteRecorded(ends: readonly RecordedEnd[]): void {
    for (const { delivery, outcome } of ends) {
      if (!delivery.target.ordered && outcome !== undefined) continue;
      const lane = this.#lanes.get(delivery.tenantId, delivery.webhookId);
      lane.hasFirstAttempts = true;
      if (delivery.isRetry) lane.hasRetries = true;
    }
    this.#pump();
  }

  #planRetries(): void {
    clearTimeout(this.#retryTimer);
    const now = this.#now();
    const next = this.#lanes.nextLookAt(now);
    if (next === undefined || this.#isStopped) return;
    const delay = Math.min(Math.max(next - now, 1), SWEEP_MS);
    this.#retryTimer = setTimeout(() => this.#pump(), delay);
  }

  #now(): number {
    return this.#runtime.clock.now().getTime();
  }
}
