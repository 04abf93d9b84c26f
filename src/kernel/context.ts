import type { Clock } from "./clock.ts";
import type { Sql } from "./db/sql.ts";
import type { TenantTx } from "./db/transaction.ts";
import type { Log } from "./log.ts";
import type { Runtime } from "./runtime.ts";

export type ActorKind = "operator" | "api-key" | "device" | "administrator" | "system";

/** Who is asking, after authentication. */
export type Actor = {
  readonly kind: ActorKind;
  /** Stable and safe to show: a key's name, an administrator's e-mail address, a device's id. */
  readonly id: string;
  /** API key form (`Pass.Read`). Administrators hold every scope and list none. */
  readonly scopes: ReadonlySet<string>;
  readonly isGlobalAdministrator: boolean;
  /** Tenants in which the actor is Tenant Administrator. */
  readonly administeredTenants: ReadonlySet<string>;
  /** Whom rate limits and idempotency keys are counted for. */
  readonly credentialId: string;
};

/** What every use case needs to know of the call it serves. */
export type CallContext = {
  readonly actor: Actor;
  readonly requestId: string;
  /** The operation or job: `api-key.create`. */
  readonly op: string;
  readonly ip: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly runtime: Runtime;
  /**
   * Throws 412 when the caller sent `If-Match` and it does not name this version; undefined for what
   * does not exist yet, which no `If-Match` names.
   */
  requireMatch(version: number | string | undefined): void;
};

/** A call within one tenant: the only way to that tenant's data. */
export type TenantContext = CallContext & {
  readonly tenantId: string;
  /** One statement, one message to the database, no transaction to open or close. */
  read<Row>(statement: Sql<Row>): Promise<Row[]>;
  /** Joins the call's transaction when one is open already (idempotent requests). */
  transaction<Result>(work: (tx: TenantTx) => Promise<Result>): Promise<Result>;
};

/** A call of the whole installation, for Global Administrators and the machinery. */
export type SystemContext = CallContext & {
  /** Sees every tenant's rows: name the tenant in the statement. */
  read<Row>(statement: Sql<Row>): Promise<Row[]>;
  transaction<Result>(work: (tx: TenantTx) => Promise<Result>): Promise<Result>;
  forTenant(tenantId: string): TenantContext;
};

export function isAllowed(actor: Actor, scope: string, tenantId: string | undefined): boolean {
  if (actor.isGlobalAdministrator) return true;
  if (tenantId !== undefined && actor.administeredTenants.has(tenantId)) return true;
  return actor.scopes.has(scope);
}
