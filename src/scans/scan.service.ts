import { hash } from "node:crypto";
import { isAllowed } from "#kernel/actor.ts";
import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { decimalFromUnits, unitsOf } from "#kernel/decimal.ts";
import { validationProblem } from "#kernel/errors.ts";
import { rightMissing } from "#kernel/http/right-missing.ts";
import { newId } from "#kernel/ids.ts";
import { findPassByCode, inputOf } from "#src/content/public.ts";
import { findDevice } from "#src/devices/public.ts";
import { holdPasses, type Pass, type PassCompanion, passTypesOf } from "#src/passes/public.ts";
import {
  foreseeRefusal,
  listPrivilegesOf,
  type MovementView,
  type MovementWish,
  moveValue,
  type PrivilegeView,
  presentMovement,
  presentPrivilege,
} from "#src/privileges/public.ts";
import { reasonAgainst, reasonOf, statusAt } from "./scan.decision.ts";
import { scanNotFound } from "./scan.errors.ts";
import { scanRecorded } from "./scan.events.ts";
import { findRecent, noteRecent } from "./scan.recent.ts";
import * as scans from "./scan.repository.ts";
import {
  presentScan,
  type Reason,
  type Scan,
  type ScanAnswer,
  type ScanCreate,
  type ScannedPass,
} from "./scan.schema.ts";
import { readWish, type ScanWish } from "./scan.wish.ts";

/** The same code from the same scanner within this time is one scan that was read twice. */
const TWICE_MS = 3_000;
/** A pass may change between the look and the record; the last try takes it as it was seen. */
const TRIES_MAX = 3;
const EXPANDED_MAX = 100;
const NAME_CHARS_MAX = 200;
/** Who may read passes need not see where they were scanned. */
const READ_SCOPE = "PassScan.Read";

/** What was found for a code. */
type Found = {
  readonly pass: Pass | undefined;
  readonly shown: ScannedPass | null;
  readonly privileges: readonly PrivilegeView[];
  /** The types that the device accepts; undefined for all. */
  readonly passTypes?: readonly string[] | undefined;
  /** Why a redemption would be refused; only for scans after which nothing is redeemed. */
  readonly foreseen?: Reason | null;
};

/** Records a scan and decides about it; redeems in the same transaction if that is asked for. */
export async function recordScan(context: TenantContext, sent: ScanCreate): Promise<ScanAnswer> {
  const wish = await readWish(context, sent);
  return sent.dryRun === true ? await tryScan(context, wish) : await fulfil(context, wish);
}

export async function fulfil(context: TenantContext, wish: ScanWish): Promise<ScanAnswer> {
  const repeated = await findRepeated(context, wish);
  if (repeated !== undefined) return repeated;
  for (let count = 1; ; count += 1) {
    const found = await look(context, wish);
    const made = await context.transaction(async (tx) => {
      const told = await record(tx, wish, found, count >= TRIES_MAX);
      if (told?.duplicateOf === undefined && told?.scanId)
        noteLater(context, tx, wish, told.scanId);
      return told;
    });
    if (made !== undefined) return made;
  }
}

/**
 * The first answer to a code that this process has just recorded; read anew, in case it was erased.
 * An answer that is kept must name its pass, which only the transaction can do.
 */
async function findRepeated(
  context: TenantContext,
  wish: ScanWish,
): Promise<ScanAnswer | undefined> {
  const { runtime, tenantId, clock } = context;
  if (context.keepsAnswer) return undefined;
  const since = sinceOf(clock.now());
  const scanId = findRecent(runtime, tenantId, wish, since);
  const scan = scanId === undefined ? undefined : await scans.findScan(context, scanId);
  // Its pass may have been erased meanwhile.
  if (scan === undefined || scan.data !== wish.data || scan.recordedAt <= since) return undefined;
  return { ...presentScan(scan), duplicateOf: scan.id };
}

function sinceOf(now: Date): Date {
  return new Date(now.getTime() - TWICE_MS);
}

function noteLater(
  { runtime, tenantId }: TenantContext,
  tx: TenantTx,
  wish: ScanWish,
  scanId: string,
): void {
  const made = { scanId, recordedAt: tx.now, since: sinceOf(tx.now) };
  tx.afterCommit(() => noteRecent(runtime, tenantId, wish, made));
}

