import type { SystemContext } from "#kernel/context.ts";
import { violatedUnique } from "#kernel/db/failures.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { validationProblem } from "#kernel/errors.ts";
import { newId } from "#kernel/ids.ts";
import { deleteRecordsByAccount } from "../authorization/authorization.repository.ts";
import { deleteKnownBrowsersOf } from "../sign-in/known-browser.repository.ts";
import { inviteAdministrator } from "../sign-in/sign-in-link.service.ts";
import { ADMINISTRATOR_SIGNAL } from "./administrator.cache.ts";
import {
  administratorEmailTaken,
  administratorIsLast,
  administratorNotFound,
} from "./administrator.errors.ts";
import * as administrators from "./administrator.repository.ts";
import {
  type Administrator,
  type AdministratorCreate,
  type AdministratorUpdate,
  type Invitation,
  presentAdministrator,
} from "./administrator.schema.ts";

/** The person chooses the password by the invitation, so that nobody else knows it. */
export async function createAdministrator(
  context: SystemContext,
  sent: AdministratorCreate,
): Promise<{ administrator: Administrator; invitation: Invitation }> {
  const { tenants = [] } = sent;
  const fields = { ...sent, tenants, disabled: false };
  return await withFreeEmail(sent.email, () =>
    context.transaction(async (tx) => {
      requireTenants(sent, await administrators.lockTenants(tx, tenants));
      const id = newId("adm", tx.now.getTime());
      const administrator = await administrators.insertAdministrator(tx, id, fields);
      const invitation = await inviteAdministrator(context.runtime, tx, id);
      tx.audit({ target: `administrator:${id}`, after: presentAdministrator(administrator) });
      return { administrator, invitation };
    }),
  );
}

export async function getAdministrator(
  context: SystemContext,
  administratorId: string,
): Promise<Administrator> {
  const found = await administrators.findAdministrator(context.runtime, administratorId);
  if (found === undefined) throw administratorNotFound({ administratorId });
  return found;
}

export async function updateAdministrator(
  context: SystemContext,
  administratorId: string,
  sent: AdministratorUpdate,
): Promise<Administrator> {
  const { tenants = [], disabled = false } = sent;
  const fields = { ...sent, tenants, disabled };
  return await withFreeEmail(sent.email, () =>
    context.transaction(async (tx) => {
      // Before the administrator, as the end of a tenant does: two orders could deadlock.
      const existing = await administrators.lockTenants(tx, tenants);
      if (disabled || sent.role !== "global") await keepOneGlobal(tx, administratorId);
      const before = await getForUpdate(tx, administratorId);
      context.requireMatch(before.version);
      requireTenants(sent, existing, before);
      const after = await administrators.updateAdministrator(tx, administratorId, fields);
      if (disabled) {
        await deleteRecordsByAccount(tx, administratorId);
        await deleteKnownBrowsersOf(tx, administratorId);
      }
      tx.audit({
        target: `administrator:${administratorId}`,
        before: presentAdministrator(before),
        after: presentAdministrator(after),
      });
      tx.signal(ADMINISTRATOR_SIGNAL, administratorId);
      return after;
    }),
  );
}

export function deleteAdministrator(
  context: SystemContext,
  administratorId: string,
): Promise<void> {
  return context.transaction(async (tx) => {
    await keepOneGlobal(tx, administratorId);
    const before = await getForUpdate(tx, administratorId);
    context.requireMatch(before.version);
    await administrators.deleteAdministrator(tx, administratorId);
    await deleteRecordsByAccount(tx, administratorId);
    tx.audit({
      target: `administrator:${administratorId}`,
      before: presentAdministrator(before),
    });
    tx.signal(ADMINISTRATOR_SIGNAL, administratorId);
  });
}

/**
 * Part of deleting a tenant: rights are read from the administrators in every request, and a new tenant
 * of the same id is another one. An administrator without another tenant keeps the account, and may do nothing.
 */
export async function removeTenantFromAll(tx: TenantTx): Promise<void> {
  for (const { before, after } of await administrators.removeTenant(tx)) {
    tx.audit({
      target: `administrator:${after.id}`,
      before: presentAdministrator(before),
      after: presentAdministrator(after),
    });
    tx.signal(ADMINISTRATOR_SIGNAL, after.id);
  }
}

/** Also for a forgotten password. The old password works until the link is used. */
export function createInvitation(
  context: SystemContext,
  administratorId: string,
): Promise<Invitation> {
  return context.transaction(async (tx) => {
    await getForUpdate(tx, administratorId);
    const invitation = await inviteAdministrator(context.runtime, tx, administratorId);
    tx.audit({
      target: `administrator:${administratorId}`,
      after: { invitationExpiresAt: invitation.expiresAt },
    });
    return invitation;
  });
}

async function getForUpdate(tx: TenantTx, administratorId: string): Promise<Administrator> {
  const found = await administrators.findAdministratorForUpdate(tx, administratorId);
  if (found === undefined) throw administratorNotFound({ administratorId });
  return found;
}

/** Locks all Global Administrators: two that remove each other at once would leave none. */
async function keepOneGlobal(tx: TenantTx, leavingId: string): Promise<void> {
  const ids = await administrators.lockEnabledGlobalAdministrators(tx);
  if (ids.length === 1 && ids[0] === leavingId) throw administratorIsLast();
}

/**
 * Throws 400 if the tenants do not fit. Tenants that `before` has may stay although they do not exist,
 * and so may none: a change of the name must not fail for what it does not touch.
 */
function requireTenants(
  { role, tenants = [] }: AdministratorCreate,
  existing: ReadonlySet<string>,
  before?: Administrator,
): void {
  if (role === "global") {
    if (tenants.length === 0) return;
    throw validationProblem({ tenants: ["must be empty for the role global"] });
  }
  const kept = before?.role === "tenant" ? before.tenants : undefined;
  if (tenants.length === 0 && kept?.length !== 0) {
    throw validationProblem({ tenants: ["must name at least one tenant"] });
  }
  const missing = tenants.filter((id) => !existing.has(id) && kept?.includes(id) !== true);
  if (missing.length === 0) return;
  const names = missing.map((id) => `'${id}'`).join(", ");
  throw validationProblem({ tenants: [`must name tenants that exist; there is no ${names}`] });
}

async function withFreeEmail<Result>(email: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (violatedUnique(error) === "administrator_email") throw administratorEmailTaken({ email });
    throw error;
  }
}
