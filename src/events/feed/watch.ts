import { EVENT_HINT } from "#kernel/events/outbox.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import type { Runtime } from "#kernel/runtime.ts";

/** Signals may be lost, so listeners of a tenant also read again after this time. */
const LOOK_MS = 5_000;

/** Tells one listener that there may be new events in a tenant. */
export type Watch = {
  /** Resolves if there was a ring since the last call, or when the signal is aborted. */
  wait(signal: AbortSignal): Promise<void>;
  /**
   * Reads once what several listeners request at the same time. Reads that began before the last
   * ring are not shared, because they may have missed the event behind that ring.
   */
  share<Result>(key: string, read: () => Promise<Result>): Promise<Result>;
  close(): void;
};

/** One handler per process receives the signals for all watches. */
const watchesOf = perRuntime(({ signals }) => {
  const watches = new Map<string, TenantWatch>();
  signals.on(EVENT_HINT, (tenantId) => watches.get(tenantId)?.ring());
  signals.onGap(() => {
    for (const watch of watches.values()) watch.ring();
  });
  return watches;
});

export function openWatch(runtime: Runtime, tenantId: string): Watch {
  const watches = watchesOf(runtime);
  const ofTenant = watches.get(tenantId) ?? new TenantWatch();
  watches.set(tenantId, ofTenant);
  return ofTenant.open(() => watches.delete(tenantId));
}

/** All watches of one tenant. They ring at the same time, so their listeners read the same. */
class TenantWatch {
  readonly #bells = new Set<Bell>();
  readonly #shared = new Map<string, Promise<unknown>>();
  readonly #timer = setInterval(() => this.ring(), LOOK_MS);

  open(onLast: () => void): Watch {
    const bell = new Bell();
    this.#bells.add(bell);
    return {
      wait: (signal) => bell.wait(signal),
      share: (key, read) => this.#share(key, read),
      close: () => {
        if (!this.#bells.delete(bell) || this.#bells.size > 0) return;
        clearInterval(this.#timer);
        onLast();
      },
    };
  }

  ring(): void {
    this.#shared.clear();
    for (const bell of this.#bells) bell.ring();
  }

  #share<Result>(key: string, read: () => Promise<Result>): Promise<Result> {
    const known = this.#shared.get(key);
    if (known !== undefined) return known as Promise<Result>;
    const reading = read().finally(() => {
      if (this.#shared.get(key) === reading) this.#shared.delete(key);
    });
    this.#shared.set(key, reading);
    return reading;
  }
}

class Bell {
  #rang = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#rang = true;
    this.#wake?.();
  }

  async wait(signal: AbortSignal): Promise<void> {
    if (!this.#rang && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          signal.removeEventListener("abort", wake);
          this.#wake = undefined;
          resolve();
        };
        signal.addEventListener("abort", wake);
        this.#wake = wake;
      });
    }
    this.#rang = false;
  }
}
