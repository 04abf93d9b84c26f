import { perRuntime } from "#kernel/per-runtime.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { servicesOf } from "../../wallet.services.ts";
import { exchange } from "../api/api-exchange.client.ts";
import { type RootKey, readRootKeys } from "./callback.verification.ts";

const AGE_MS_DEFAULT = 3_600_000;
const AGE_MS_MAX = 24 * 3_600_000;
/** After a failure, Google is asked again after this pause at the earliest. */
const AGAIN_MS = 10_000;

type Kept = { keys: readonly RootKey[]; readonly refreshAt: number; readonly endsAt: number };

/**
 * The root keys that Google publishes. They are asked for by age alone, never because a signature
 * did not verify: otherwise forgers could make this service ask as often as they like.
 */
class RootKeys {
  readonly #runtime: Runtime;
  readonly #isDemo: boolean;
  #kept: Kept = { keys: [], refreshAt: 0, endsAt: 0 };
  #asking: Promise<void> | undefined;
  #askAgainAt = 0;

  constructor(runtime: Runtime, isDemo: boolean) {
    this.#runtime = runtime;
    this.#isDemo = isDemo;
  }

  /** Undefined if Google does not answer and no keys are known that are young enough. */
  async get(): Promise<readonly RootKey[] | undefined> {
    const now = performance.now();
    if (now >= this.#kept.refreshAt && now >= this.#askAgainAt) this.#refresh();
    // Keys that are past half of their time are still used while new ones are on their way.
    if (now >= this.#kept.endsAt) await this.#asking;
    return performance.now() < this.#kept.endsAt ? this.#kept.keys : undefined;
  }

  #refresh(): void {
    this.#asking ??= this.#tryToAsk().finally(() => {
      this.#asking = undefined;
    });
  }

  /** Never rejects: while the keys known so far are used, nobody waits for it. */
  async #tryToAsk(): Promise<void> {
    try {
      await this.#ask();
    } catch (error) {
      this.#runtime.log.error({ err: error }, "the root keys of Google Wallet cannot be asked for");
    }
  }

  async #ask(): Promise<void> {
    this.#askAgainAt = performance.now() + AGAIN_MS;
    const { keysUrl } = await servicesOf(this.#runtime).google(this.#isDemo);
    const askedAt = performance.now();
    const reply = await exchange({ method: "GET", url: keysUrl });
    const keys = "kind" in reply || reply.status !== 200 ? [] : readRootKeys(reply.body);
    if ("kind" in reply || keys.length === 0) {
      const problem = "kind" in reply ? reply.message : `status ${reply.status}`;
      this.#runtime.log.warn({ problem }, "the root keys of Google Wallet are not available");
      return;
    }
    const ageMs = ageOf(reply.headers);
    this.#kept = { keys, refreshAt: askedAt + ageMs / 2, endsAt: askedAt + ageMs };
  }
}

/** How much longer the answer may be used. */
function ageOf(headers: Headers): number {
  const maxAge = /(?:^|[\s,])max-age=(\d+)/.exec(headers.get("cache-control") ?? "")?.[1];
  const age = Number(headers.get("age") ?? 0);
  if (maxAge === undefined) return AGE_MS_DEFAULT;
  const leftMs = (Number(maxAge) - (Number.isFinite(age) ? age : 0)) * 1_000;
  return Math.min(Math.max(leftMs, AGAIN_MS), AGE_MS_MAX);
}

const rootKeysIn = perRuntime((runtime) => ({
  real: new RootKeys(runtime, false),
  demo: new RootKeys(runtime, true),
}));

export function rootKeysOf(
  runtime: Runtime,
  isDemo: boolean,
): Promise<readonly RootKey[] | undefined> {
  const { real, demo } = rootKeysIn(runtime);
  return (isDemo ? demo : real).get();
}
