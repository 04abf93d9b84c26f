import type { TestApi } from "./start-api.ts";

const DEADLOCK = "40P01";

/**
 * As if the time of all deliveries that wait had come; says how many there are. The product may be at
 * work on some of them and lock them in another order. PostgreSQL then ends one of the two transactions:
 * the product tries again by itself, and so does this function.
 */
export async function hastenDeliveries(
  api: Pick<TestApi, "sql">,
  tenantId: string,
): Promise<number> {
  for (;;) {
    try {
      const waiting = await api.sql(
        `update inbound_delivery set next_attempt_at = now() - interval '1 second', problem = null
          where tenant_id = $1 and status = 'waiting' returning id`,
        [tenantId],
      );
      return waiting.length;
    } catch (error) {
      if ((error as { code?: string }).code !== DEADLOCK) throw error;
    }
  }
}
