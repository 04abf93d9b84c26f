import type { SystemContext } from "#kernel/context.ts";
import { violatedUnique } from "#kernel/db/failures.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { validationProblem } from "#kernel/errors.ts";
import { newId } from "#kernel/ids.ts";
import { deleteRecordsByAccount } from "../authorization/authorization.repository.ts";
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
  const fields = { ...sent, tenants: checkTenants(sent), disabled: false };
  return await withFreeEmail(sent.email, () =>
    context.transaction(async (tx) => {
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
  const disabled = sent.disabled ?? false;
  const fields = { ...sent, tenants: checkTenants(sent), disabled };
  return await withFreeEmail(sent.email, () =>
    context.transaction(async (tx) => {
      if (disabled || sent.role !== "global") await keepOneGlobal(tx, administratorId);
      const before = await getForUpdate(tx, administratorId);
      context.requireMatch(before.version);
      const after = await administrators.updateAdministrator(tx, administratorId, fields);
      if (disabled) await deleteRecordsByAccount(tx, administratorId);
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

function checkTenants({ role, tenants = [] }: AdministratorCreate): readonly string[] {
  if (role === "global" && tenants.length > 0) {
    throw validationProblem({ tenants: ["must be empty for the role global"] });
  }
  if (role === "tenant" && tenants.length === 0) {
    throw validationProblem({ tenants: ["must name at least one tenant"] });
  }
  return tenants;
}

async function withFreeEmail<Result>(email: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (violatedUnique(error) === "administrator_email") throw administratorEmailTaken({ email });
    throw error;
  }
}
