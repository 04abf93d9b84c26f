import { compilePatterns, createMatcher, type Subscription } from "#src/events/public.ts";
import { defineLine } from "../support/line.ts";

const SUBSCRIPTIONS = 1_000;
const EVENTS = 100_000;
/** One subscription after the other takes a hundred times as long: fewer events say enough. */
const BASELINE_EVENTS = 1_000;

/**
 * Which of a tenant's subscriptions an event is for. Half of the names never recur, so that what is
 * remembered of earlier ones helps with the other half only.
 */
export const webhookMatch = defineLine({
  name: "match events of webhooks",
  measures: { all: { unit: `s for ${EVENTS} events`, bar: { of: "ours", below: 2 } } },
  rounds: 5,
  async prepare() {
    const subscriptions = Array.from({ length: SUBSCRIPTIONS }, (_, at) => subscriptionOf(at));
    const names = Array.from({ length: EVENTS }, (_, at) => nameOf(at));
    const compiled = subscriptions.map(({ patterns }) => compilePatterns(patterns));
    return {
      ours: async () => {
        // Anew in each round: nothing is remembered of the one before.
        const matcher = createMatcher(subscriptions);
        return secondsFor(names, (name) => matcher.match(name).length);
      },
      baselines: {
        "each pattern in turn": async () =>
          secondsFor(
            names.slice(0, BASELINE_EVENTS),
            (name) => compiled.filter((covers) => covers(name)).length,
          ),
      },
    };
  },
});

function subscriptionOf(at: number): Subscription {
  const kinds = [
    ["pass.created", "pass.updated"],
    ["pass.*", `store.shop-${at}.updated`],
    ["store.*.updated", "customer.cre*"],
    [`store.shop-${at}.*`, "scan.recorded", "device.*"],
  ];
  const patterns = at % 100 === 0 ? ["*"] : (kinds[at % kinds.length] ?? []);
  return { id: `hook-${at}`, patterns };
}

function nameOf(at: number): string {
  const usual = ["pass.created", "pass.updated", "scan.recorded", "customer.created"];
  return at % 2 === 0 ? `store.shop-${at}.updated` : (usual[(at >> 1) % usual.length] ?? "");
}

async function secondsFor(names: readonly string[], match: (name: string) => number) {
  let matched = 0;
  // Time of this thread, not of the wall: what else the machine does is not the matcher's.
  const before = process.threadCpuUsage();
  for (const name of names) matched += match(name);
  const { user, system } = process.threadCpuUsage(before);
  if (matched < names.length) throw new Error("Too few subscriptions matched to be right.");
  return { all: ((user + system) / 1_000_000) * (EVENTS / names.length) };
}
