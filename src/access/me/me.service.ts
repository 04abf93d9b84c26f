import { type Actor, PLATFORM_SCOPE, scopeNameFor } from "#kernel/actor.ts";
import type { SystemContext } from "#kernel/context.ts";
import { SCOPE_NAMES } from "#src/api-keys/public.ts";
import { listTenantNames } from "#src/tenants/public.ts";
import { findAdministrator } from "../administrators/administrator.repository.ts";
import type { Administrator } from "../administrators/administrator.schema.ts";
import type { MeView } from "./me.schema.ts";

/** The credential of somebody with an account here, as `bearer.ts` writes it. */
const ACCOUNT = /^administrator:(.+)$/;

/** Tells callers about themselves: what every credential may know. */
export async function getMe(context: SystemContext): Promise<MeView> {
  const { actor } = context;
  const isEverywhere = actor.reach === "everywhere";
  const tenantIds = actor.reach === "everywhere" ? [] : [...actor.reach];
  const [account, tenants] = await Promise.all([
    findAccount(context),
    tenantIds.length === 0 ? [] : listTenantNames(context, tenantIds),
  ]);
  return {
    kind: kindOf(actor),
    id: actor.credentialId,
    name: account?.name ?? actor.id,
    email: account?.email ?? null,
    role: actor.kind === "administrator" ? (isEverywhere ? "global" : "tenant") : null,
    allTenants: isEverywhere,
    tenants,
    scopes: [...SCOPE_NAMES, PLATFORM_SCOPE]
      .filter((scope) => actor.scopes.has(scope))
      .map((scope) => scopeNameFor(actor, scope)),
  };
}

async function findAccount({ actor, runtime }: SystemContext): Promise<Administrator | undefined> {
  const id = ACCOUNT.exec(actor.credentialId)?.[1];
  return id === undefined ? undefined : await findAdministrator(runtime, id);
}

function kindOf({ kind }: Actor): MeView["kind"] {
  // Neither of these two comes by HTTP.
  if (kind === "sftp" || kind === "system") throw new Error(`A request by '${kind}'.`);
  return kind;
}
