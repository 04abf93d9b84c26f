import type { SystemContext, TenantContext } from "../context.ts";
import { runInTenant } from "./run-in-tenant.ts";

/** Repeats a batch until one is not full, or the signal is aborted. Returns how many rows there were. */
export async function inBatches(
  rowsMax: number,
  signal: AbortSignal,
  batch: () => Promise<number>,
): Promise<number> {
  let total = 0;
  for (let count = rowsMax; count === rowsMax && !signal.aborted; total += count) {
    count = await batch();
  }
  return total;
}

/**
 * Works for many tenants in turns, so that one with millions of rows does not delay the others. `take` does one
 * batch and returns the next turn, or undefined if nothing is left to do.
 *
 * Returns when all is done or the signal is aborted, at the time limit of the job or the stop of the process: the
 * next run does the rest. A turn that fails is the last one of its tenant in this run, and keeps no other from its
 * own; throws if no turn succeeded, because then it is no tenant that is broken.
 */
export async function runInTurns<Turn extends { readonly tenantId: string }>(
  context: SystemContext,
  turns: readonly Turn[],
  signal: AbortSignal,
  take: (tenant: TenantContext, turn: Turn) => Promise<Turn | undefined>,
): Promise<void> {
  let succeeded = 0;
  const failures: unknown[] = [];
  const takeOrGoOn = async (turn: Turn): Promise<Turn | undefined> => {
    const { tenantId } = turn;
    try {
      const rest = await runInTenant(context, tenantId, (tenant) => take(tenant, turn));
      succeeded += 1;
      return rest;
    } catch (error) {
      failures.push(error);
      const facts = { err: error, tenantId, op: context.op };
      context.log.error(facts, "a batch of a tenant failed: the next run tries it again");
      return undefined;
    }
  };
  for (let left = turns; left.length > 0; ) {
    const next: Turn[] = [];
    for (const turn of left) {
      if (signal.aborted) return;
      const rest = await takeOrGoOn(turn);
      if (rest !== undefined) next.push(rest);
    }
    left = next;
  }
  if (succeeded === 0 && failures.length > 0) throw failures[0];
}

/** How the old rows of one tenant are deleted. */
export type Purge = {
  readonly rowsMax: number;
  /** Deletes at most `rowsMax` rows. Returns how many. */
  run(tenant: TenantContext): Promise<number>;
};

/** Deletes the old rows of these tenants, a batch of each in turn. */
export function purgeInTurns(
  context: SystemContext,
  tenantIds: readonly string[],
  { rowsMax, run }: Purge,
  signal: AbortSignal,
): Promise<void> {
  const turns = tenantIds.map((tenantId) => ({ tenantId }));
  return runInTurns(context, turns, signal, async (tenant, turn) =>
    (await run(tenant)) === rowsMax ? turn : undefined,
  );
}

/** Deletes all old rows of one tenant. Returns how many. */
export function purgeTenant(
  tenant: TenantContext,
  { rowsMax, run }: Purge,
  signal: AbortSignal,
): Promise<number> {
  return inBatches(rowsMax, signal, () => run(tenant));
}
