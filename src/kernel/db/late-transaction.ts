import type { Database, OpenTransaction } from "./database.ts";
import { type Holding, holding } from "./holding.ts";
import type { TenantTx, TransactionOrigin } from "./transaction.ts";

type Options = {
  readonly db: Database;
  readonly origin: TransactionOrigin;
  /** The first thing done in it, before anyone else gets to use it. */
  begin(tx: TenantTx): Promise<void>;
};

/**
 * One transaction for all that a call writes, begun by whoever writes first and not before: what comes
 * until then (looking things up, checking, rendering) holds no connection and may take its time. From
 * then on everything the call reads and writes goes through it.
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

  /** What may take part. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return holding.run(this.#scope, work);
  }

  /** Undefined as long as nobody needed it. */
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

  /** Gives what the caller is to hear of the failure. */
  async undo(failure: unknown): Promise<unknown> {
    return this.#opened === undefined ? failure : await this.#opened.undo(failure);
  }

  async #begin(): Promise<TenantTx> {
    const { db, origin, begin } = this.#options;
    const opened = await db.begin(origin);
    this.#scope.isHolding = true;
    this.#opened = opened;
    await begin(opened.tx);
    return opened.tx;
  }
}
