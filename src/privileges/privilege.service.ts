import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type Decimal, showMaybeDecimal, unitsOf, ZERO } from "#kernel/decimal.ts";
import { validationProblem } from "#kernel/errors.ts";
import type { ListInput } from "#kernel/http/lists/list-page.ts";
import type { Answer } from "#kernel/http/route.ts";
import { isSameJson } from "#kernel/json.ts";
import { findPassesForUpdate, getPass, passNotFound } from "#src/passes/public.ts";
import {
  getLastSequence,
  insertFirstMovements,
  recordMovements,
} from "./movements/movement.repository.ts";
import {
  makeMovement,
  newMovement,
  tellMovement,
  writeMovement,
} from "./movements/movement.service.ts";
import { aboutPrivilege } from "./privilege.audit.ts";
import {
  PRIVILEGES_PER_PASS_MAX,
  privilegeExists,
  privilegeNotFound,
  tooManyPrivileges,
} from "./privilege.errors.ts";
import { privilegeCreated, privilegeDeleted, privilegeUpdated } from "./privilege.events.ts";
import { refusalProblem } from "./privilege.refusals.ts";
import * as privileges from "./privilege.repository.ts";
import {
  changeProblems,
  correction,
  decimalOf,
  keptOutOfBounds,
  statusAfter,
  termsOf,
  termsProblems,
} from "./privilege.rules.ts";
import {
  type PassPrivilege,
  type Privilege,
  type PrivilegeCreate,
  type PrivilegePut,
  type PrivilegeStatus,
  type PrivilegeTerms,
  type PrivilegeView,
  presentPrivilege,
  versionOf,
} from "./privilege.schema.ts";

export async function listPrivilegesOf(
  context: TenantContext,
  passId: string,
): Promise<PrivilegeView[]> {
  const now = context.clock.now();
  const found = await privileges.listPrivileges(context, passId);
  return found.map((privilege) => presentPrivilege(privilege, now));
}

export async function listPrivileges(
  context: TenantContext,
  passId: string,
  input: ListInput,
): Promise<Answer> {
  await getPass(context, passId);
  return await privileges.listPrivilegePage(context, passId, input);
}

export async function getPrivilege(
  context: TenantContext,
  passId: string,
  privilegeId: string,
): Promise<Privilege> {
  const privilege = await privileges.findPrivilege(context, passId, privilegeId);
  if (privilege !== undefined) return privilege;
  await getPass(context, passId);
  throw privilegeNotFound({ privilegeId });
}

export async function createPrivilege(
  context: TenantContext,
  passId: string,
  sent: PrivilegeCreate,
): Promise<Privilege> {
  const { privilegeId } = sent;
  return await context.transaction(async (tx) => {
    await lockPass(tx, passId);
    const known = await privileges.findPrivilegeForUpdate(tx, passId, privilegeId);
    if (known !== undefined) throw privilegeExists({ privilegeId });
    return await addPrivilege(tx, passId, privilegeId, sent);
  });
}

export type PutPrivilege = { readonly privilege: Privilege; readonly isNew: boolean };

/** Creates a privilege, or replaces its terms. A changed value is written as a movement. */
export async function putPrivilege(
  context: TenantContext,
  passId: string,
  privilegeId: string,
  sent: PrivilegePut,
): Promise<PutPrivilege> {
  if (sent.privilegeId !== undefined && sent.privilegeId !== privilegeId) {
    throw validationProblem({ privilegeId: ["must be the one in the address"] });
  }
  return await context.transaction(async (tx) => {
    await lockPass(tx, passId);
    const known = await privileges.findPrivilegeForUpdate(tx, passId, privilegeId);
    context.requireMatch(known && versionOf(known, tx.now));
    if (known !== undefined) {
      return { privilege: changePrivilege(tx, passId, known, sent), isNew: false };
    }
    return { privilege: await addPrivilege(tx, passId, privilegeId, sent), isNew: true };
  });
}

