import type { TenantContext } from "#kernel/context.ts";
import { decimalFromUnits, showDecimal, unitsOf } from "#kernel/decimal.ts";
import { validationProblem } from "#kernel/errors.ts";
import { isTimeZone } from "#kernel/intl.ts";
import { findOldestTime, findPartEnd } from "#src/events/public.ts";
import { passCreated, passInstalled, passUninstalled } from "#src/passes/public.ts";
import { privilegeMoved } from "#src/privileges/public.ts";
import { scanRecorded } from "#src/scans/public.ts";
import { settingsFacts, tenantCacheOf } from "#src/tenants/public.ts";
import { passUpdateDelivered, passUpdateFailed } from "#src/wallets/public.ts";
import { type DeliveryCounts, listDeliveryCounts } from "#src/webhooks/public.ts";
import { type Period, type PeriodDays, periodOf } from "./number.period.ts";
import {
  addEvents,
  type CountRow,
  findCursorForUpdate,
  listCounts,
  restartCount,
  UNCOUNTED,
} from "./number.repository.ts";
import type { Numbers, NumbersQuery, NumbersView } from "./number.schema.ts";

const DAYS_DEFAULT: PeriodDays = 30;
const HOUR_MS = 3_600_000;
export const EVENTS_PER_STEP = 5_000;
/** Counting so many while somebody waits takes a tenth of a second. */
const UNCOUNTED_MAX = 20_000;

/**
 * Adds the next events to the numbers of the tenant, and returns how many. Any number of processes
 * may do so: one of them counts, and what it counted and how far it came are committed together.
 */
export async function countOn(context: TenantContext): Promise<number> {
  return await context.transaction(async (tx) => {
    const known = await findCursorForUpdate(tx);
    if (known === undefined) return 0;
    let cursor = known;
    if (known.isForeign) {
      // Of the oldest hour some events may be deleted already: it stays as it is.
      const oldest = (await findOldestTime(tx))?.getTime() ?? tx.now.getTime();
      const countedFrom = new Date((Math.floor(oldest / HOUR_MS) + 1) * HOUR_MS);
      await restartCount(tx, countedFrom);
      cursor = { xact: "0", sequence: "0", countedFrom, isForeign: false };
    }
    const part = await findPartEnd(tx, cursor, EVENTS_PER_STEP);
    if (part !== undefined) await addEvents(tx, cursor, part);
    return part?.count ?? 0;
  });
}

export async function getNumbers(
  context: TenantContext,
  { days = DAYS_DEFAULT, timeZone }: NumbersQuery,
): Promise<NumbersView> {
  const zone = timeZone ?? (await zoneOf(context));
  if (!isTimeZone(zone)) {
    throw validationProblem({ timeZone: ["must be the name of a time zone, as Europe/Paris"] });
  }
  const period = periodOf(context.clock.now(), days, zone);
  const bounds = [period.previousFrom, ...period.steps, period.end];
  const [rows, deliveries] = await Promise.all([
    listCounts(context, bounds, UNCOUNTED_MAX),
    listDeliveryCounts(context, bounds),
  ]);
  return present(period, days, zone, rows, deliveries);
}

async function zoneOf({ runtime, tenantId }: TenantContext): Promise<string> {
  const tenant = await tenantCacheOf(runtime).find(tenantId);
  return settingsFacts(tenant?.settings).timeZone;
}

/** The bounds begin with the period before. */
const PREVIOUS_BUCKET = 1;
const FIRST_BUCKET = 2;

function present(
  { step, steps, end, previousFrom }: Period,
  days: number,
  timeZone: string,
  rows: readonly CountRow[],
  deliveries: readonly DeliveryCounts[],
): NumbersView {
  const within = (isWithin: (bucket: number) => boolean): Numbers =>
    numbersOf(
      rows.filter(({ bucket }) => isWithin(bucket)),
      deliveries.filter(({ bucket }) => isWithin(bucket)),
    );
  const isUncounted = ({ name }: CountRow) => name === UNCOUNTED;
  return {
    days,
    timeZone,
    step,
    from: (steps[0] ?? end).toISOString(),
    to: end.toISOString(),
    total: within((bucket) => bucket >= FIRST_BUCKET),
    previous: {
      from: previousFrom.toISOString(),
      ...within((bucket) => bucket === PREVIOUS_BUCKET),
    },
    steps: steps.map((from, at) => ({
      from: from.toISOString(),
      ...within((bucket) => bucket === FIRST_BUCKET + at),
    })),
    isBehind: (rows.find(isUncounted)?.count ?? 0) >= UNCOUNTED_MAX,
  };
}

function numbersOf(rows: readonly CountRow[], deliveries: readonly DeliveryCounts[]): Numbers {
  const sum = (event: { readonly name: string }, detail?: string): number =>
    rows
      .filter((row) => row.name === event.name && (detail ?? row.detail) === row.detail)
      .reduce((total, row) => total + row.count, 0);
  const ends = (end: "delivered" | "failed" | "retried"): number =>
    deliveries.reduce((total, row) => total + row[end], 0);
  const updatesOf = (wallet: string) => ({
    delivered: sum(passUpdateDelivered, wallet),
    failed: sum(passUpdateFailed, wallet),
    pushes: rows
      .filter(({ name }) => name === passUpdateDelivered.name || name === passUpdateFailed.name)
      .filter(({ detail }) => detail === wallet)
      .reduce((total, { value }) => total + Number(value), 0),
  });
  return {
    passes: {
      issued: sum(passCreated),
      installed: sum(passInstalled),
      removed: sum(passUninstalled),
    },
    scans: { accepted: sum(scanRecorded, "accepted"), rejected: sum(scanRecorded, "rejected") },
    redemptions: { count: sum(privilegeMoved), values: valuesOf(rows) },
    updates: { apple: updatesOf("apple"), google: updatesOf("google") },
    webhooks: {
      delivered: ends("delivered"),
      failed: ends("failed"),
      retried: ends("retried"),
    },
  };
}

/** Exact sums: of units that are money, too. */
function valuesOf(rows: readonly CountRow[]): Numbers["redemptions"]["values"] {
  const sums = new Map<string, bigint>();
  for (const { name, detail, value } of rows) {
    if (name !== privilegeMoved.name) continue;
    sums.set(detail, (sums.get(detail) ?? 0n) + unitsOf(value));
  }
  return [...sums]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([unit, sum]) => ({
      unit: unit === "" ? null : unit,
      value: showDecimal(decimalFromUnits(sum)),
    }));
}
