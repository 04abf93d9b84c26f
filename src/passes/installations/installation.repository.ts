import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { ProviderState, WalletName } from "../pass.schema.ts";

/** The row of the pass must be locked. */
export async function setProvider(
  tx: TenantTx,
  passId: string,
  wallet: WalletName,
  state: ProviderState,
): Promise<void> {
  await tx.run(sql`
    update pass
       set providers = providers || ${JSON.stringify({ [wallet]: state })}::jsonb
     where tenant_id = ${tx.tenantId} and id = ${passId}
  `);
}
