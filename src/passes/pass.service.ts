import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { validationProblem } from "#kernel/errors.ts";
import { newId, randomBase62 } from "#kernel/ids.ts";
import { companionsOf } from "./pass.companions.ts";
import { passIdentifierTaken, passNotFound } from "./pass.errors.ts";
import { passCreated } from "./pass.events.ts";
import * as passes from "./pass.repository.ts";
import { expiryProblems, passProblems } from "./pass.rules.ts";
import { type Pass, type PassCreate, presentPass, versionOf } from "./pass.schema.ts";
import { type PassType, type PassTypes, passTypesOf } from "./pass.types.ts";
import { erasePass } from "./pass-erasure.service.ts";
import { findPassNow } from "./update.repository.ts";
import { applyUpdates } from "./update.writer.ts";

const TIMELINE = "timeline";
const SECRET_LENGTH = 24;
/** Whoever held the identifier was erased just then: the next try finds it free. */
const TRIES_MAX = 3;

export type OnConflict = "fail" | "return" | "update";

export type MadePass = { readonly pass: Pass; readonly isNew: boolean };

/** Makes a pass of one type, or finds the one that has its identifiers already. */
export async function createPass(
  context: TenantContext,
  passType: string,
  sent: PassCreate,
  onConflict: OnConflict,
): Promise<MadePass> {
  const types = await passTypesOf(context);
  const type = types.find(passType);
  if (type === undefined) throw validationProblem({ passType: [unknownType(types.names)] });
  const { identifiers = {}, additionalData = {} } = sent;
  const problems = passProblems(type.rules, identifiers, additionalData);
  if (problems !== undefined) throw validationProblem(problems);

  return await context.transaction(async (tx) => {
    for (let count = 1; ; count += 1) {
      const made = await passes.insertPass(tx, newPass(tx, type, sent), type.rules.unique);
      if (made !== undefined) {
        for (const companion of companionsOf(context)) {
          await companion.attach(tx, made, type.template);
        }
        tx.emit(passCreated, presentPass(made), { subject: made.id });
        tx.audit({ target: targetOf(made.id), after: summary(made) });
        return { pass: made, isNew: true };
      }
      const holder = await passes.findHolder(tx, passType, identifiers);
      if (holder === undefined && count < TRIES_MAX) continue;
      if (holder === undefined || onConflict === "fail") {
        throw passIdentifierTaken(holder ?? { name: type.rules.unique[0] ?? "", passId: "" });
      }
      const pass = await meetHolder(tx, types, holder, onConflict === "update" ? sent : undefined);
      if (pass === undefined && count < TRIES_MAX) continue;
      if (pass === undefined) throw passNotFound(holder);
      tx.audit({ target: targetOf(holder.passId), after: summary(pass) });
      return { pass, isNew: false };
    }
  });
}

/** Undefined when it was erased just then. Whoever only looks locks and changes nothing. */
async function meetHolder(
  tx: TenantTx,
  types: PassTypes,
  { passId }: passes.Holder,
  change: PassCreate | undefined,
): Promise<Pass | undefined> {
  if (change === undefined) return await findPassNow(tx, passId);
  // Behind what is queued for it: that was accepted before.
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

/** What else belongs to it, by the names that were asked for. */
export async function expandPass(
  context: TenantContext,
  passId: string,
  names: readonly string[],
): Promise<Record<string, unknown>> {
  const known = new Map(companionsOf(context).map((companion) => [companion.name, companion]));
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
          ? await passes.listTimeline(context, passId)
          : await companion.read(context, passId);
      return [name, value] as const;
    }),
  );
  return Object.fromEntries(entries);
}

/** The person is gone from here and from all that was told of them; that it was told stays. */
export function deletePass(context: TenantContext, passId: string): Promise<void> {
  return context.transaction(async (tx) => {
    const [pass] = await passes.findPassesForUpdate(tx, [passId]);
    if (pass === undefined) throw passNotFound({ passId });
    context.requireMatch(versionOf(pass));
    await erasePass(context, tx, pass);
  });
}

function newPass(tx: TenantTx, type: PassType, sent: PassCreate): passes.NewPass {
  const { identifiers = {}, additionalData: data = {}, expirationDate } = sent;
  const pass: Pass = {
    id: newId("ps", tx.now.getTime()),
    passType: type.rules.passType,
    status: "active",
    identifiers,
    data,
    metadata: {},
    secret: randomBase62(SECRET_LENGTH),
    providers: {},
    createdAt: tx.now,
    updatedAt: tx.now,
    expiresAt: null,
    hasOwnExpiry: expirationDate !== undefined,
    version: 1,
  };
  const own = expirationDate == null ? null : new Date(expirationDate);
  const expiresAt = pass.hasOwnExpiry ? own : expiryByTemplate(type, pass);
  const isOver = expiresAt !== null && expiresAt <= tx.now;
  return { ...pass, expiresAt, status: isOver ? "expired" : "active" };
}

function expiryByTemplate(type: PassType, pass: Pass): Date | null {
  const expiry = type.expiryOf(pass);
  if (!expiry.ok) throw validationProblem(expiryProblems(expiry.members));
  return expiry.at;
}

function unknownType(names: readonly string[]): string {
  if (names.length === 0) return "is not a type of this tenant, which has none yet";
  const some = names.slice(0, 10).join(", ");
  return `must be a type of this tenant: ${some}${names.length > 10 ? "…" : ""}`;
}

export function targetOf(passId: string): string {
  return `pass:${passId}`;
}

/** The trail outlives the person: it tells which members there were, not what they held. */
function summary({ passType, status, identifiers, data, version }: Pass) {
  return {
    passType,
    status,
    version,
    identifiers: Object.keys(identifiers),
    additionalData: Object.keys(data),
  };
}
