import { EVENT_HINT } from "#kernel/events/outbox.ts";
import type { Runtime } from "#kernel/runtime.ts";

/** Tells one who waits that something may have happened in a tenant. */
export type Alarm = {
  /** Resolves when it rang since the last waiting, when the time is up, or with the signal. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  close(): void;
};

const alarmsByRuntime = new WeakMap<Runtime, Map<string, Set<Bell>>>();

/** However many are open, signals are heard once for the whole process. */
export function openAlarm(runtime: Runtime, tenantId: string): Alarm {
  let bells = alarmsByRuntime.get(runtime);
  if (bells === undefined) {
    bells = listen(runtime);
    alarmsByRuntime.set(runtime, bells);
  }
  const ofTenant = bells.get(tenantId) ?? new Set();
  bells.set(tenantId, ofTenant);
  const bell = new Bell(() => {
    ofTenant.delete(bell);
    if (ofTenant.size === 0 && bells.get(tenantId) === ofTenant) bells.delete(tenantId);
  });
  ofTenant.add(bell);
  return bell;
}

function listen({ signals }: Runtime): Map<string, Set<Bell>> {
  const bells = new Map<string, Set<Bell>>();
  signals.on(EVENT_HINT, (tenantId) => {
    for (const bell of bells.get(tenantId) ?? []) bell.ring();
  });
  signals.onGap(() => {
    for (const ofTenant of bells.values()) for (const bell of ofTenant) bell.ring();
  });
  return bells;
}

class Bell implements Alarm {
  readonly close: () => void;
  #rang = false;
  #wake: (() => void) | undefined;

  constructor(close: () => void) {
    this.close = close;
  }

  ring(): void {
    this.#rang = true;
    this.#wake?.();
  }

  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#rang && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", wake);
          this.#wake = undefined;
          resolve();
        };
        const timer = setTimeout(wake, ms);
        signal.addEventListener("abort", wake);
        this.#wake = wake;
      });
    }
    this.#rang = false;
  }
}