/** Its ledger stays with the pass: it ends with a movement to nothing, so that its sum is right. */
export async function deletePrivilege(
  context: TenantContext,
  passId: string,
  privilegeId: string,
): Promise<void> {
  await context.transaction(async (tx) => {
    await lockPass(tx, passId);
    const known = await privileges.findPrivilegeForUpdate(tx, passId, privilegeId);
    context.requireMatch(known && versionOf(known, tx.now));
    if (known === undefined) throw privilegeNotFound({ privilegeId });
    const last = presentPrivilege(known, tx.now);
    const step = correction({ ...known, value: known.total }, { type: known.type, value: null });
    if (step !== undefined) {
      const reason = "The privilege was deleted";
      const more = { type: "adjustment" as const, value: step, valueBefore: known.value, reason };
      writeMovement(tx, passId, { ...known, value: known.value === null ? null : ZERO }, more);
    }
    privileges.deletePrivilege(tx, passId, privilegeId);
    tx.emit(privilegeDeleted, { passId, ...last }, { subject: passId });
    tx.audit({ ...aboutPrivilege(passId, privilegeId), before: summary(known) });
  });
}

/** Whoever erases the pass waits, and whoever adds a privilege to it too. */
async function lockPass(tx: TenantTx, passId: string): Promise<void> {
  const [pass] = await findPassesForUpdate(tx, [passId]);
  if (pass === undefined) throw passNotFound({ passId });
}

async function addPrivilege(
  tx: TenantTx,
  passId: string,
  privilegeId: string,
  sent: PrivilegePut,
): Promise<Privilege> {
  const terms = termsOf(privilegeId, sent);
  const value = decimalOf(sent.value);
  const problems = termsProblems(terms, value);
  if (problems !== undefined) throw validationProblem(problems);
  if ((await privileges.countPrivileges(tx, passId)) >= PRIVILEGES_PER_PASS_MAX) {
    throw tooManyPrivileges();
  }
  const sequence = await getLastSequence(tx, passId, privilegeId);
  const status = statusAfter(sent, undefined);
  const added = newPrivilege(tx, { ...terms, id: privilegeId, value, status, sequence });
  tx.emit(privilegeCreated, { passId, ...presentPrivilege(added, tx.now) }, { subject: passId });
  insertWithLedger(tx, [{ passId, privilege: added }]);
  tx.audit({ ...aboutPrivilege(passId, privilegeId), after: summary(added) });
  return added;
}

/** `sequence` is where the ledger ended of a privilege that had this id before. */
export type GivenPrivilege = PrivilegeTerms &
  Pick<Privilege, "id" | "value" | "status" | "sequence">;

/** A new privilege; one that begins with a value has its first movement. */
export function newPrivilege(tx: TenantTx, given: GivenPrivilege): Privilege {
  const { sequence } = given;
  const first = given.value === null || unitsOf(given.value) === 0n ? 0 : 1;
  return {
    ...given,
    // A ledger that goes on ended at nothing.
    total: given.value ?? ZERO,
    sequence: sequence + first,
    sequenceFrom: sequence,
    givenStatus: given.status,
    givenStatusSequence: sequence + first,
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
  };
}

/** Sent with the next statement of the transaction: a new pass takes no message more for it. */
export function insertWithLedger(tx: TenantTx, added: readonly PassPrivilege[]): void {
  privileges.insertPrivileges(tx, added);
  const begun = added.flatMap(({ passId, privilege }) => {
    const { value, sequence, sequenceFrom } = privilege;
    if (value === null || sequence === sequenceFrom) return [];
    const type = unitsOf(value) > 0n ? ("issuance" as const) : ("adjustment" as const);
    const movement = newMovement(tx, privilege, { type, value, valueBefore: ZERO });
    return { passId, privilege, movement };
  });
  if (begun.length === 0) return;
  insertFirstMovements(tx, begun);
  for (const { passId, privilege, movement } of begun) {
    tellMovement(tx, passId, privilege, movement);
  }
}

