import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type Decimal, decimalFromUnits, readDecimal, unitsOf } from "#kernel/decimal.ts";
import { type ProblemError, validationProblem } from "#kernel/errors.ts";
import type { ListInput } from "#kernel/http/lists/list-page.ts";
import { parseTimestamp } from "#kernel/http/lists/list-values.ts";
import type { Answer } from "#kernel/http/route.ts";
import { newId } from "#kernel/ids.ts";
import { findPassesForUpdate, getPass, passNotFound } from "#src/passes/public.ts";
import { aboutPrivilege } from "../privilege.audit.ts";
import {
  movementAlreadyReversed,
  movementNotFound,
  movementNotReversible,
  privilegeNotFound,
} from "../privilege.errors.ts";
import { privilegeMoved } from "../privilege.events.ts";
import { refusalProblem } from "../privilege.refusals.ts";
import * as privileges from "../privilege.repository.ts";
import { type Privilege, type PrivilegeStatus, presentPrivilege } from "../privilege.schema.ts";
import * as movements from "./movement.repository.ts";
import { decisiveTypes, isOneMovement, judge, type MovementRefusal } from "./movement.rules.ts";
import {
  type Movement,
  type MovementCreate,
  type MovementType,
  presentMovement,
  type ReversalCreate,
} from "./movement.schema.ts";

/** How far the clock of a caller may be ahead. */
const AHEAD_MS_MAX = 5 * 60_000;

/** A movement as it is wanted. */
export type MovementWish = {
  readonly type: MovementType;
  /** Signed, as the ledger stores it. */
  readonly value: Decimal;
  readonly expectedValue?: Decimal | undefined;
  readonly reason?: string | undefined;
  readonly reference?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** When it happened; the time of the transaction if it is missing or later than that. */
  readonly occurredAt?: Date | undefined;
  /**
   * The time by which the validity of the privilege is judged; that of the transaction if it is
   * missing. For scans that a device made without a network: callers of the API must not choose it,
   * or a redemption that is dated back would never find a privilege expired.
   */
  readonly validAt?: Date | undefined;
};

export type MovementOutcome =
  | { readonly movement: Movement; readonly privilege: Privilege; readonly refused?: undefined }
  | { readonly refused: MovementRefusal; readonly privilege: Privilege }
  | { readonly refused: "not-found"; readonly privilege?: undefined };

/**
 * Moves the value within the caller's transaction. Locks the privilege, so that movements come one
 * after the other. Refusals are values and not exceptions, because a scan records them.
 */
export async function moveValue(
  tx: TenantTx,
  passId: string,
  privilegeId: string,
  wish: MovementWish,
): Promise<MovementOutcome> {
  const privilege = await privileges.findPrivilegeForUpdate(tx, passId, privilegeId);
  if (privilege === undefined) return { refused: "not-found" };
  return moveLocked(tx, passId, privilege, wish);
}

/** The time that counts for the validity of the privilege: never one that is yet to come. */
export function judgedAt({ validAt }: MovementWish, now: Date): Date {
  return earlier(validAt, now);
}

function earlier(at: Date | undefined, now: Date): Date {
  return at !== undefined && at < now ? at : now;
}

function moveLocked(
  tx: TenantTx,
  passId: string,
  privilege: Privilege,
  wish: MovementWish,
  undo?: { readonly undone: Movement; readonly statusWithout: PrivilegeStatus },
): Exclude<MovementOutcome, { refused: "not-found" }> {
  const at = judgedAt(wish, tx.now);
  const verdict = judge(privilege, { ...wish, at, statusWithout: undo?.statusWithout });
  if (verdict.refused !== undefined) return { refused: verdict.refused, privilege };
  const { valueBefore, valueAfter, status } = verdict;
  const moved = { ...privilege, value: valueAfter, status };
  const more = { ...wish, valueBefore, reverses: undo?.undone.id ?? null };
  return writeMovement(tx, passId, moved, more);
}

type Written = Omit<MovementWish, "expectedValue"> & {
  readonly valueBefore: Decimal | null;
  readonly reverses?: string | null;
};

/**
 * Writes a movement that was found to be allowed. `privilege` has the value and the status after it;
 * its sum, its version and the number of its last movement change here.
 */
export function writeMovement(
  tx: TenantTx,
  passId: string,
  privilege: Privilege,
  wish: Written,
): { movement: Movement; privilege: Privilege } {
  const made = makeMovement(tx, passId, privilege, wish);
  movements.recordMovement(tx, passId, made.privilege, made.movement);
  return made;
}

