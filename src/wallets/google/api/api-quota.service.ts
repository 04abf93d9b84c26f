import { setTimeout as sleep } from "node:timers/promises";
import { SYSTEM_SCOPE } from "#kernel/db/scope.ts";
import { leaseTokens } from "#kernel/http/rate-limit/rate-limit.repository.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import type { Runtime } from "#kernel/runtime.ts";

/** Google's published limit for one issuer. */
const LIMIT = { limit: 20, windowSeconds: 1 };
/** Never zero, so that a window that is just ending is not asked for in a tight loop. */
const PAUSE_MS_MIN = 5;

type Waiter = { resolve(): void; reject(error: unknown): void };

/**
 * The requests that this process may send for one issuer. All processes take from the same row of
 * the database; this one asks for as many as wait here at the moment, in one statement.
 */
class IssuerQuota {
  readonly #runtime: Runtime;
  readonly #issuerId: string;
  #waiting: Waiter[] = [];
  #isAsking = false;

  constructor(runtime: Runtime, issuerId: string) {
    this.#runtime = runtime;
    this.#issuerId = issuerId;
  }

  take(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { resolve, reject };
      if (signal?.aborted === true) return reject(signal.reason);
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((one) => one !== waiter);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", giveUp, { once: true });
      waiter.resolve = () => {
        signal?.removeEventListener("abort", giveUp);
        resolve();
      };
      this.#waiting.push(waiter);
      void this.#serve();
    });
  }

  async #serve(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      while (this.#waiting.length > 0) {
        const { granted, endsInMs } = await this.#lease(this.#waiting.length);
        for (const waiter of this.#waiting.splice(0, granted)) waiter.resolve();
        if (this.#waiting.length > 0) await sleep(Math.max(PAUSE_MS_MIN, endsInMs));
      }
    } catch (error) {
      for (const waiter of this.#waiting.splice(0)) waiter.reject(error);
    } finally {
      this.#isAsking = false;
    }
  }

  #lease(wanted: number) {
    return leaseTokens(this.#runtime.db, {
      // Tenants that share an issuer share its limit.
      tenantId: SYSTEM_SCOPE,
      credentialId: this.#issuerId,
      op: "google.request",
      ...LIMIT,
      wanted,
    });
  }
}

const quotasOf = perRuntime(() => new Map<string, IssuerQuota>());

/** Resolves when a request for this issuer may be sent; rejects when the signal is aborted. */
export function takeQuota(runtime: Runtime, issuerId: string, signal?: AbortSignal): Promise<void> {
  const quotas = quotasOf(runtime);
  let quota = quotas.get(issuerId);
  if (quota === undefined) {
    quota = new IssuerQuota(runtime, issuerId);
    quotas.set(issuerId, quota);
  }
  return quota.take(signal);
}
