import { PushSession, type SessionOptions } from "./push-session.client.ts";

/** Apple allows a thousand requests at once on each, and takes many connections for an attack. */
const SESSIONS_MAX = 4;

/**
 * The connections of one certificate: a single one, until all its requests are taken. A connection
 * that cannot be opened beside others is no failure of the service, and is not tried again while
 * these live.
 */
export class PushPool {
  readonly #options: SessionOptions;
  #sessions: PushSession[] = [];
  #mayGrow = true;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** True while a connection works. */
  get isConnected(): boolean {
    return this.#sessions.some(({ isUsable, isConnected }) => isUsable && isConnected);
  }

  /** The connection for the next request: the one with the fewest requests. */
  pick(): PushSession {
    this.#forgetEnded();
    let best: PushSession | undefined;
    let isConnecting = false;
    for (const session of this.#sessions) {
      if (best === undefined || session.load < best.load) best = session;
      if (!session.isConnected) isConnecting = true;
    }
    if (best === undefined) return this.#open();
    const isTooSmall = best.isFull && !isConnecting && this.#mayGrow;
    return isTooSmall && this.#sessions.length < SESSIONS_MAX ? this.#open() : best;
  }

  close(): void {
    for (const session of this.#sessions) session.close();
    this.#sessions = [];
  }

  #open(): PushSession {
    const session = new PushSession(this.#options);
    this.#sessions.push(session);
    return session;
  }

  #forgetEnded(): void {
    if (this.#sessions.every(({ isUsable }) => isUsable)) return;
    if (this.#sessions.some(({ hasNeverConnected }) => hasNeverConnected)) this.#mayGrow = false;
    this.#sessions = this.#sessions.filter(({ isUsable }) => isUsable);
    if (this.#sessions.length === 0) this.#mayGrow = true;
  }
}
