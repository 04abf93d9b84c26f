import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { systemCall } from "#kernel/call.ts";
import { ProblemError } from "#kernel/errors.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { markFailing, markWorking } from "../webhook.repository.ts";
import { commitInMemory, recordOutcomes, releaseDeliveries } from "./delivery.repository.ts";
import type { ClaimedDelivery, DeliveryOutcome } from "./delivery.schema.ts";

export type RecordedEnd = {
  readonly delivery: ClaimedDelivery;
  /** Undefined if nothing was sent: another process may try. */
  readonly outcome: DeliveryOutcome | undefined;
  /** Whether the endpoint works; undefined if the attempt does not show it. */
  readonly isWorking: boolean | undefined;
};

/** Gets the time that writing took, because due times are later than planned by up to that time. */
type OnRecorded = (ends: readonly RecordedEnd[], tookMs: number) => void;

const BATCH_MAX = 500;
/** Results are collected for this long, unless other work waits for one of them. */
const COLLECT_MS = 50;
/** The interval of checks whether a request is under way whose result could join the batch. */
const COLLECT_STEP_MS = 10;
/**
 * Beyond this number the oldest results are dropped: their claims expire and they are sent again.
 */
const WAITING_MAX = 5_000;
const RETRY_MS = 1_000;
const TRIES_AT_STOP = 3;

/**
 * Records the results of attempts, many in one statement: while one batch is written, the next is
 * collected. Deliveries whose results are lost with the process are sent again, which is allowed.
 */
export class DeliveryRecorder {
  readonly #runtime: Runtime;
  readonly #onRecorded: OnRecorded;
  #waiting: RecordedEnd[] = [];
  #writing: Promise<void> | undefined;
  #isStopping = false;
  #isLast = false;

  constructor(runtime: Runtime, onRecorded: OnRecorded) {
    this.#runtime = runtime;
    this.#onRecorded = onRecorded;
  }

  add(end: RecordedEnd): void {
    if (this.#waiting.length >= WAITING_MAX) this.#waiting.shift();
    this.#waiting.push(end);
    this.#isLast = false;
    this.#writing ??= this.#run();
  }

  /** Notes that no other request is under way, so the results need not wait for more. */
  noteLast(): void {
    this.#isLast = true;
  }

  /** Writes the remaining results; gives up if the database stays unavailable. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#writing;
  }

  async #run(): Promise<void> {
    let failures = 0;
    let batchMax = BATCH_MAX;
    while (this.#waiting.length > 0) {
      await this.#collect();
      const batch = this.#waiting.splice(0, batchMax);
      try {
        const startedAt = performance.now();
        await this.#write(batch);
        failures = 0;
        batchMax = BATCH_MAX;
        this.#onRecorded(batch, performance.now() - startedAt);
      } catch (error) {
        failures += 1;
        this.#runtime.log.error({ err: error, count: batch.length }, "attempts were not recorded");
        if (this.#isStopping && failures >= TRIES_AT_STOP) break;
        const isAway = isUnavailable(error);
        // A result that cannot be written must not block the others: it is written alone, without
        // the endpoint's answer, and dropped if that fails too.
        if (isAway || batch.length > 1) this.#waiting.unshift(...batch);
        else this.#waiting.unshift(...batch.flatMap(withoutResponse));
        batchMax = Math.ceil(batch.length / 2);
        if (isAway) await sleep(RETRY_MS);
      }
    }
    this.#writing = undefined;
  }

  /** Results that arrive in the same turn of the event loop always belong to the same batch. */
  async #collect(): Promise<void> {
    const isAwaited = ({ delivery, outcome }: RecordedEnd) =>
      delivery.target.ordered || outcome === undefined;
    const isFull = () => this.#waiting.length >= BATCH_MAX;
    if (isFull() || this.#isStopping || this.#waiting.some(isAwaited)) return await nextTurn();
    const until = performance.now() + COLLECT_MS;
    do await sleep(COLLECT_STEP_MS);
    while (!this.#isLast && !isFull() && !this.#isStopping && performance.now() < until);
  }

  async #write(batch: readonly RecordedEnd[]): Promise<void> {
    const outcomes = batch.flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome]));
    const unsent = batch.filter(({ outcome }) => outcome === undefined);
    const turnsWorking = batch.filter(
      ({ isWorking, delivery }) => isWorking === true && delivery.target.isFailing,
    );
    const turnsFailing = batch.filter(
      ({ isWorking, delivery }) => isWorking === false && !delivery.target.isFailing,
    );
    await systemCall(this.#runtime, "delivery.record").transaction(async (tx) => {
      commitInMemory(tx);
      if (outcomes.length > 0) await recordOutcomes(tx, outcomes);
      if (unsent.length > 0) await releaseDeliveries(tx, unsent.map(toDelivery));
      if (turnsFailing.length > 0) await markFailing(tx, turnsFailing.map(toWebhook));
      if (turnsWorking.length > 0) await markWorking(tx, turnsWorking.map(toWebhook));
    });
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ProblemError && error.status === 503;
}

/** Returns nothing if there is no answer to leave out. */
function withoutResponse(end: RecordedEnd): RecordedEnd[] {
  const { outcome } = end;
  if (outcome === undefined || outcome.attempt.response === null) return [];
  return [{ ...end, outcome: { ...outcome, attempt: { ...outcome.attempt, response: null } } }];
}

function toWebhook({ delivery: { tenantId, webhookId, target } }: RecordedEnd) {
  return { tenantId, webhookId, webhookVersion: target.webhookVersion };
}

function toDelivery({ delivery }: RecordedEnd): ClaimedDelivery {
  return delivery;
}
