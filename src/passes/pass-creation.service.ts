import { setImmediate as nextTurn } from "node:timers/promises";
import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { FieldErrors } from "#kernel/http/validation.ts";
import { newId, randomBase62 } from "#kernel/ids.ts";
import { aboutPass, summaryOf } from "./pass.audit.ts";
import { passCompanions } from "./pass.companions.ts";
import { passCreated } from "./pass.events.ts";
import { expiryProblems, passProblems } from "./pass.rules.ts";
import {
  contentsOf,
  type Pass,
  type PassCreate,
  type PassMaking,
  presentPass,
} from "./pass.schema.ts";
import type { PassType, PassTypes } from "./pass.types.ts";

const SECRET_LENGTH = 24;
/** Yields to the event loop every 20 passes, so that other requests are served. */
const STRETCH = 20;

/** Everything that prevents a new pass with these contents, by field. */
export function creationProblems(
  { rules }: PassType,
  { identifiers = {}, additionalData = {} }: PassCreate,
): FieldErrors | undefined {
  return passProblems(rules, identifiers, additionalData);
}

export type PassMade =
  | { readonly ok: true; readonly pass: Pass }
  | { readonly ok: false; readonly errors: FieldErrors };

/** A new pass with contents that have no `creationProblems`. Nothing is written yet. */
export function makePass(now: Date, type: PassType, sent: PassMaking): PassMade {
  const pass: Pass = {
    ...contentsOf(sent),
    id: newId("ps", now.getTime()),
    passType: type.rules.passType,
    status: "active",
    secret: randomBase62(SECRET_LENGTH),
    providers: {},
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
  const expiry = pass.hasOwnExpiry
    ? { ok: true as const, at: pass.expiresAt }
    : type.expiryOf(pass);
  if (!expiry.ok) return { ok: false, errors: expiryProblems(expiry.members) };
  const isOver = expiry.at !== null && expiry.at <= now;
  return {
    ok: true,
    pass: { ...pass, expiresAt: expiry.at, status: isOver ? "expired" : "active" },
  };
}

/**
 * Gives new passes what belongs to them and tells of them, in the transaction that inserts them. It
 * waits for no answer of the database.
 */
export async function welcomePasses(
  context: TenantContext,
  tx: TenantTx,
  types: PassTypes,
  made: readonly Pass[],
): Promise<void> {
  const newPasses = made.flatMap((pass) => {
    const type = types.find(pass.passType);
    return type === undefined ? [] : { pass, template: type.template };
  });
  // First, so that nobody hears of the privileges of a pass before the pass itself.
  for (const [at, pass] of made.entries()) {
    if ((at + 1) % STRETCH === 0) await nextTurn();
    tx.emit(passCreated, presentPass(pass), { subject: pass.id });
    tx.audit({ ...aboutPass(pass.id), after: summaryOf(pass) });
  }
  for (const companion of context.runtime.ports.all(passCompanions)) {
    await companion.attach(tx, newPasses);
  }
  await types.tell(
    tx,
    made.map((after) => ({ before: undefined, after })),
  );
}
