import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { systemCall } from "#kernel/call.ts";
import { ProblemError } from "#kernel/errors.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { commitInMemory, recordOutcomes, releaseDeliveries } from "./delivery.repository.ts";
import type { ClaimedDelivery, DeliveryOutcome } from "./delivery.schema.ts";
import { markFailing, markWorking } from "./webhook.repository.ts";

export type RecordedEnd = {
  readonly delivery: ClaimedDelivery;
  /** Undefined when nothing was sent: someone else may try. */
  readonly outcome: DeliveryOutcome | undefined;
  /** What this says of the endpoint; undefined when nothing. */
  readonly isWorking: boolean | undefined;
};

/** With how long the writing took: due times are later than planned by that much at most. */
type OnRecorded = (ends: readonly RecordedEnd[], tookMs: number) => void;

const BATCH_MAX = 500;
/** So long is collected for one batch, unless somebody waits for what it says. */
const COLLECT_MS = 50;
/** Beyond these the oldest are let go of: their claims run out and they are sent once more. */
const WAITING_MAX = 5_000;
const RETRY_MS = 1_000;
const TRIES_AT_STOP = 3;

/**
 * Writes down how attempts ended, many in one statement: while one batch is written the next
 * collects. A batch that is lost with the process is sent again, which deliveries may be.
 */
export class DeliveryRecorder {
  readonly #runtime: Runtime;
  readonly #onRecorded: OnRecorded;
  #waiting: RecordedEnd[] = [];
  #writing: Promise<void> | undefined;
  #isStopping = false;

  constructor(runtime: Runtime, onRecorded: OnRecorded) {
    this.#runtime = runtime;
    this.#onRecorded = onRecorded;
  }

  add(end: RecordedEnd): void {
    if (this.#waiting.length >= WAITING_MAX) this.#waiting.shift();
    this.#waiting.push(end);
    this.#writing ??= this.#run();
  }

  /** Writes what is left; gives up when the database stays away. */
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
        // One that cannot be written must not keep the others from it: by itself it is written without
        // what the endpoint said, and let go if even that fails.
        if (isAway || batch.length > 1) this.#waiting.unshift(...batch);
        else this.#waiting.unshift(...batch.flatMap(withoutResponse));
        batchMax = Math.ceil(batch.length / 2);
        if (isAway) await sleep(RETRY_MS);
      }
    }
    this.#writing = undefined;
  }

  /** At least what else ends in this turn of the loop belongs to the same batch. */
  async #collect(): Promise<void> {
    const isAwaited = ({ delivery, outcome }: RecordedEnd) =>
      delivery.target.ordered || outcome === undefined;
    const isFull = this.#waiting.length >= BATCH_MAX;
    if (isFull || this.#isStopping || this.#waiting.some(isAwaited)) await nextTurn();
    else await sleep(COLLECT_MS);
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

/** Nothing when there is nothing left to leave out. */
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
