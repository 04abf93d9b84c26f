import { AsyncLocalStorage } from "node:async_hooks";

/** Whether a call, with everything it starts, holds a database connection at the moment. */
export type Holding = {
  /**
   * True while the call holds a connection; it may then wait for that connection's answers only.
   */
  isHolding: boolean;
  readonly op: string;
};

/**
 * Follows a call through its asynchronous work, in order to detect a call that asks for a second
 * connection while it holds one: see docs/adr/0007-one-connection-per-call.md.
 */
export const holding = new AsyncLocalStorage<Holding>();
