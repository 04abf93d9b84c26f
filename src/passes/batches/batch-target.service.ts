import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ProblemError, validationProblem } from "#kernel/errors.ts";
import { passIdentifierAmbiguous, passNotFoundBy } from "../pass.errors.ts";
import * as batches from "./batch.repository.ts";
import { hasUnique, type UniqueNames } from "./batch.waves.ts";
import { type PassWish, present } from "./batch.wish.ts";

/**
 * Which pass a wish means: one that is there, one that it creates, or none. `foundBy` names the
 * identifiers by which a pass was found; it is empty if the wish has the id of the pass.
 */
export type Target =
  | { readonly kind: "there"; readonly passId: string; readonly foundBy: readonly string[] }
  | { readonly kind: "new" }
  | { readonly kind: "none"; readonly problem: ProblemError };

/** With so many passes that have an identifier, it alone does not tell which one is meant. */
const HOLDERS_MAX = 50;

/** Finds what the wishes of one wave mean, in the same order. Nothing is locked yet. */
export async function findTargets(
  tx: TenantTx,
  wishes: readonly PassWish[],
  uniqueNames: UniqueNames,
): Promise<Target[]> {
  const byUnique = await findByUnique(tx, wishes, uniqueNames);
  const others = wishes.filter((wish, at) => {
    if (wish.passId !== undefined || byUnique.has(at)) return false;
    return wish.action !== "upsert" || !hasUnique(wish, uniqueNames);
  });
  const byAll = await findByAll(tx, others);
  return wishes.map((wish, at) => {
    if (wish.passId !== undefined) return { kind: "there", passId: wish.passId, foundBy: [] };
    const found = byUnique.get(at);
    if (found === undefined) return byAll.get(wish) ?? { kind: "new" };
    return { kind: "there", passId: found.passId, foundBy: [found.name] };
  });
}

/**
 * The pass for which an identifier of the wish is unique; of several, that of the first name. Such a
 * wish is refused once the pass is locked: a change when it claims the identifiers of the other pass,
 * anything else because the pass does not have all identifiers of the wish.
 */
async function findByUnique(
  tx: TenantTx,
  wishes: readonly PassWish[],
  uniqueNames: UniqueNames,
): Promise<ReadonlyMap<number, { readonly name: string; readonly passId: string }>> {
  const sought: { wish: number; name: string; value: string; passType: string }[] = [];
  for (const [wish, { passId, passType, identifiers }] of wishes.entries()) {
    if (passId !== undefined || passType === undefined) continue;
    const unique = uniqueNames(passType);
    for (const [name, value] of Object.entries(present(identifiers))) {
      if (unique.includes(name)) sought.push({ wish, name, value, passType });
    }
  }
  const found = new Map<number, { name: string; passId: string }>();
  for (const { at, passId } of await batches.listUniqueHolders(tx, sought)) {
    const one = sought[at - 1];
    if (one === undefined) continue;
    const known = found.get(one.wish);
    if (known === undefined || one.name < known.name) {
      found.set(one.wish, { name: one.name, passId });
    }
  }
  return found;
}

/**
 * The only pass that has all identifiers of a wish, or the only one for which one of them is unique:
 * the number of a loyalty card may also stand on the coupons of its holder.
 */
async function findByAll(
  tx: TenantTx,
  wishes: readonly PassWish[],
): Promise<ReadonlyMap<PassWish, Target>> {
  const holders = await findHolders(tx, wishes);
  const candidates = new Map(wishes.map((wish) => [wish, candidatesOf(holders(wish))]));
  const ids = [...new Set([...candidates.values()].flatMap((found) => found ?? []))];
  const passes = ids.length === 0 ? [] : await batches.listIdentifiers(tx, ids);
  const byId = new Map(passes.map((pass) => [pass.id, pass]));
  const targets = new Map<PassWish, Target>();
  for (const wish of wishes) {
    const wanted = Object.entries(present(wish.identifiers));
    const fitting = candidates.get(wish)?.filter((id) => {
      const known = byId.get(id)?.identifiers ?? {};
      return wanted.every(([name, value]) => known[name] === value);
    });
    targets.set(wish, targetOf(wish, fitting, holders(wish).flat()));
  }
  return targets;
}

/** The passes that have each identifier of a wish. An identifier of many wishes is sought once. */
async function findHolders(tx: TenantTx, wishes: readonly PassWish[]) {
  const sought = new Map<string, batches.Sought>();
  const keysOf = ({ identifiers, passType }: PassWish) =>
    Object.entries(present(identifiers)).map(([name, value]) => {
      const key = JSON.stringify([passType, name, value]);
      sought.set(key, { name, value, passType });
      return key;
    });
  const keys = new Map(wishes.map((wish) => [wish, keysOf(wish)]));
  const found = await batches.listHoldersOf(tx, [...sought.values()], HOLDERS_MAX);
  const order = [...sought.keys()];
  const byKey = Map.groupBy(found, ({ at }) => order[at - 1]);
  return (wish: PassWish) => (keys.get(wish) ?? []).map((key) => byKey.get(key) ?? []);
}

/** The passes that have the identifier with the fewest holders; undefined if those are too many. */
function candidatesOf(
  holders: readonly (readonly batches.FoundPass[])[],
): readonly string[] | undefined {
  const [fewest = []] = [...holders].sort((left, right) => left.length - right.length);
  return fewest.length < HOLDERS_MAX ? fewest.map(({ passId }) => passId) : undefined;
}

function targetOf(
  { action, identifiers }: PassWish,
  fitting: readonly string[] | undefined,
  holders: readonly batches.FoundPass[],
): Target {
  const foundBy = Object.keys(present(identifiers));
  const name = foundBy.join(", ");
  if (action === "upsert" && fitting?.length === 0) return { kind: "new" };
  if (name === "") return { kind: "none", problem: validationProblem({ identifiers: [NEEDED] }) };
  if (fitting === undefined) return { kind: "none", problem: passIdentifierAmbiguous({ name }) };
  const owners = new Set(holders.flatMap(({ isUnique, passId }) => (isUnique ? passId : [])));
  const [meant, another] = fitting.length === 1 ? fitting : fitting.filter((id) => owners.has(id));
  if (meant !== undefined && another === undefined)
    return { kind: "there", passId: meant, foundBy };
  const problem =
    fitting.length === 0 ? passNotFoundBy({ name }) : passIdentifierAmbiguous({ name });
  return { kind: "none", problem };
}

const NEEDED = "are needed, or the passId, to know which pass is meant";
