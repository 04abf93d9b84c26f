import { AsyncLocalStorage } from "node:async_hooks";

/** What a stretch of work, and all that it starts, has of the database at the moment. */
export type Holding = {
  /** One connection, and with it the duty to wait for nothing but that connection's answers. */
  isHolding: boolean;
  readonly op: string;
};

/**
 * Follows work through its waits, so that whoever asks for a connection while it holds one is found:
 * see docs/adr/0007-one-connection-per-call.md.
 */
export const holding = new AsyncLocalStorage<Holding>();
