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
  /** What the credential may be used for, in the API key form (`Pass.Read`). */
  readonly scopes: Pick<ReadonlySet<string>, "has">;
  /** Where it may be used: in these tenants, or everywhere, what belongs to no tenant included. */
  readonly reach: "everywhere" | ReadonlySet<string>;
  /** How the credential writes scopes, by their API key form; a scope that is missing here is written so. */
  readonly scopeNames: ReadonlyMap<string, string>;
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

/** The scope for what belongs to no tenant. No API key can have it. */
export const PLATFORM_SCOPE = "platform:admin";

/** The scopes of those who act for the installation itself. */
export const EVERY_SCOPE: Actor["scopes"] = { has: () => true };

/** A right needs both: the role, which says where, and the scope, which says what for. */
export function isAllowed(actor: Actor, scope: string, tenantId: string | undefined): boolean {
  return reaches(actor, scope, tenantId) && actor.scopes.has(scope);
}

export function reaches(
  { reach }: Pick<Actor, "reach">,
  scope: string,
  tenantId: string | undefined,
): boolean {
  if (reach === "everywhere") return true;
  return scope !== PLATFORM_SCOPE && tenantId !== undefined && reach.has(tenantId);
}

/** A scope in the words of the credential that the actor sent. */
export function scopeNameFor({ scopeNames }: Pick<Actor, "scopeNames">, scope: string): string {
  return scopeNames.get(scope) ?? scope;
}
