import { RequestTicket } from "#kernel/egress/request-ticket.ts";
import type { Runtime } from "#kernel/runtime.ts";
import type { Lease } from "#kernel/work/lease.ts";
import type { DisabledReason } from "../webhook.schema.ts";
import { type AttemptResult, DeliveryClient } from "./delivery.client.ts";
import type { Lane, ReadyDelivery } from "./delivery.lane.ts";
import { type Lanes, READY_MS_MAX } from "./delivery.lanes.ts";
import type { DeliveryMetrics } from "./delivery.metrics.ts";
import { decide } from "./delivery.outcome.ts";
import type { DeliveryRecorder } from "./delivery.recorder.ts";
import type { AttemptTrigger, ClaimedDelivery } from "./delivery.schema.ts";

/** An answer within this time is quick. An endpoint that takes longer may be hanging. */
const QUICK_MS = 1_000;
/** After a request could not be sent, its lane pauses for this long. */
const PAUSE_MS = 1_000;
/** How often to look for requests that take long. */
const WATCH_MS = 250;
const TOO_MANY_REQUESTS = 429;

type Sending = ReadyDelivery & {
  readonly lane: Lane;
  readonly startedAt: number;
  readonly ticket: RequestTicket;
};

export type SenderOptions = {
  readonly runtime: Runtime;
  readonly lanes: Lanes;
  readonly recorder: DeliveryRecorder;
  readonly metrics: DeliveryMetrics;
  /** Called whenever there is room for more requests than before. */
  readonly onRoom: () => void;
  /** Called when the webhook of a delivery should be disabled. */
  readonly onDisable: (delivery: ClaimedDelivery, reason: DisabledReason) => void;
};

