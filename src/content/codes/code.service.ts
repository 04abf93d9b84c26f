import { hash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { TenantContext } from "#kernel/context.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import { RecentMap } from "#kernel/recent-map.ts";
import {
  holdPasses,
  type Pass,
  type PassFollower,
  type PassTypes,
  passTypesOf,
} from "#src/passes/public.ts";
import { refreshCodes } from "./code.queue.ts";
import * as codes from "./code.repository.ts";
import { codesBy, worthNoting } from "./code.rules.ts";

const NOTED_MAX = 50_000;
/**
 * The passes whose codes this process noted lately, each with a hash of its codes. The codes
 * themselves may be personal data, which must not stay in memory after the pass was erased.
 */
export const notedCodesOf = perRuntime(() => new RecentMap<string>(NOTED_MAX));

/** Yields to the event loop every so many passes of a bulk change. */
const STRETCH = 50;

/**
 * Remembers the codes of a pass before its content is handed out. Whoever asks again for the same
 * content causes no further write.
 */
export async function noteCodes(
  context: TenantContext,
  pass: Pass,
  found: readonly string[],
): Promise<void> {
  const wanted = worthNoting(pass.id, found);
  if (wanted.length === 0) return;
  const noted = notedCodesOf(context.runtime);
  const key = `${context.tenantId} ${pass.id}`;
  const value = hash("sha256", JSON.stringify(wanted), "base64url");
  if (noted.get(key) === value) return;
  const { id: passId, updatedAt: issuedAt } = pass;
  await context.transaction(async (tx) => {
    holdPasses(tx, [passId]);
    codes.insertCodesOfKnown(
      tx,
      wanted.map((code) => ({ passId, code, issuedAt })),
    );
    tx.afterCommit(() => noted.set(key, value));
  });
}

/**
 * Notes the codes of new and changed passes in the transaction that writes them, so that a scan
 * finds a pass from the moment it exists. Codes that take longer to make are noted in the
 * background.
 */
export const codesOfPasses: PassFollower = {
  async follow(tx, steps, types) {
    const made: codes.NewCode[] = [];
    const due: string[] = [];
    let count = 0;
    for (const { before, after } of steps) {
      if (++count % STRETCH === 0) await nextTurn();
      const type = types.find(after.passType);
      const now = type && codesBy(type, after);
      if (type === undefined) continue;
      if (now === undefined) {
        due.push(after.id);
        continue;
      }
      const earlier = before && codesBy(type, before);
      for (const code of worthNoting(after.id, now)) {
        if (earlier?.includes(code) === true) continue;
        made.push({ passId: after.id, code, issuedAt: after.updatedAt });
      }
    }
    codes.insertCodes(tx, made);
    if (due.length === 0) return;
    codes.insertDue(tx, due);
    tx.enqueue(refreshCodes, {}, { singletonKey: "codes" });
  },
};

/** Finds the pass that a scanned code belongs to. Compares exactly: a blank more is another code. */
export async function findPassByCode(
  context: TenantContext,
  code: string,
  at: Date,
): Promise<Pass | undefined> {
  const types = await passTypesOf(context);
  return await codes.findPassByCode(context, code, uniqueNames(types), at);
}

const namesOf = new WeakMap<PassTypes, readonly string[]>();

/** The names of identifiers that are unique in some pass type of the tenant. */
function uniqueNames(types: PassTypes): readonly string[] {
  let names = namesOf.get(types);
  if (names === undefined) {
    const all = types.names.flatMap((name) => types.find(name)?.rules.unique ?? []);
    names = [...new Set(all)];
    namesOf.set(types, names);
  }
  return names;
}
