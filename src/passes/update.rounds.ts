export type RoundsOptions = {
  /** How many tenants are served at once. */
  readonly lanes: number;
  /** One round of one tenant; true when there may be more to do. */
  run(tenantId: string, signal: AbortSignal): Promise<boolean>;
  onError(tenantId: string, error: unknown): void;
};

/**
 * Serves tenants in turn, one round each: one with a million updates does not keep the others
 * waiting. No tenant is served twice at once, and one that is woken while it is being served is
 * served again: what it was woken for may have come too late for that round.
 */
export class Rounds {
  readonly #options: RoundsOptions;
  readonly #waiting = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #wokenAgain = new Set<string>();
  readonly #stop = new AbortController();

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  wake(tenantId: string): void {
    if (this.#stop.signal.aborted) return;
    if (this.#running.has(tenantId)) this.#wokenAgain.add(tenantId);
    else this.#waiting.add(tenantId);
    this.#fill();
  }

  /** Rounds under way end by themselves. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#waiting.clear();
    await Promise.all(this.#running.values());
  }

  #fill(): void {
    for (const tenantId of this.#waiting) {
      if (this.#running.size >= this.#options.lanes) return;
      this.#waiting.delete(tenantId);
      this.#running.set(tenantId, this.#serve(tenantId));
    }
  }

  async #serve(tenantId: string): Promise<void> {
    let hasMore = false;
    try {
      hasMore = await this.#options.run(tenantId, this.#stop.signal);
    } catch (error) {
      this.#options.onError(tenantId, error);
    }
    this.#running.delete(tenantId);
    const isWoken = this.#wokenAgain.delete(tenantId);
    if ((hasMore || isWoken) && !this.#stop.signal.aborted) this.#waiting.add(tenantId);
    this.#fill();
  }
}