/** Sends claimed deliveries as far as there are free slots, and passes the results on. */
export class DeliverySender {
  readonly #options: SenderOptions;
  readonly #lanes: Lanes;
  readonly #client: DeliveryClient;
  /** Requests under way, in the order of their start. */
  readonly #sending = new Set<Sending>();
  /** Lanes with ready deliveries but without a free slot, in the order of waiting. */
  readonly #blocked = new Set<Lane>();
  #watch: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#lanes = options.lanes;
    this.#client = new DeliveryClient(options.runtime);
  }

  start(): void {
    this.#watch = setInterval(() => this.#noteSlow(), WATCH_MS);
  }

  /**
   * Starts no more requests and gives back deliveries that were not started. Requests under way go
   * on.
   */
  close(): void {
    this.#isClosed = true;
    for (const lane of this.#lanes.all()) this.#giveBack(this.#lanes.takeReadyBefore(lane));
  }

  /** Called when no request is under way any more. */
  stop(): void {
    clearInterval(this.#watch);
  }

  /** The deliveries that are being sent under these leases. */
  listUnder(leases: ReadonlySet<Lease>): ClaimedDelivery[] {
    return [...this.#sending].filter(({ batch }) => leases.has(batch.lease)).map(toDelivery);
  }

  /**
   * Calls off the requests of this lease. When the lease was lost, requests that were already sent
   * go on, because the endpoint may have received them; the claim in the row decides whether the
   * result is recorded.
   */
  callOff(lease: Lease): void {
    const isForAll = lease.end === "stopped";
    for (const { batch, ticket } of this.#sending) {
      if (batch.lease === lease && (isForAll || !ticket.isUnderWay)) ticket.callOff();
    }
  }

  /** Starts ready deliveries, as many as there are slots for. */
  dispatch(lane: Lane): void {
    if (lane.readyCount === 0) return;
    if (this.#isClosed) this.#giveBack(this.#lanes.takeReadyBefore(lane));
    else this.#giveBackStale(lane);
    while (this.#lanes.hasRoom(lane)) {
      const next = this.#lanes.takeReady(lane);
      if (next === undefined) return;
      this.#begin(lane, next);
    }
    if (lane.readyCount > 0) this.#blocked.add(lane);
  }

  /**
   * Gives back deliveries that were claimed with old settings, unless the endpoint may have
   * received them.
   */
  recall(tenantId: string): void {
    for (const lane of this.#lanes.all()) {
      if (lane.tenantId === tenantId) this.#giveBack(this.#lanes.takeReadyBefore(lane));
    }
    for (const { lane, ticket } of this.#sending) {
      if (lane.tenantId === tenantId && !ticket.isUnderWay) ticket.callOff();
    }
  }

  #begin(lane: Lane, { delivery, claimedAt, batch }: ReadyDelivery): void {
    const ticket = new RequestTicket();
    const sending = { lane, delivery, claimedAt, batch, startedAt: performance.now(), ticket };
    this.#sending.add(sending);
    this.#lanes.noteStart(lane);
    void this.#send(sending);
  }

  async #send(sending: Sending): Promise<void> {
    const { lane, delivery, batch, ticket } = sending;
    try {
      const result = await this.#client.attempt(delivery, triggerOf(delivery), ticket);
      this.#noteResult(sending, result);
    } catch (error) {
      this.#options.runtime.log.error({ err: error }, "a delivery could not be attempted");
      this.#lanes.pause(lane, performance.now() + PAUSE_MS);
      this.#options.recorder.add({ delivery, outcome: undefined, isWorking: undefined });
    }
    this.#sending.delete(sending);
    this.#lanes.noteEnd(lane);
    batch.noteEnd();
    this.#dispatchBlocked();
    this.dispatch(lane);
    if (this.#sending.size === 0) this.#options.recorder.noteLast();
    this.#options.onRoom();
  }

  #noteResult({ lane, delivery, startedAt }: Sending, result: AttemptResult): void {
    const endedAt = performance.now();
    const decision = decide(delivery, result, endedAt, Math.random());
    const { outcome, isWorking, disable } = decision;
    if (outcome === undefined) this.#lanes.pause(lane, endedAt + PAUSE_MS);
    else this.#noteAnswer(lane, result.attempt.status, endedAt - startedAt);
    this.#options.recorder.add({ delivery, outcome, isWorking });
    this.#options.metrics.record(delivery, decision, startedAt);
    if (disable !== undefined) this.#options.onDisable(delivery, disable);
  }

  #noteAnswer(lane: Lane, status: number | null, tookMs: number): void {
    lane.noteAnswer(status !== null && status !== TOO_MANY_REQUESTS);
    if (tookMs >= QUICK_MS) this.#lanes.noteSlow(lane);
    else if (status !== null) this.#lanes.noteQuick(lane);
  }

  /** Marks slow endpoints, so that they leave slots to quick ones. */
  #noteSlow(): void {
    const latest = performance.now() - QUICK_MS;
    for (const { lane, startedAt } of this.#sending) {
      if (startedAt > latest) break;
      this.#lanes.noteSlow(lane);
    }
    this.#dispatchBlocked();
    this.#options.onRoom();
  }

  /**
   * Gives back deliveries that were claimed too long ago: their subscription must be read again.
   */
  #giveBackStale(lane: Lane): void {
    const stale = this.#lanes.takeReadyBefore(lane, performance.now() - READY_MS_MAX);
    if (stale.length === 0) return;
    this.#lanes.wake(lane, { firstAttempts: true, retries: true });
    this.#giveBack(stale);
  }

  #dispatchBlocked(): void {
    if (this.#blocked.size === 0) return;
    const blocked = [...this.#blocked];
    this.#blocked.clear();
    for (const lane of blocked) this.dispatch(lane);
  }

  #giveBack(ready: readonly ReadyDelivery[]): void {
    for (const { delivery, batch } of ready) {
      this.#options.recorder.add({ delivery, outcome: undefined, isWorking: undefined });
      batch.noteEnd();
    }
  }
}

function triggerOf({ isByHand, isRetry }: ClaimedDelivery): AttemptTrigger {
  if (isByHand) return "manual";
  return isRetry ? "retry" : "event";
}

function toDelivery({ delivery }: ReadyDelivery): ClaimedDelivery {
  return delivery;
}
