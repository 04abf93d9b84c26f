import { setTimeout as sleep } from "node:timers/promises";
import { perRuntime } from "#kernel/per-runtime.ts";
import { RecentMap } from "#kernel/recent-map.ts";
import type { Runtime } from "#kernel/runtime.ts";
import type { GoogleAccount } from "../google-account.ts";
import { takeSlots } from "./api-quota.repository.ts";

/**
 * Google's published limit is 20 requests a second for one issuer. A little more than a twentieth of
 * a second lies between two requests, because they do not all take equally long to Google.
 */
const GAP_MS = 52;
/** Whoever only says to act for an issuer gets so much, and takes nothing from those who do. */
const UNPROVEN_GAP_MS = 250;
/** Few at a time: other processes and newer requests wait for those taken before. */
const SLOTS_MAX = 5;
const WAIT_MS_MAX = 60_000;
const QUOTAS_MAX = 10_000;

type Waiter = { isOver: boolean; end(isGranted: boolean): void; fail(error: unknown): void };

/** The requests that this process may send under one name, in the order in which they were asked for. */
class Quota {
  readonly #runtime: Runtime;
  readonly #name: string;
  readonly #gapMs: number;
  #waiting: Waiter[] = [];
  #isServing = false;

  constructor(runtime: Runtime, name: string, gapMs: number) {
    this.#runtime = runtime;
    this.#name = name;
    this.#gapMs = gapMs;
  }

  take(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve, reject) => {
      const giveUp = () => waiter.end(false);
      const waiter: Waiter = {
        isOver: false,
        end(isGranted) {
          waiter.isOver = true;
          signal.removeEventListener("abort", giveUp);
          resolve(isGranted);
        },
        fail(error) {
          waiter.isOver = true;
          signal.removeEventListener("abort", giveUp);
          reject(error);
        },
      };
      signal.addEventListener("abort", giveUp, { once: true });
      this.#waiting.push(waiter);
      void this.#serve();
    });
  }

  /** Those who wait here wait there from now on. */
  handOver(to: Quota): void {
    to.#waiting.push(...this.#waiting.splice(0));
    void to.#serve();
  }

  #count(): number {
    this.#waiting = this.#waiting.filter(({ isOver }) => !isOver);
    return this.#waiting.length;
  }

  async #serve(): Promise<void> {
    if (this.#isServing) return;
    this.#isServing = true;
    try {
      for (let waiting = this.#count(); waiting > 0; waiting = this.#count()) {
        const count = this.#gapMs === GAP_MS ? Math.min(waiting, SLOTS_MAX) : 1;
        const slots = { name: this.#name, count, gapMs: this.#gapMs };
        await sleep(await takeSlots(this.#runtime, slots));
        for (let left = count; left > 0 && this.#count() > 0; left -= 1) {
          this.#waiting.shift()?.end(true);
          // Never less than the gap, also after this process was held up.
          await sleep(this.#gapMs);
        }
      }
    } catch (error) {
      for (const waiter of this.#waiting.splice(0)) waiter.fail(error);
    } finally {
      this.#isServing = false;
    }
  }
}

type Actor = Pick<GoogleAccount, "issuerId" | "fingerprint">;

const quotasIn = perRuntime(() => ({
  quotas: new RecentMap<Quota>(QUOTAS_MAX),
  /** Accounts that Google has let act for their issuer. */
  accepted: new RecentMap<true>(QUOTAS_MAX),
}));

const nameOf = ({ issuerId, fingerprint }: Actor) => `${issuerId} ${fingerprint}`;

function quotaOf(runtime: Runtime, name: string, gapMs: number): Quota {
  const { quotas } = quotasIn(runtime);
  let quota = quotas.get(name);
  if (quota === undefined) {
    quota = new Quota(runtime, name, gapMs);
    quotas.set(name, quota);
  }
  return quota;
}

const sharedOf = (runtime: Runtime, { issuerId }: Actor) => quotaOf(runtime, issuerId, GAP_MS);
const unprovenOf = (runtime: Runtime, actor: Actor) =>
  quotaOf(runtime, nameOf(actor), UNPROVEN_GAP_MS);

/**
 * True when a request of this account may be sent; false if there was no time left for it. Tenants
 * whose accounts act for the same issuer share its limit. Anybody can name an issuer, so an account
 * that Google has not let act for it yet has a small limit of its own.
 */
export function takeQuota(runtime: Runtime, actor: Actor, signal: AbortSignal): Promise<boolean> {
  const isAccepted = quotasIn(runtime).accepted.get(nameOf(actor)) === true;
  const quota = isAccepted ? sharedOf(runtime, actor) : unprovenOf(runtime, actor);
  return quota.take(AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS_MAX)]));
}

/** After Google did what the account asked for under the id of its issuer. */
export function noteAccepted(runtime: Runtime, actor: Actor): void {
  const { accepted } = quotasIn(runtime);
  if (accepted.get(nameOf(actor)) === true) return;
  accepted.set(nameOf(actor), true);
  unprovenOf(runtime, actor).handOver(sharedOf(runtime, actor));
}

/** After Google said that the account may not act for the issuer. */
export function noteDenied(runtime: Runtime, actor: Actor): void {
  quotasIn(runtime).accepted.delete(nameOf(actor));
}
