import type { TenantContext } from "#kernel/context.ts";
import { markChanged } from "../objects/object.repository.ts";
import { OBJECT_HINT } from "../objects/object.signal.ts";
import { differingFacts, factName, type PassFacts } from "./class.facts.ts";
import {
  findFactHolder,
  type HeldFact,
  listFactHolders,
  updateFactSource,
} from "./class.repository.ts";
import type { GoogleClass } from "./class.schema.ts";

/**
 * The names of those facts of a class that no pass at Google has any more, among those that differ from the facts of
 * this pass. Mostly the pass that brought a fact is still there. Where it is not, another one that has the fact takes
 * its place, so that it is looked for once.
 */
export async function orphansOf(
  context: TenantContext,
  known: GoogleClass | undefined,
  pass: PassFacts | null,
): Promise<ReadonlySet<string>> {
  if (known === undefined || known.facts === null || pass === null) return new Set();
  const { classId, googleType, sources } = known;
  const facts: HeldFact[] = differingFacts(googleType, { facts: known.facts }, pass).flatMap(
    ({ path, hash }) => {
      const source = sources[path];
      return source === undefined ? [] : [{ path, hash, passId: source.passId }];
    },
  );
  if (facts.length === 0) return new Set();
  const held = await listFactHolders(context, classId, facts);
  const orphans = new Set<string>();
  for (const fact of facts.filter(({ path }) => !held.has(path))) {
    if (await isOrphan(context, classId, fact, pass)) orphans.add(factName(fact.path, fact.hash));
  }
  return orphans;
}

async function isOrphan(
  context: TenantContext,
  classId: string,
  fact: HeldFact,
  { facts }: PassFacts,
): Promise<boolean> {
  const { path, hash } = fact;
  const holder =
    hash === undefined ? undefined : await findFactHolder(context, classId, path, hash);
  if (holder !== undefined) {
    await context.transaction((tx) => updateFactSource(tx, classId, fact, holder));
    return false;
  }
  if (facts[path] !== undefined) return true;
  // This pass can only take the fact away. One that has another value is to bring that.
  const other = await findFactHolder(context, classId, path);
  if (other === undefined) return true;
  await context.transaction(async (tx) => {
    markChanged(tx, [other]);
    tx.hint(OBJECT_HINT, tx.tenantId);
  });
  return false;
}
