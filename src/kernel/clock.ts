/** The only source of wall-clock time, so that tests can set it. */
export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };

/**
 * A clock that never goes back, in milliseconds since some moment, for waits within one process: a
 * wall clock can be set back. Tests use one that they move forward themselves.
 */
export type SteadyClock = {
  now(): number;
  /** Calls `call` once, after the delay. The returned function cancels it. */
  after(delayMs: number, call: () => void): () => void;
};

export const steadyClock: SteadyClock = {
  now: () => performance.now(),
  after(delayMs, call) {
    const timer = setTimeout(call, delayMs);
    return () => clearTimeout(timer);
  },
};