/** Tells of a movement that the caller records. */
export function makeMovement(
  tx: TenantTx,
  passId: string,
  privilege: Privilege,
  wish: Written,
): { movement: Movement; privilege: Privilege } {
  const moved = raised(tx, privilege, wish.value);
  const movement = newMovement(tx, moved, wish);
  tellMovement(tx, passId, moved, movement);
  return { movement, privilege: moved };
}

function raised(tx: TenantTx, privilege: Privilege, step: Decimal): Privilege {
  const { version, sequence } = privilege;
  const total = decimalFromUnits(unitsOf(privilege.total) + unitsOf(step));
  return { ...privilege, total, version: version + 1, sequence: sequence + 1, updatedAt: tx.now };
}

export function newMovement(tx: TenantTx, privilege: Privilege, wish: Written): Movement {
  return {
    id: newId("mv", tx.now.getTime()),
    privilegeId: privilege.id,
    sequence: privilege.sequence,
    type: wish.type,
    value: wish.value,
    valueBefore: wish.valueBefore,
    valueAfter: privilege.value,
    reason: wish.reason ?? null,
    reference: wish.reference ?? null,
    metadata: wish.metadata ?? {},
    reverses: wish.reverses ?? null,
    occurredAt: earlier(wish.occurredAt, tx.now),
    createdAt: tx.now,
  };
}

/** Every movement has exactly one event: whoever writes one calls this once. */
export function tellMovement(
  tx: TenantTx,
  passId: string,
  privilege: Privilege,
  movement: Movement,
): void {
  const shown = presentPrivilege(privilege, tx.now);
  const data = { passId, ...presentMovement(movement), privilege: shown };
  tx.emit(privilegeMoved, data, { subject: passId });
}

/** Moves a value for a caller who gets an answer. */
export async function createMovement(
  context: TenantContext,
  passId: string,
  privilegeId: string,
  sent: MovementCreate,
): Promise<Movement> {
  const wish = readWish(sent, context.clock.now());
  const outcome = await context.transaction(async (tx) => {
    const moved = await moveValue(tx, passId, privilegeId, wish);
    if (moved.refused === undefined) noteInAudit(tx, passId, moved.movement);
    return moved;
  });
  if (outcome.refused === "not-found") throw await missing(context, passId, privilegeId);
  if (outcome.refused === "indivisible") {
    const field = sent.amount === undefined ? "value" : "amount";
    throw invalid(field, "must be all of it: a OneTime privilege has no parts");
  }
  if (outcome.refused !== undefined) throw refusalProblem(outcome.refused, outcome.privilege);
  return outcome.movement;
}

/** Undoes a movement once, by a movement of the opposite value. */
export async function reverseMovement(
  context: TenantContext,
  passId: string,
  privilegeId: string,
  movementId: string,
  sent: ReversalCreate,
): Promise<Movement> {
  return await context.transaction(async (tx) => {
    const privilege = await privileges.findPrivilegeForUpdate(tx, passId, privilegeId);
    if (privilege === undefined) throw await missing(context, passId, privilegeId, tx);
    const undone = await movements.findUndoable(tx, passId, privilegeId, movementId);
    if (undone === undefined) throw movementNotFound({ movementId });
    const { reversedBy, reverses, sequence } = undone;
    if (reversedBy !== null) throw movementAlreadyReversed({ movementId, by: reversedBy });
    if (reverses !== null || sequence <= privilege.sequenceFrom) {
      throw movementNotReversible({ movementId });
    }
    const value = decimalFromUnits(-unitsOf(undone.value));
    // Former releases wrote movements of one digit more than the API promises.
    if (!isOneMovement(value)) {
      throw movementNotReversible({ movementId, why: "has too many digits" });
    }
    const wish = { ...sent, type: "adjustment" as const, value };
    const statusWithout = await findStatusWithout(tx, passId, privilege, undone);
    const outcome = moveLocked(tx, passId, privilege, wish, { undone, statusWithout });
    if (outcome.refused === "indivisible") {
      throw movementNotReversible({
        movementId,
        why: "is a part, and a OneTime privilege has none",
      });
    }
    if (outcome.refused !== undefined) throw refusalProblem(outcome.refused, privilege);
    noteInAudit(tx, passId, outcome.movement);
    return outcome.movement;
  });
}

