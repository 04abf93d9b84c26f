import type { CallContext } from "#kernel/context.ts";
import { SYSTEM_SCOPE } from "#kernel/db/scope.ts";
import { problem } from "#kernel/http/problem.ts";
import { leaseTokens } from "#kernel/http/rate-limit/rate-limit.repository.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import { AddressCounter, networkGroup } from "#src/access/public.ts";

/** People mistype a code a few times; this many are guesses. Counted by each node, as networks are. */
export const WRONG_PER_ADDRESS_MAX = 10;
/** For all addresses of one network, which are often in one hand. */
export const WRONG_PER_NETWORK_MAX = 60;
/**
 * Attempts from all addresses on all nodes together, because one person can have very many
 * addresses. High enough that nobody uses it up for all others from a few networks, and low enough
 * that in the ten minutes of its life a code is guessed with a chance of one in 70,000.
 */
export const ATTEMPTS_IN_ALL_MAX = 1_200;
const WINDOW_SECONDS = 60;

type Counted = { readonly who: string; readonly counter: AddressCounter };

const wrongIn = perRuntime((): readonly Counted[] => {
  const now = () => performance.now();
  return [
    { who: "this address", counter: new AddressCounter(WRONG_PER_ADDRESS_MAX, now) },
    {
      who: "this network",
      counter: new AddressCounter(WRONG_PER_NETWORK_MAX, now, networkGroup),
    },
  ];
});

/**
 * Throws 429 for too many attempts. Counts the attempt as a wrong one before the code is looked up,
 * so that guesses sent in parallel are all counted; the returned function takes that back. An
 * attempt that is refused for its address takes nothing from what all addresses have together.
 */
export async function takeAttempt(context: CallContext): Promise<() => void> {
  const { runtime, ip, op } = context;
  const wrong = wrongIn(runtime);
  for (const { who, counter } of wrong) {
    if (counter.isExhausted(ip)) throw tooMany(who, counter.secondsLeft(ip));
  }
  for (const { counter } of wrong) counter.record(ip);
  const takeBack = () => {
    for (const { counter } of wrong) counter.takeBack(ip);
  };
  const { granted, endsInMs } = await leaseTokens(runtime.db, {
    tenantId: SYSTEM_SCOPE,
    credentialId: "anonymous",
    op,
    windowSeconds: WINDOW_SECONDS,
    limit: ATTEMPTS_IN_ALL_MAX,
    wanted: 1,
  });
  if (granted > 0) return takeBack;
  runtime.log.warn({ op }, "too many pairing codes are tried: somebody may be guessing");
  takeBack();
  throw tooMany("all addresses together", Math.max(1, Math.ceil(endsInMs / 1_000)));
}

function tooMany(who: string, seconds: number) {
  return problem(
    "rateLimited",
    `Too many pairing codes were tried from ${who}. Try again in ${seconds} seconds.`,
    { headers: { "retry-after": String(seconds) } },
  );
}
