import type { TenantTx } from "#kernel/db/transaction.ts";
import { insertEffect } from "../actions/action-effect.repository.ts";
import type { Echo } from "../kit/outbound.ts";

/** Remembers what the vendor will tell of as its own, so that it is not done a second time. */
export async function noteEchoes(
  tx: TenantTx,
  connector: string,
  echoes: readonly Echo[],
): Promise<void> {
  for (const { key, passId } of echoes) {
    const effect = { key, ofKey: null, passId, privilegeId: null, value: null };
    await insertEffect(tx, connector, effect);
  }
}
