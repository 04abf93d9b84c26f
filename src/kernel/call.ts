import { type Actor, EVERY_SCOPE } from "./actor.ts";
import type { Clock } from "./clock.ts";
import type { SystemContext, TenantContext } from "./context.ts";
import { LateTransaction } from "./db/late-transaction.ts";
import { SYSTEM_SCOPE } from "./db/scope.ts";
import type { Sql } from "./db/sql.ts";
import type { TenantTx, TransactionOrigin } from "./db/transaction.ts";
import type { Precondition } from "./http/precondition.ts";
import type { Log } from "./log.ts";
import type { Runtime } from "./runtime.ts";

export type CallOrigin = Omit<TransactionOrigin, "tenantId"> & {
  /** `*` for a call that belongs to no tenant. */
  readonly tenantId: string;
  /** The `If-Match` condition of the request; undefined for a call without a request. */
  readonly precondition?: Precondition;
};

/**
 * One request or one run of a background job. Use cases get it as their context: it is bound to one
 * tenant, or to the whole installation if its tenant is `*`.
 */
export class Call implements TenantContext, SystemContext {
  readonly runtime: Runtime;
  readonly tenantId: string;
  readonly actor: Actor;
  readonly requestId: string;
  readonly op: string;
  readonly ip: string;
  readonly #origin: CallOrigin;
  /** Set by the first transaction if the call does not begin with it: the others are for the same tenant. */
  #tenantSince: Date | undefined;
  #joined: LateTransaction | undefined;
  #keep: ((tx: TenantTx) => void) | undefined;

  constructor(runtime: Runtime, origin: CallOrigin) {
    this.runtime = runtime;
    this.tenantId = origin.tenantId;
    this.actor = origin.actor;
    this.requestId = origin.requestId;
    this.op = origin.op;
    this.ip = origin.ip;
    this.#origin = origin;
    this.#tenantSince = origin.tenantSince;
  }

  get tenantSince(): Date | undefined {
    return this.#tenantSince;
  }

  get #transactionOrigin(): TransactionOrigin {
    return { ...this.#origin, tenantSince: this.#tenantSince };
  }

  get clock(): Clock {
    return this.runtime.clock;
  }

  get log(): Log {
    return this.runtime.log;
  }

  get namesVersion(): boolean {
    return this.#origin.precondition?.namesVersion ?? false;
  }

  get keepsAnswer(): boolean {
    return this.#joined !== undefined || this.#keep !== undefined;
  }

  requireMatch(version: number | string | undefined): void {
    this.#origin.precondition?.require(version);
  }

  read<Row>(statement: Sql<Row>): Promise<Row[]> {
    const tx = this.#joined?.tx;
    return tx === undefined ? this.runtime.db.read(this.tenantId, statement) : tx.many(statement);
  }

  async transaction<Result>(
    work: (tx: TenantTx) => Promise<Result>,
    { createsTenant = false } = {},
  ): Promise<Result> {
    if (this.#joined !== undefined) return await work(await this.#joined.begun());
    const keep = this.#keep;
    const origin = { ...this.#transactionOrigin, createsTenant };
    let last: TenantTx | undefined;
    const result = await this.runtime.db.transaction(origin, async (tx) => {
      last = tx;
      const done = await work(tx);
      keep?.(tx);
      return done;
    });
    // After the commit: a transaction without a result that it waits for is sent only then.
    this.#tenantSince = last?.tenantSince;
    return result;
  }

  /** Calls `keep` last in every transaction of `work`. */
  async keeping<Result>(
    keep: (tx: TenantTx) => void,
    work: () => Promise<Result>,
  ): Promise<Result> {
    this.#keep = keep;
    try {
      return await work();
    } finally {
      this.#keep = undefined;
    }
  }

  /**
   * Everything that `work` writes through this call becomes one transaction; `begin` runs first in
   * it and `end` last. After a deadlock or a wrong guess, `work` runs again from the start.
   */
  async asOneTransaction<Result>(
    begin: (tx: TenantTx) => Promise<void>,
    work: () => Promise<Result>,
    end: (tx: TenantTx, result: Result) => void,
  ): Promise<Result> {
    const { db } = this.runtime;
    for (let count = 1; ; count += 1) {
      const origin = this.#transactionOrigin;
      const late = new LateTransaction({ db, origin, begin, mayGuess: count === 1 });
      this.#joined = late;
      try {
        return await late.run(async () => {
          const result = await work();
          end(await late.begun(), result);
          await late.commit();
          return result;
        });
      } catch (failure) {
        const error = await late.undo(failure);
        if (!(await db.mayRunAgain(error, origin, count))) throw db.explainLast(error);
      } finally {
        this.#joined = undefined;
      }
    }
  }

  forTenant(tenantId: string): Call {
    const tenantSince = tenantId === this.tenantId ? this.#tenantSince : undefined;
    return new Call(this.runtime, { ...this.#origin, tenantId, tenantSince });
  }
}

const SYSTEM_ACTOR: Actor = {
  kind: "system",
  id: "billfold",
  scopes: EVERY_SCOPE,
  reach: "everywhere",
  scopeNames: new Map(),
  credentialId: "system",
};

/** Makes a call that has no request: for start-up, timers and background jobs. */
export function systemCall(
  runtime: Runtime,
  op: string,
  more: { tenantId?: string; tenantSince?: Date | undefined; requestId?: string } = {},
): Call {
  return new Call(runtime, {
    tenantId: more.tenantId ?? SYSTEM_SCOPE,
    tenantSince: more.tenantSince,
    actor: SYSTEM_ACTOR,
    requestId: more.requestId ?? op,
    op,
    ip: "",
  });
}