async function look(context: TenantContext, wish: ScanWish): Promise<Found> {
  const { data, at, deviceId } = wish;
  const pass = await findPassByCode(context, data, at);
  if (pass === undefined) return { pass, shown: null, privileges: [] };
  const [privileges, displayName, device] = await Promise.all([
    listPrivilegesOf(context, pass.id),
    nameOf(context, pass),
    deviceId === null ? undefined : findDevice(context, deviceId),
  ]);
  const passTypes = device?.settings.passTypes;
  const { id, passType, identifiers } = pass;
  const shown = { id, passType, status: statusAt(pass, at), identifiers, displayName };
  const found = { pass, shown, privileges, passTypes };
  return isTurnedAway(wish) ? { ...found, foreseen: await foresee(context, wish, pass) } : found;
}

/** Whoever was turned away at the gate does not pay for it when the scan arrives. */
function isTurnedAway({ offline }: ScanWish): boolean {
  return offline?.decision === "rejected";
}

async function foresee(context: TenantContext, wish: ScanWish, pass: Pass): Promise<Reason | null> {
  if (wish.redeem === undefined) return null;
  const movement = redemptionOf(wish, wish.redeem);
  const refused = await foreseeRefusal(context, pass.id, wish.redeem.privilegeId, movement);
  return refused === undefined ? null : reasonOf(refused);
}

/** Made from the texts of the template that take no time; a rendering would take a thread's. */
async function nameOf(context: TenantContext, pass: Pass): Promise<string | null> {
  const type = (await passTypesOf(context)).find(pass.passType);
  const name = type?.published.nameOf({ ...inputOf(pass, type.tenant), privileges: {} });
  const [identifier = null] = Object.values(pass.identifiers);
  return name?.slice(0, NAME_CHARS_MAX).toWellFormed() ?? identifier;
}

/**
 * Undefined if the pass has changed since it was seen. Without a redemption everything is sent in
 * one message with the commit: that the scan is new and the pass unchanged is a guess, which the
 * database checks.
 */
async function record(
  tx: TenantTx,
  wish: ScanWish,
  found: Found,
  isLast: boolean,
): Promise<ScanAnswer | undefined> {
  const like = likenessOf(tx.now, wish, found);
  if (found.pass !== undefined) holdPasses(tx, [found.pass.id]);
  scans.lockLike(tx, like);
  if (tx.mayGuess) {
    scans.requireNew(tx, like, found.pass);
  } else {
    const { earlier, isUnchanged, isErased } = await scans.findStanding(tx, like, found.pass);
    if (earlier !== null) return await repeat(tx, wish, earlier, found);
    if (isErased || (!isUnchanged && !isLast)) return undefined;
  }
  const outcome = await decide(tx, wish, found);
  const scan = scanOf(tx.now, wish, found, like, outcome);
  const view = presentScan(scan);
  const { passId, type, decision, reason } = scan;
  const about = passId === null ? {} : { subject: passId };
  scans.insertScan(tx, scan);
  tx.emit(scanRecorded, view, about);
  tx.audit({ target: `scan:${scan.id}`, ...about, after: { type, passId, decision, reason } });
  return view;
}

/** The answer to a scan that was recorded before. It may show a person, so it must be the same. */
async function repeat(
  tx: TenantTx,
  wish: ScanWish,
  scanId: string,
  { pass }: Found,
): Promise<ScanAnswer> {
  let scan = await scans.getScan(tx, scanId);
  if (scan.data !== wish.data) throw validationProblem({ reference: ["belongs to another scan"] });
  const { passId } = scan;
  if (passId !== null) {
    tx.concerns(passId);
    if (passId !== pass?.id) {
      // The code belongs to another pass by now, so this one is not held yet.
      holdPasses(tx, [passId]);
      scan = await scans.getScan(tx, scanId);
    }
  }
  return { ...presentScan(scan), duplicateOf: scan.id };
}

type Outcome = {
  readonly reason: Reason | null;
  readonly privileges: readonly PrivilegeView[];
  readonly movement: MovementView | null;
};

