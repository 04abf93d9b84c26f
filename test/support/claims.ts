import { setTimeout as sleep } from "node:timers/promises";

type Query = (statement: string) => Promise<readonly unknown[]>;

/** Rows that a dead process still locks are free within moments: its server process notices the end. */
const ROUNDS_MAX = 1_000;
const ROUND_MS = 10;

/**
 * Ends all claims in a table, as if the time had passed for which a dead process had them. The server may still be
 * at its last statements, which lock rows in an order of their own: waiting for one of them while holding others
 * would be a deadlock, so rows that are locked are left to the next round.
 */
export async function expireClaims(query: Query, table: string): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    await query(`
      update ${table} set claimed_until = now()
       where ctid = any (array(
               select ctid from ${table} where claimed_until > now() for update skip locked))
    `);
    const claimed = await query(`select from ${table} where claimed_until > now() limit 1`);
    if (claimed.length === 0) return;
    await sleep(ROUND_MS);
  }
  throw new Error(`Claims in ${table} do not end.`);
}
