import type { TenantTx } from "#kernel/db/transaction.ts";
import { erasedPasses } from "#src/passes/public.ts";
import { type Holder, listHoldersByRow, listThere } from "./meant-pass.repository.ts";
import type { NewOutcome, Outcome } from "./outcome.schema.ts";

/**
 * Adds the passes of rows that failed before their pass was looked for: when a pass is erased, what
 * its rows say of it is found by its id, whatever identifiers it has by then. What is the id of no
 * pass is not shown as one.
 */
export async function withMeantPasses(
  tx: TenantTx,
  outcomes: readonly NewOutcome[],
): Promise<readonly Outcome[]> {
  if (outcomes.every(({ means }) => means === undefined)) return outcomes;
  const there = await findThere(tx, outcomes);
  const holders = await findHolders(tx, outcomes);
  return outcomes.map((outcome) => {
    const { means, row, identifiers } = outcome;
    if (means === undefined) return outcome;
    const id = means.passId;
    const passId =
      id === undefined ? meantOf(holders.get(row) ?? [], identifiers) : there.has(id) ? id : null;
    return { ...outcome, passId };
  });
}

async function findThere(
  tx: TenantTx,
  outcomes: readonly NewOutcome[],
): Promise<ReadonlySet<string>> {
  const ids = outcomes.flatMap(({ means }) => means?.passId ?? []).filter(isStorable);
  // Another row of the batch may have erased the pass. Its listeners run after this.
  const erased = erasedPasses(tx).map(({ id }) => id);
  return new Set([...(await listThere(tx, ids)), ...erased]);
}

/** A pass that another row of the batch has erased is not among them: its identifiers find the row. */
async function findHolders(
  tx: TenantTx,
  outcomes: readonly NewOutcome[],
): Promise<ReadonlyMap<number, readonly Holder[]>> {
  const named = outcomes.flatMap(({ row, means, identifiers }) => {
    if (means === undefined || means.passId !== undefined) return [];
    const { passType } = means;
    return Object.entries(identifiers).map(([name, value]) => ({ row, passType, name, value }));
  });
  const storable = named.filter(({ passType = "", name, value }) =>
    [passType, name, value].every(isStorable),
  );
  return Map.groupBy(await listHoldersByRow(tx, storable), ({ row }) => row);
}

/** The rule by which rows find their pass: by a unique identifier, or else by all that they name. */
function meantOf(holders: readonly Holder[], identifiers: Outcome["identifiers"]): string | null {
  const wanted = Object.keys(identifiers).length;
  const owners = holders.filter(({ isOwner }) => isOwner);
  const fitting = owners.length > 0 ? owners : holders.filter(({ count }) => count === wanted);
  const [meant, another] = fitting;
  return meant === undefined || another !== undefined ? null : meant.passId;
}

/** PostgreSQL refuses NUL and halves of surrogate pairs, which a row may contain, and no pass has. */
function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}