async function decide(tx: TenantTx, wish: ScanWish, found: Found): Promise<Outcome> {
  const { pass, privileges, passTypes } = found;
  const { redeem } = wish;
  const reason = reasonAgainst(pass, wish.at, passTypes);
  if (reason !== null || pass === undefined || redeem === undefined) {
    return { reason, privileges, movement: null };
  }
  if (found.foreseen !== undefined) return { reason: found.foreseen, privileges, movement: null };
  const moved = await moveValue(tx, pass.id, redeem.privilegeId, redemptionOf(wish, redeem));
  if (moved.refused !== undefined) {
    return { reason: reasonOf(moved.refused), privileges, movement: null };
  }
  const after = presentPrivilege(moved.privilege, tx.now);
  return {
    reason: null,
    privileges: privileges.map((known) =>
      known.privilegeId === after.privilegeId ? after : known,
    ),
    movement: presentMovement(moved.movement),
  };
}

function redemptionOf(
  { at, reference, offline }: ScanWish,
  { amount }: NonNullable<ScanWish["redeem"]>,
): MovementWish {
  const value = decimalFromUnits(-unitsOf(amount));
  const validAt = offline === undefined ? undefined : at;
  return { type: "redemption", value, occurredAt: at, validAt, reference: reference ?? undefined };
}

/** What `fulfil` would decide now. */
async function tryScan(context: TenantContext, wish: ScanWish): Promise<ScanAnswer> {
  const found = await look(context, wish);
  const { pass, privileges, passTypes } = found;
  const now = context.clock.now();
  const like = likenessOf(now, wish, found);
  if (pass !== undefined && context.keepsAnswer && !(await concern(context, like, pass))) {
    return await tryScan(context, wish);
  }
  let reason = reasonAgainst(pass, wish.at, passTypes);
  if (reason === null && pass !== undefined) reason = await foresee(context, wish, pass);
  const scan = scanOf(now, wish, found, like, { reason, privileges, movement: null });
  return { ...presentScan(scan), scanId: null, recordedAt: null, dryRun: true };
}

/** False if the pass was erased meanwhile: then the answer must not be kept. */
function concern(context: TenantContext, like: scans.Likeness, pass: Pass): Promise<boolean> {
  return context.transaction(async (tx) => {
    holdPasses(tx, [pass.id]);
    tx.concerns(pass.id);
    return !(await scans.findStanding(tx, like, pass)).isErased;
  });
}

function likenessOf(now: Date, wish: ScanWish, { pass }: Found): scans.Likeness {
  const { data, scanner, deviceId, location, reference, redeem, offline } = wish;
  return {
    about: pass?.id ?? `?${hash("sha256", data, "base64url").slice(0, 22)}`,
    scanner,
    deviceId,
    location,
    data,
    reference,
    wish: redeem === undefined ? null : `${redeem.privilegeId} ${redeem.amount}`,
    isOffline: offline !== undefined,
    since: sinceOf(now),
  };
}

function scanOf(
  now: Date,
  wish: ScanWish,
  { pass, shown }: Found,
  { about, wish: redeem }: scans.Likeness,
  { reason, privileges, movement }: Outcome,
): Scan {
  const { data, type, scanner, deviceId, location, reference, scannedAt, offline } = wish;
  const decision = reason === null ? "accepted" : "rejected";
  const offlineDecision = offline?.decision ?? null;
  return {
    id: newId(scans.SCAN_ID_PREFIX, now.getTime()),
    data,
    type,
    scanner,
    deviceId,
    passId: pass?.id ?? null,
    about,
    decision,
    reason,
    offlineDecision,
    isOffline: offline !== undefined,
    conflict: offlineDecision !== null && offlineDecision !== decision,
    location,
    reference,
    wish: redeem,
    outcome: { pass: shown, privileges, movement },
    scannedAt,
    recordedAt: now,
  };
}

export async function getScan(context: TenantContext, scanId: string): Promise<Scan> {
  const scan = await scans.findScan(context, scanId);
  if (scan === undefined) throw scanNotFound({ scanId });
  return scan;
}

/** `expand=scans` of a pass. What was scanned is erased by `eraseScansOfErased`. */
export const scansOfPasses: PassCompanion = {
  name: "scans",
  async attach() {},
  async detach() {},
  async read(context, passId) {
    const { actor, tenantId } = context;
    if (!isAllowed(actor, READ_SCOPE, tenantId)) {
      throw rightMissing(actor, READ_SCOPE, tenantId, "`expand=scans`");
    }
    return (await scans.listScansOfPass(context, passId, EXPANDED_MAX)).map(presentScan);
  },
};
