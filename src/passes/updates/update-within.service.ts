import type { TenantTx } from "#kernel/db/transaction.ts";
import { aboutPass } from "../pass.audit.ts";
import { findPassesForUpdate } from "../pass.repository.ts";
import type { FullChange, Pass } from "../pass.schema.ts";
import type { PassTypes } from "../pass.types.ts";
import { namesOf } from "./update.selection.ts";
import { applyUpdates } from "./update.writer.ts";

/**
 * Changes one pass in the transaction of another module. `changeOf` sees the pass while nobody else
 * can change it, and says what shall change; undefined changes nothing. Throws the problem if the
 * rules of the pass type refuse the change. Returns undefined if there is no such pass.
 */
export async function updatePassWithin(
  tx: TenantTx,
  types: PassTypes,
  passId: string,
  changeOf: (pass: Pass) => FullChange | undefined,
): Promise<Pass | undefined> {
  const [known] = await findPassesForUpdate(tx, [passId]);
  const change = known && changeOf(known);
  if (change === undefined) return known;
  const [result] = await applyUpdates(tx, types, [passId], new Map([[passId, [change]]]));
  const problem = result?.ownProblems[0];
  if (problem !== undefined) throw problem;
  const pass = result?.pass;
  if (pass !== undefined) {
    const changes = [...namesOf(change), ...metadataNames(change)];
    tx.audit({ ...aboutPass(passId), after: { version: pass.version, changes } });
  }
  return pass;
}

function metadataNames({ metadata = {} }: FullChange): string[] {
  return Object.keys(metadata).map((name) => `metadata.${name}`);
}
