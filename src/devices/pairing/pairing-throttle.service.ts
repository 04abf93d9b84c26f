import type { CallContext } from "#kernel/context.ts";
import { SYSTEM_SCOPE } from "#kernel/db/scope.ts";
import { problem } from "#kernel/http/problem.ts";
import { leaseTokens } from "#kernel/http/rate-limit/rate-limit.repository.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import { AddressCounter } from "#src/access/public.ts";

/** People mistype a code a few times; this many are guesses. Counted by each node. */
export const WRONG_PER_ADDRESS_MAX = 10;
/**
 * Attempts from all addresses on all nodes together, because one person can have very many
 * addresses. In the ten minutes of its life, a code is guessed with a chance of one in 740,000.
 */
export const ATTEMPTS_IN_ALL_MAX = 120;
const WINDOW_SECONDS = 60;

const wrongIn = perRuntime(
  () => new AddressCounter(WRONG_PER_ADDRESS_MAX, () => performance.now()),
);

/**
 * Throws 429 for too many attempts. Counts the attempt as a wrong one before the code is looked up,
 * so that guesses sent in parallel are all counted; the returned function takes that back.
 */
export async function takeAttempt(context: CallContext): Promise<() => void> {
  const { runtime, ip, op } = context;
  const wrong = wrongIn(runtime);
  if (wrong.isExhausted(ip)) throw tooMany("this address", wrong.secondsLeft(ip));
  wrong.record(ip);
  const { granted, endsInMs } = await leaseTokens(runtime.db, {
    tenantId: SYSTEM_SCOPE,
    credentialId: "anonymous",
    op,
    windowSeconds: WINDOW_SECONDS,
    limit: ATTEMPTS_IN_ALL_MAX,
    wanted: 1,
  });
  if (granted === 0) {
    runtime.log.warn({ op }, "too many pairing codes are tried: somebody may be guessing");
    wrong.takeBack(ip);
    throw tooMany("all addresses together", Math.max(1, Math.ceil(endsInMs / 1_000)));
  }
  return () => wrong.takeBack(ip);
}

function tooMany(who: string, seconds: number) {
  return problem(
    "rateLimited",
    `Too many pairing codes were tried from ${who}. Try again in ${seconds} seconds.`,
    { headers: { "retry-after": String(seconds) } },
  );
}