function changePrivilege(
  tx: TenantTx,
  passId: string,
  known: Privilege,
  sent: PrivilegePut,
): Privilege {
  const terms = termsOf(known.id, sent);
  const sentValue = sent.value === undefined ? undefined : decimalOf(sent.value);
  const value = sentValue === undefined ? known.value : sentValue;
  const isKept = value !== null && value === known.value;
  const problems =
    termsProblems(terms, isKept ? undefined : value) ??
    changeProblems(known, { type: terms.type, value });
  if (problems !== undefined) throw validationProblem(problems);
  // Another value than before was held to all bounds already.
  const broken = isKept ? keptOutOfBounds(terms, value) : undefined;
  if (broken !== undefined) throw refusalProblem(broken, { ...known, ...terms });
  const status = statusAfter(sent, known.status);
  const step = correction(known, { type: terms.type, value });
  const isChanged =
    !isSameTerms(known, { ...terms, status }) || (value !== known.value && step === undefined);
  let changed: Privilege = known;
  if (isChanged) {
    const version = known.version + 1;
    const given = givenStatus(known, terms, status);
    changed = { ...known, ...terms, ...given, version, updatedAt: tx.now };
    privileges.updatePrivilege(tx, passId, step === undefined ? { ...changed, value } : changed);
    if (step === undefined) changed = { ...changed, value };
    const previous = presentPrivilege(known, tx.now);
    const data = { passId, ...presentPrivilege(changed, tx.now) };
    tx.emit(privilegeUpdated, data, { subject: passId, previous });
  }
  if (step !== undefined) {
    const more = { type: "adjustment" as const, value: step, valueBefore: known.value };
    ({ privilege: changed } = writeMovement(tx, passId, { ...changed, value }, more));
  }
  tx.audit({
    ...aboutPrivilege(passId, known.id),
    before: summary(known),
    after: summary(changed),
  });
  return changed;
}

/** A privilege that gets another value, and the step that leads there by the ledger. */
export type ValueChange = { readonly known: Privilege; readonly value: Decimal };

/** Sets the values of many privileges, as `putPrivilege` sets one: each must be allowed and new. */
export function setValues(
  tx: TenantTx,
  changes: readonly (ValueChange & { readonly passId: string })[],
): void {
  const moved = changes.flatMap(({ passId, known, value }) => {
    const { type, id } = known;
    const step = correction(known, { type, value });
    // A privilege that had no value begins at zero: there is nothing to move.
    if (step === undefined) {
      changePrivilege(tx, passId, known, { ...sentAs(known), value });
      return [];
    }
    const more = { type: "adjustment" as const, value: step, valueBefore: known.value };
    const made = makeMovement(tx, passId, { ...known, value }, more);
    const after = summary(made.privilege);
    tx.audit({ ...aboutPrivilege(passId, id), before: summary(known), after });
    return { passId, ...made };
  });
  recordMovements(tx, moved);
}

/** The terms of a privilege, as a caller sends them who keeps them. */
function sentAs(known: Privilege): PrivilegePut {
  const { name, type, minimum, maximum, unit, validFrom, validUntil, metadata } = known;
  return {
    name,
    type,
    minimum,
    maximum,
    unit,
    validFrom: validFrom?.toISOString() ?? null,
    validUntil: validUntil?.toISOString() ?? null,
    metadata,
  };
}

/** A PUT that sends back the status it has read gives none: later undos may still change it. */
function givenStatus(known: Privilege, { type }: PrivilegeTerms, status: PrivilegeStatus) {
  if (status === known.status && type === known.type) return {};
  return { status, givenStatus: status, givenStatusSequence: known.sequence };
}

type ComparedTerms = PrivilegeTerms & Pick<Privilege, "status">;

function isSameTerms(known: ComparedTerms, sent: ComparedTerms): boolean {
  const time = (at: Date | null) => at?.getTime();
  return (
    known.name === sent.name &&
    known.type === sent.type &&
    known.minimum === sent.minimum &&
    known.maximum === sent.maximum &&
    known.unit === sent.unit &&
    known.status === sent.status &&
    time(known.validFrom) === time(sent.validFrom) &&
    time(known.validUntil) === time(sent.validUntil) &&
    isSameJson(known.metadata, sent.metadata)
  );
}

/** What the audit trail keeps: it outlives the person, so no metadata. Numbers as events show them. */
function summary({ type, value, status, version }: Privilege) {
  return { type, value: showMaybeDecimal(value), status, version };
}
