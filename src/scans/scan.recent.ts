import { perRuntime } from "#kernel/per-runtime.ts";
import { RecentMap } from "#kernel/recent-map.ts";
import type { ScanWish } from "./scan.wish.ts";

const KEPT_MAX = 50_000;

type Recent = { readonly scanId: string; readonly recordedAt: number };

/**
 * Scans that this process recorded lately. A code that is read twice mostly comes to the same
 * process: its first answer is then found by one statement. Whoever is not found here is found by
 * the transaction.
 */
const recentIn = perRuntime(() => new RecentMap<Recent>(KEPT_MAX));

type Asked = Parameters<typeof recentIn>[0];

/** The scan before this one, if it was recorded after `since`. */
export function findRecent(
  runtime: Asked,
  tenantId: string,
  wish: ScanWish,
  since: Date,
): string | undefined {
  if (wish.offline !== undefined) return undefined;
  const known = recentIn(runtime).get(keyOf(tenantId, wish, wish.redeem));
  return known !== undefined && known.recordedAt > since.getTime() ? known.scanId : undefined;
}

/** The first scan counts, so it stays until it is too old. */
export function noteRecent(
  runtime: Asked,
  tenantId: string,
  wish: ScanWish,
  { scanId, recordedAt, since }: { scanId: string; recordedAt: Date; since: Date },
): void {
  if (wish.offline !== undefined) return;
  const recent = recentIn(runtime);
  for (const redeem of wish.redeem === undefined ? [undefined] : [undefined, wish.redeem]) {
    const key = keyOf(tenantId, wish, redeem);
    const known = recent.get(key);
    if (known !== undefined && known.recordedAt > since.getTime()) continue;
    recent.set(key, { scanId, recordedAt: recordedAt.getTime() });
  }
}

/** Where no device is named, another place or reference makes another scan: one key serves many doors. */
function keyOf(tenantId: string, wish: ScanWish, redeem: ScanWish["redeem"]): string {
  const { scanner, deviceId, location, reference, data } = wish;
  const asked = redeem === undefined ? "" : `${redeem.privilegeId} ${redeem.amount}`;
  const place = deviceId === null ? [location, reference] : [];
  return JSON.stringify([tenantId, scanner, data, asked, ...place]);
}
