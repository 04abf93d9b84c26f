import { setTimeout as sleep } from "node:timers/promises";
import type { Call } from "../../call.ts";
import type { TenantTx } from "../../db/transaction.ts";
import { isTenantNotFound } from "../../tenant.errors.ts";

const PAUSE_MS_MIN = 250;
const PAUSE_MS_MAX = 5_000;
/** Longer than databases are away, and short enough that nothing is tried for ever. */
const STORING_MS_MAX = 3_600_000;

type Store = (tx: TenantTx) => Promise<void>;

/**
 * Stores the answer of a request whose effects exist. Never throws, because the answer is right and the caller must
 * get it: as a failure it would be sent again, and have its effects twice. It resolves after the first attempt;
 * the others happen in the background, and `end` is called after the last one.
 */
export async function storeAnswer(call: Call, store: Store, end: () => void): Promise<void> {
  const failure = await attempt(call, store);
  if (failure === undefined) return end();
  const { log, op } = call;
  log.warn({ err: failure.error, op }, "an answer could not be stored, and is tried again");
  void storeLater(call, store).finally(end);
}

async function storeLater(call: Call, store: Store): Promise<void> {
  const { log, op } = call;
  const { stopping } = call.runtime;
  let pauseMs = PAUSE_MS_MIN;
  let failure: Failure | undefined;
  for (let waitedMs = 0; waitedMs < STORING_MS_MAX; ) {
    // A process that stops tries once more, and at once.
    await sleep(pauseMs, undefined, { signal: stopping, ref: false }).catch(() => undefined);
    waitedMs += pauseMs;
    pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX);
    failure = await attempt(call, store);
    if (failure === undefined) return;
    // A tenant that is deleted has no answers any more.
    if (stopping.aborted || isTenantNotFound(failure.error)) break;
  }
  log.error({ err: failure?.error, op }, "an answer was never stored: its request may run again");
}

type Failure = { readonly error: unknown };

async function attempt(call: Call, store: Store): Promise<Failure | undefined> {
  try {
    await call.transaction(store);
    return undefined;
  } catch (error) {
    return { error };
  }
}
