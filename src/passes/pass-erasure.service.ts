import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { eraseTracesOf } from "#kernel/events/erasure.ts";
import { companionsOf } from "./pass.companions.ts";
import { passDeleted } from "./pass.events.ts";
import * as passes from "./pass.repository.ts";
import type { Pass } from "./pass.schema.ts";

/** A pass that is locked: it goes, with all that was told of it; that it was told stays. */
export async function erasePass(
  context: TenantContext,
  tx: TenantTx,
  { id, passType }: Pass,
): Promise<void> {
  for (const companion of companionsOf(context)) await companion.detach(tx, id);
  await passes.deletePass(tx, id);
  await eraseTracesOf(tx, [id]);
  tx.emit(passDeleted, { id, passType }, { subject: id });
  tx.audit({ target: `pass:${id}`, before: { passType } });
}
