import type { TenantContext } from "#kernel/context.ts";
import { type Decimal, readDecimal } from "#kernel/decimal.ts";
import { validationProblem } from "#kernel/errors.ts";
import { parseTimestamp } from "#kernel/http/lists/list-values.ts";
import { deviceOf, findDevice } from "#src/devices/public.ts";
import type { Decision, OfflineScan, Scan, ScanCreate } from "./scan.schema.ts";

/** Clocks of devices are seldom right to the second. */
const AHEAD_MS_MAX = 5 * 60_000;
/** Otherwise whoever has the key of a device could use whatever has ever been valid. */
const OFFLINE_MS_MAX = 7 * 86_400_000;

/** A scan as the caller wants it recorded. */
export type ScanWish = Pick<Scan, "type" | "scanner" | "deviceId" | "location" | "reference"> & {
  readonly data: string;
  /** When it was read, as the caller says. */
  readonly scannedAt: Date;
  /** The time by which validity is judged: now, or when it was read without network. */
  readonly at: Date;
  readonly redeem: { readonly privilegeId: string; readonly amount: Decimal } | undefined;
  readonly offline: { readonly decision: Decision | null } | undefined;
};

/** Throws 400 for what a schema cannot see. */
export async function readWish(
  context: TenantContext,
  sent: ScanCreate | OfflineScan,
  offline?: ScanWish["offline"],
): Promise<ScanWish> {
  const deviceId = await readDevice(context, sent.deviceId);
  const { redeem } = sent;
  return {
    data: sent.data,
    type: sent.type,
    deviceId,
    scanner: scannerOf(context, deviceId),
    location: sent.location ?? null,
    reference: sent.reference ?? null,
    ...readTimes(context, sent.occurredAt, offline !== undefined),
    redeem: redeem && { ...redeem, amount: readDecimal(redeem.amount) },
    offline,
  };
}

/** Whose scans in a row may be one scan read twice. */
export function scannerOf({ actor }: TenantContext, deviceId: string | null): string {
  return deviceId === null ? `credential ${actor.credentialId}` : `device ${deviceId}`;
}

async function readDevice(
  context: TenantContext,
  sent: string | undefined,
): Promise<string | null> {
  const own = deviceOf(context.actor);
  if (own !== undefined) {
    if (sent === undefined || sent === own) return own;
    throw validationProblem({ deviceId: ["must be your own, or be left out"] });
  }
  if (sent === undefined) return null;
  if ((await findDevice(context, sent)) !== undefined) return sent;
  throw validationProblem({ deviceId: ["must be a device of this tenant"] });
}

function readTimes(
  { clock }: TenantContext,
  sent: string | undefined,
  isOffline: boolean,
): Pick<ScanWish, "scannedAt" | "at"> {
  const now = clock.now();
  const told = (sent === undefined ? undefined : parseTimestamp(sent)) ?? now.getTime();
  if (told - now.getTime() > AHEAD_MS_MAX) {
    throw validationProblem({ occurredAt: ["must not be more than five minutes ahead"] });
  }
  if (isOffline && now.getTime() - told > OFFLINE_MS_MAX) {
    throw validationProblem({ occurredAt: ["must not be more than seven days ago"] });
  }
  const scannedAt = new Date(Math.min(told, now.getTime()));
  return { scannedAt, at: isOffline ? scannedAt : now };
}
