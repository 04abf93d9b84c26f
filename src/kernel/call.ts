import type { Clock } from "./clock.ts";
import type { Actor, SystemContext, TenantContext } from "./context.ts";
import type { Sql } from "./db/sql.ts";
import { SYSTEM_SCOPE, type TenantTx, type TransactionOrigin } from "./db/transaction.ts";
import type { Log } from "./log.ts";
import type { Runtime } from "./runtime.ts";

export type CallOrigin = Omit<TransactionOrigin, "tenantId"> & {
  /** `*` outside any tenant. */
  readonly tenantId: string;
  /** Throws when the caller's precondition names another version; absent where there is no caller. */
  readonly requireMatch?: (version: number | string | undefined) => void;
};

/**
 * One request or one run of a job. It is the context handed to use cases: bound to a tenant, or to
 * the whole installation when its tenant is `*`.
 */
export class Call implements TenantContext, SystemContext {
  readonly runtime: Runtime;
  readonly tenantId: string;
  readonly actor: Actor;
  readonly requestId: string;
  readonly op: string;
  readonly ip: string;
  readonly #origin: CallOrigin;
  #joined: TenantTx | undefined;

  constructor(runtime: Runtime, origin: CallOrigin) {
    this.runtime = runtime;
    this.tenantId = origin.tenantId;
    this.actor = origin.actor;
    this.requestId = origin.requestId;
    this.op = origin.op;
    this.ip = origin.ip;
    this.#origin = origin;
  }

  get clock(): Clock {
    return this.runtime.clock;
  }

  get log(): Log {
    return this.runtime.log;
  }

  requireMatch(version: number | string | undefined): void {
    this.#origin.requireMatch?.(version);
  }

  read<Row>(statement: Sql<Row>): Promise<Row[]> {
    if (this.#joined !== undefined) return this.#joined.many(statement);
    return this.runtime.db.read(this.tenantId, statement);
  }

  transaction<Result>(work: (tx: TenantTx) => Promise<Result>): Promise<Result> {
    if (this.#joined !== undefined) return work(this.#joined);
    return this.runtime.db.transaction(this.#origin, work);
  }

  /** Everything the work does through this call becomes part of one transaction. */
  async inOneTransaction<Result>(work: (tx: TenantTx) => Promise<Result>): Promise<Result> {
    return await this.runtime.db.transaction(this.#origin, async (tx) => {
      this.#joined = tx;
      try {
        return await work(tx);
      } finally {
        this.#joined = undefined;
      }
    });
  }

  forTenant(tenantId: string): TenantContext {
    return new Call(this.runtime, { ...this.#origin, tenantId });
  }
}

const SYSTEM_ACTOR: Actor = {
  kind: "system",
  id: "billfold",
  scopes: new Set(),
  isGlobalAdministrator: true,
  administeredTenants: new Set(),
  credentialId: "system",
};

/** A call nobody made from outside: start-up, timers, jobs. */
export function systemCall(
  runtime: Runtime,
  op: string,
  more: { tenantId?: string; requestId?: string } = {},
): Call {
  return new Call(runtime, {
    tenantId: more.tenantId ?? SYSTEM_SCOPE,
    actor: SYSTEM_ACTOR,
    requestId: more.requestId ?? op,
    op,
    ip: "",
  });
}
