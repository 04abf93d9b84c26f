import { hash } from "node:crypto";

/** When each tenant has its turn in the night. Rules only. */

/** Vendors serve many tenants: not all of them ask in the same minute. */
export const SPREAD_MS = 3_600_000;

/** The same every night, so that it can be told beforehand; far apart also for names that are alike. */
export function spreadMs(tenantId: string, connector: string): number {
  const digest = hash("sha256", `${tenantId} ${connector}`, "buffer");
  return digest.readUInt32BE(0) % SPREAD_MS;
}
