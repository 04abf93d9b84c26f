import { hash, timingSafeEqual } from "node:crypto";
import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { validationProblem } from "#kernel/errors.ts";
import { identifiersBusy } from "#src/customers/public.ts";
import { listTimeline } from "#src/events/public.ts";
import { aboutPass, summaryOf } from "./pass.audit.ts";
import { passCompanions } from "./pass.companions.ts";
import {
  passIdentifierAmbiguous,
  passIdentifierTaken,
  passNotFound,
  passNotFoundBy,
} from "./pass.errors.ts";
import * as passes from "./pass.repository.ts";
import { uniqueOf } from "./pass.rules.ts";
import { type Pass, type PassCreate, versionOf } from "./pass.schema.ts";
import { type PassType, type PassTypes, passTypesOf, unknownType } from "./pass.types.ts";
import { creationProblems, makePass, welcomePasses } from "./pass-creation.service.ts";
import { erasePasses, findPassesToErase } from "./pass-erasure.service.ts";
import { findHolder, type Holder } from "./pass-identifier.repository.ts";
import { requirePublishedRules } from "./pass-unique.service.ts";
import { findPassNow } from "./updates/update.repository.ts";
import { applyUpdates } from "./updates/update.writer.ts";

const TIMELINE = "timeline";
/** More than one try, because the pass with the same identifier may have been erased meanwhile. */
const TRIES_MAX = 3;

export type OnConflict = "fail" | "return" | "update";

export type MadePass = { readonly pass: Pass; readonly isNew: boolean };

/** Creates a pass, or finds the pass that already has its identifiers. */
export async function createPass(
  context: TenantContext,
  passType: string,
  sent: PassCreate,
  onConflict: OnConflict,
): Promise<MadePass> {
  const types = await passTypesOf(context);
  const type = types.find(passType);
  if (type === undefined) throw validationProblem({ passType: [unknownType(types)] });
  const problems = creationProblems(type, sent);
  if (problems !== undefined) throw validationProblem(problems);

  return await context.transaction(async (tx) => {
    for (let count = 1; ; count += 1) {
      const made = makePass(tx.now, type, sent);
      if (!made.ok) throw validationProblem(made.errors);
      if (await insertIfFree(tx, made.pass, type, onConflict)) {
        await welcomePasses(context, tx, types, [made.pass]);
        return { pass: made.pass, isNew: true };
      }
      const claimed = uniqueOf(type.rules, made.pass.identifiers);
      const holder = await findHolder(tx, passType, claimed);
      if (holder !== undefined && onConflict === "fail") throw passIdentifierTaken(holder);
      const change = onConflict === "update" ? sent : undefined;
      const pass = holder && (await meetHolder(tx, types, holder, change));
      if (pass !== undefined) {
        tx.audit({ ...aboutPass(pass.id), after: summaryOf(pass) });
        return { pass, isNew: false };
      }
      if (count === TRIES_MAX) throw identifiersBusy();
    }
  });
}

/**
 * Returns false if another pass has an identifier of this one. If the caller treats that as an
 * error, the code guesses that there is none: everything needed to create the pass is then sent to
 * the database in one message.
 */
async function insertIfFree(
  tx: TenantTx,
  pass: Pass,
  { rules: { unique } }: PassType,
  onConflict: OnConflict,
): Promise<boolean> {
  await requirePublishedRules(tx, [pass], () => unique);
  if (onConflict !== "fail" || !tx.mayGuess) return await passes.insertPass(tx, pass, unique);
  passes.insertPassUnseen(tx, pass, unique);
  return true;
}

/**
 * Undefined if the pass was erased meanwhile. Without a change, the pass is only read and not
 * locked.
 */
async function meetHolder(
  tx: TenantTx,
  types: PassTypes,
  { passId }: Holder,
  change: PassCreate | undefined,
): Promise<Pass | undefined> {
  if (change === undefined) return await findPassNow(tx, passId);
  // Applied after the changes that are queued for the pass, because those were accepted earlier.
  const [result] = await applyUpdates(tx, types, [passId], new Map([[passId, [change]]]));
  if (result?.pass !== undefined && result.ownProblems[0] !== undefined) {
    throw result.ownProblems[0];
  }
  return result?.pass;
}

export async function getPass(context: TenantContext, passId: string): Promise<Pass> {
  const pass = await passes.findPass(context, passId);
  if (pass === undefined) throw passNotFound({ passId });
  return pass;
}

/** More passes than these are not looked through for the one that an identifier means. */
const HOLDERS_MAX = 50;

/**
 * The id of the only pass that has this identifier, or of the only one for which it is unique: the
 * number of a loyalty card may also stand on the coupons of its holder.
 */
export async function findPassByIdentifier(
  context: TenantContext,
  name: string,
  value: string,
): Promise<string> {
  const holders = await passes.listHolders(context, name, value, HOLDERS_MAX);
  if (holders.length === 0) throw passNotFoundBy({ name });
  const owners = holders.length < HOLDERS_MAX ? holders.filter(({ isUnique }) => isUnique) : [];
  const [meant, another] = holders.length === 1 ? holders : owners;
  if (meant === undefined || another !== undefined) throw passIdentifierAmbiguous({ name });
  return meant.passId;
}

/**
 * Finds the pass of a public address. It takes as long for a wrong secret as for the right one, and
 * callers cannot tell an unknown pass from a wrong secret.
 */
export async function findPassBySecret(
  context: TenantContext,
  passId: string,
  secret: string,
): Promise<Pass | undefined> {
  const pass = await passes.findPass(context, passId);
  const digest = (text: string) => hash("sha256", text, "buffer");
  const isRight = timingSafeEqual(digest(secret), digest(pass?.secret ?? ""));
  return isRight ? pass : undefined;
}

/** Reads the companions of a pass with the requested names. */
export async function expandPass(
  context: TenantContext,
  passId: string,
  names: readonly string[],
): Promise<Record<string, unknown>> {
  const companions = context.runtime.ports.all(passCompanions);
  const known = new Map(companions.map((companion) => [companion.name, companion]));
  const unknown = names.find((name) => name !== TIMELINE && !known.has(name));
  if (unknown !== undefined) {
    const choices = [...known.keys(), TIMELINE].join(", ");
    throw validationProblem({ expand: [`must be made of ${choices}, separated by commas`] });
  }
  const entries = await Promise.all(
    names.map(async (name) => {
      const companion = known.get(name);
      const value =
        companion === undefined
          ? await listTimeline(context, passId)
          : await companion.read(context, passId);
      return [name, value] as const;
    }),
  );
  return Object.fromEntries(entries);
}

/** Erases the pass and the content of all its events; the fact and time of the events stay. */
export function deletePass(context: TenantContext, passId: string): Promise<void> {
  return context.transaction(async (tx) => {
    const [pass] = await findPassesToErase(tx, [passId]);
    if (pass === undefined) throw passNotFound({ passId });
    context.requireMatch(versionOf(pass));
    await erasePasses(context, tx, [pass]);
  });
}