/** The status that a locked privilege has if this movement had never been. */
async function findStatusWithout(
  tx: TenantTx,
  passId: string,
  privilege: Privilege,
  undone: Movement,
): Promise<PrivilegeStatus> {
  const types = decisiveTypes(privilege);
  const { status, givenStatus, givenStatusSequence } = privilege;
  if (!types.includes(undone.type) || undone.sequence <= givenStatusSequence) return status;
  const last = await movements.findLastStanding(tx, passId, privilege, types, undone.id);
  if (last === undefined) return givenStatus;
  return last === "redemption" ? "used" : "available";
}

export async function getMovement(
  context: TenantContext,
  passId: string,
  privilegeId: string,
  movementId: string,
): Promise<Movement> {
  const movement = await movements.findMovement(context, passId, privilegeId, movementId);
  if (movement !== undefined) return movement;
  await requireLedger(context, passId, privilegeId);
  throw movementNotFound({ movementId });
}

export async function listMovements(
  context: TenantContext,
  passId: string,
  privilegeId: string,
  input: ListInput,
): Promise<Answer> {
  await requireLedger(context, passId, privilegeId);
  return await movements.listMovements(context, passId, privilegeId, input);
}

/** The ledger of a privilege that was deleted stays readable for as long as the pass is there. */
export async function requireLedger(
  context: TenantContext,
  passId: string,
  privilegeId: string,
): Promise<void> {
  const privilege = await privileges.findPrivilege(context, passId, privilegeId);
  if (privilege !== undefined) return;
  const [first] = await movements.listMovementsAfter(context, passId, privilegeId, 0, 1);
  if (first === undefined) throw await missing(context, passId, privilegeId);
}

/** Names what is missing: the privilege, or the pass itself. */
async function missing(
  context: TenantContext,
  passId: string,
  privilegeId: string,
  tx?: TenantTx,
): Promise<ProblemError> {
  if (tx === undefined) await getPass(context, passId);
  else if ((await findPassesForUpdate(tx, [passId])).length === 0) return passNotFound({ passId });
  return privilegeNotFound({ privilegeId });
}

function noteInAudit(tx: TenantTx, passId: string, movement: Movement): void {
  const { movementId, type, value, valueBefore, valueAfter } = presentMovement(movement);
  const after = { movementId, type, value, valueBefore, valueAfter, reverses: movement.reverses };
  tx.audit({ ...aboutPrivilege(passId, movement.privilegeId), after });
}

/** Reads the two ways to ask for a movement: a signed value, or a type and an amount. */
function readWish(sent: MovementCreate, now: Date): MovementWish {
  const { reason, reference, metadata, expectedValue } = sent;
  return {
    ...readValue(sent),
    reason,
    reference,
    metadata,
    expectedValue: expectedValue === undefined ? undefined : readDecimal(expectedValue),
    occurredAt: readTime(sent.occurredAt, now),
  };
}

function readTime(sent: string | undefined, now: Date): Date | undefined {
  const at = sent === undefined ? undefined : parseTimestamp(sent);
  if (at === undefined) return undefined;
  if (at - now.getTime() > AHEAD_MS_MAX) {
    throw invalid("occurredAt", "must not be more than five minutes ahead");
  }
  return new Date(at);
}

function readValue({ value, type, amount }: MovementCreate): Pick<MovementWish, "type" | "value"> {
  if (value !== undefined && amount !== undefined)
    throw invalid("amount", "cannot be combined with value");
  if (amount !== undefined && type === undefined) throw invalid("type", "is required with amount");
  if (value === undefined && amount === undefined) {
    throw invalid(type === undefined ? "value" : "amount", "is required");
  }
  const field = amount === undefined ? "value" : "amount";
  const units = unitsOf(readDecimal(value ?? amount ?? 0));
  if (units === 0n) throw invalid(field, "must not be zero");
  const wanted = type ?? (units > 0n ? "issuance" : "redemption");
  const isTaken = wanted === "redemption" && field === "amount";
  if (wanted !== "adjustment" && units < 0n !== (wanted === "redemption" && !isTaken)) {
    const sign = wanted === "redemption" && !isTaken ? "below" : "above";
    throw invalid(field, `must be ${sign} zero for the type ${wanted}`);
  }
  return { type: wanted, value: decimalFromUnits(isTaken ? -units : units) };
}

function invalid(field: string, reason: string): ProblemError {
  return validationProblem({ [field]: [reason] });
}
