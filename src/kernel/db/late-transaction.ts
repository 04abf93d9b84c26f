import type { Database, OpenTransaction } from "./database.ts";
import { type Holding, holding } from "./holding.ts";
import type { TenantTx, TransactionOrigin } from "./transaction.ts";

type Options = {
  readonly db: Database;
  readonly origin: TransactionOrigin;
  /** False when the work runs again: see `Database.begin`. */
  readonly mayGuess: boolean;
  /** Runs first in the transaction, before its other users. */
  begin(tx: TenantTx): Promise<void>;
};

/**
 * One transaction for everything that a call writes. It begins at the first write: until then, the
 * call looks things up, checks and renders without holding a connection. After that, all reads and
 * writes of the call use this transaction.
 */
export class LateTransaction {
  readonly #options: Options;
  readonly #scope: Holding;
  #beginning: Promise<TenantTx> | undefined;
  #opened: OpenTransaction | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#scope = { isHolding: false, op: options.origin.op };
  }

  /** Runs work that may use this transaction. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return holding.run(this.#scope, work);
  }

  /** Undefined until the first write. */
  get tx(): TenantTx | undefined {
    return this.#opened?.tx;
  }

  begun(): Promise<TenantTx> {
    this.#beginning ??= this.#begin();
    return this.#beginning;
  }

  async commit(): Promise<void> {
    await this.#opened?.commit();
  }

  /** Rolls back, and returns the error that the caller should throw. */
  async undo(failure: unknown): Promise<unknown> {
    return this.#opened === undefined ? failure : await this.#opened.undo(failure);
  }

  async #begin(): Promise<TenantTx> {
    const { db, origin, begin, mayGuess } = this.#options;
    const opened = await db.begin(origin, mayGuess);
    this.#scope.isHolding = true;
    this.#opened = opened;
    await begin(opened.tx);
    return opened.tx;
  }
}
