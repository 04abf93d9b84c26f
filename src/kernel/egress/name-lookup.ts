import { promises as dns } from "node:dns";
import { isLocalhost } from "./egress-policy.ts";

/** All addresses of a name, IPv4 and IPv6. Rejects or returns none if the name does not exist. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

const ANSWER_TIMEOUT_MS = 2_000;
const TRIES = 2;
const SYSTEM_LOOKUPS_MAX = 2;

/**
 * Asks the name server directly, and the operating system only for names that the name server does
 * not know (hosts file, search domains). In the opposite order, each name whose server does not
 * answer would block one of the four threads that this process also needs for signatures and files.
 */
export function createLookup(): Lookup {
  const resolver = new dns.Resolver({ timeout: ANSWER_TIMEOUT_MS, tries: TRIES });
  const system = limitConcurrency(SYSTEM_LOOKUPS_MAX, async (hostname: string) => {
    const found = await dns.lookup(hostname, { all: true, order: "verbatim" });
    return found.map(({ address }) => address);
  });
  return async (hostname) => {
    if (isLocalhost(hostname)) return ["127.0.0.1", "::1"];
    const answers = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    const addresses = answers.flatMap((answer) => ("value" in answer ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const silent = answers.find(isSilence);
    if (silent !== undefined) throw silent.reason;
    return await system(hostname);
  };
}

function isSilence(answer: PromiseSettledResult<string[]>): answer is PromiseRejectedResult {
  return answer.status === "rejected" && answer.reason.code === dns.TIMEOUT;
}

function limitConcurrency<Argument, Result>(
  max: number,
  work: (argument: Argument) => Promise<Result>,
): (argument: Argument) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (argument) => {
    if (running < max) running += 1;
    else await new Promise<void>((go) => waiting.push(go));
    try {
      return await work(argument);
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
