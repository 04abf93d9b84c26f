import { setTimeout as sleep } from "node:timers/promises";
import { RequestTicket } from "#kernel/egress/request-ticket.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { type AttemptResult, DeliveryClient } from "./delivery.client.ts";
import { type Lane, type Lanes, READY_MS_MAX, type ReadyDelivery } from "./delivery.lanes.ts";
import type { DeliveryMetrics } from "./delivery.metrics.ts";
import { decide } from "./delivery.outcome.ts";
import type { DeliveryRecorder } from "./delivery.recorder.ts";
import type { AttemptTrigger, ClaimedDelivery } from "./delivery.schema.ts";
import type { DisabledReason } from "./webhook.schema.ts";

/** An answer within this time is a quick one. An endpoint that takes longer may be hanging. */
const QUICK_MS = 1_000;
/** Nothing could be sent, so nothing can be for a moment. */
const PAUSE_MS = 1_000;
/** Requests under way at the stop get this long to end. */
const GOODBYE_MS = 5_000;
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
  /** Called whenever somebody may take more than before. */
  readonly onRoom: () => void;
  /** Called when the endpoint of a delivery should get no more. */
  readonly onDisable: (delivery: ClaimedDelivery, reason: DisabledReason) => void;
};

/** Sends what was claimed, as far as there are slots for it, and hands on how that ended. */
export class DeliverySender {
  readonly #options: SenderOptions;
  readonly #lanes: Lanes;
  readonly #client: DeliveryClient;
  /** In the order in which they began. */
  readonly #sending = new Set<Sending>();
  /** Something lies ready for them and found no room: whoever waits longest comes first. */
  readonly #blocked = new Set<Lane>();
  #onIdle: (() => void) | undefined;
  #isStopped = false;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#lanes = options.lanes;
    this.#client = new DeliveryClient(options.runtime);
  }

  /** What takes long enough that its claim might run out. */
  listBegunBefore(claimedAt: number): ClaimedDelivery[] {
    return [...this.#sending].filter((one) => one.claimedAt <= claimedAt).map(toDelivery);
  }

  /** Begins what lies ready, as much as there is room for. */
  dispatch(lane: Lane): void {
    if (lane.ready.length === 0 || this.#isStopped) return;
    this.#giveBackStale(lane);
    while (this.#lanes.hasRoom(lane)) {
      const next = this.#lanes.takeReady(lane);
      if (next === undefined) return;
      this.#begin(lane, next);
    }
    if (lane.ready.length > 0) this.#blocked.add(lane);
  }

  /** From time to time: endpoints that take long make room for those that do not. */
  watch(): void {
    const latest = performance.now() - QUICK_MS;
    for (const { lane, startedAt } of this.#sending) {
      if (startedAt > latest) break;
      this.#lanes.noteSlow(lane);
    }
    this.#dispatchBlocked();
    this.#options.onRoom();
  }

  /** What was claimed under old settings is given back, unless the endpoint may have got it. */
  recall(tenantId: string): void {
    for (const lane of this.#lanes.all()) {
      if (lane.tenantId === tenantId) this.#giveBack(this.#lanes.takeReadyBefore(lane));
    }
    for (const { lane, ticket } of this.#sending) {
      if (lane.tenantId === tenantId && !ticket.isUnderWay) ticket.callOff();
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const lane of this.#lanes.all()) this.#giveBack(this.#lanes.takeReadyBefore(lane));
    if (this.#sending.size === 0) return;
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    await Promise.race([idle, sleep(GOODBYE_MS, undefined, { ref: false })]);
    for (const { ticket } of this.#sending) ticket.callOff();
    await idle;
  }

  #begin(lane: Lane, { delivery, claimedAt }: ReadyDelivery): void {
    const ticket = new RequestTicket();
    const sending = { lane, delivery, claimedAt, startedAt: performance.now(), ticket };
    this.#sending.add(sending);
    this.#lanes.noteStart(lane);
    void this.#send(sending);
  }

  async #send(sending: Sending): Promise<void> {
    const { lane, delivery, ticket } = sending;
    try {
      const result = await this.#client.attempt(delivery, triggerOf(delivery), ticket);
      this.#noteResult(sending, result);
    } catch (error) {
      this.#options.runtime.log.error({ err: error }, "a delivery could not be attempted");
      this.#lanes.pause(lane, performance.now() + PAUSE_MS);
      this.#giveBack([sending]);
    }
    this.#sending.delete(sending);
    this.#lanes.noteEnd(lane);
    if (this.#sending.size === 0) this.#onIdle?.();
    this.#dispatchBlocked();
    this.dispatch(lane);
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

  /** Whether their subscription is still enabled has to be seen anew. */
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
    for (const { delivery } of ready) {
      this.#options.recorder.add({ delivery, outcome: undefined, isWorking: undefined });
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
