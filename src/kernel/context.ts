import type { Actor } from "./actor.ts";
import type { Clock } from "./clock.ts";
import type { Sql } from "./db/sql.ts";
import type { TenantTx } from "./db/transaction.ts";
import type { Log } from "./log.ts";
import type { Runtime } from "./runtime.ts";

/** What every use case needs to know about its call. */
export type CallContext = {
  readonly actor: Actor;
  readonly requestId: string;
  /** The operation or background job, such as `api-key.create`. */
  readonly op: string;
  readonly ip: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly runtime: Runtime;
  /**
   * Throws 412 if the caller sent `If-Match` and it does not match this version, or `If-None-Match` and
   * it does. Pass undefined for a record that does not exist; no `If-Match` matches it.
   */
  requireMatch(version: number | string | undefined): void;
  /** True if the caller sent `If-Match` with a version: the change applies to that version only. */
  readonly namesVersion: boolean;
};

/** A call within one tenant: the only way to access that tenant's data. */
export type TenantContext = CallContext & {
  readonly tenantId: string;
  /** When the tenant was created that the call is for; undefined until that is known. */
  readonly tenantSince: Date | undefined;
  /**
   * True for a request with an idempotency key: its answer is stored, and must be erased with
   * whomever it shows. Events and audit rows name them; where none is written,
   * `TenantTx.concerns` does.
   */
  readonly keepsAnswer: boolean;
  /** Runs one statement in one message to the database, without a transaction. */
  read<Row>(statement: Sql<Row>): Promise<Row[]>;
  /**
   * Uses the transaction of the call if there is one already (requests with an idempotency key). Fails
   * if the tenant has ended or there is none, unless the transaction `createsTenant`.
   */
  transaction<Result>(
    work: (tx: TenantTx) => Promise<Result>,
    options?: { readonly createsTenant: boolean },
  ): Promise<Result>;
};

/** A call for the whole installation: for Global Administrators and the service's own work. */
export type SystemContext = CallContext & {
  /** Reads the rows of all tenants, so the statement must name the tenant. */
  read<Row>(statement: Sql<Row>): Promise<Row[]>;
  transaction<Result>(work: (tx: TenantTx) => Promise<Result>): Promise<Result>;
  forTenant(tenantId: string): TenantContext;
};
