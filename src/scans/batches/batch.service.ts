import type { TenantContext } from "#kernel/context.ts";
import { ProblemError } from "#kernel/errors.ts";
import { type FieldErrors, fieldErrors } from "#kernel/http/validation.ts";
import { listOffline } from "../scan.repository.ts";
import { OfflineScan, presentScan, type ScanAnswer } from "../scan.schema.ts";
import { fulfil } from "../scan.service.ts";
import { readWish, type ScanWish } from "../scan.wish.ts";
import type { BatchCreate, BatchResult } from "./batch.schema.ts";

type Item = { readonly reference: string | null } & ({ readonly wish: ScanWish } | Refused);

/**
 * Records scans that were made without network, one after the other and each in a transaction of
 * its own: whatever interrupts the batch, it can be sent again as it is.
 */
export async function recordBatch(
  context: TenantContext,
  { scans }: BatchCreate,
): Promise<BatchResult[]> {
  const items: Item[] = [];
  for (const sent of scans) items.push(await readItem(context, sent));
  const known = await findKnown(context, items);
  const results: BatchResult[] = [];
  for (const item of items) {
    const { reference } = item;
    const done = "errors" in item ? item : await finish(context, known, item.wish);
    if ("errors" in done) results.push(refusal(reference, done.errors));
    else {
      const { scan } = done;
      const outcome = scan.duplicateOf === undefined ? "recorded" : "repeated";
      results.push({ reference, outcome, conflict: scan.conflict, scan });
    }
  }
  return results;
}

type Refused = { readonly errors: Readonly<Record<string, readonly string[]>> };

function finish(
  context: TenantContext,
  known: ReadonlyMap<string, ScanAnswer>,
  wish: ScanWish,
): Promise<{ readonly scan: ScanAnswer } | Refused> {
  const repeated = known.get(keyOf(wish));
  return orRefused(async () => ({
    scan: repeated?.data === wish.data ? repeated : await fulfil(context, wish),
  }));
}

async function orRefused<Result>(work: () => Promise<Result>): Promise<Result | Refused> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProblemError && error.errors !== undefined) {
      return { errors: error.errors };
    }
    throw error;
  }
}

async function readItem(context: TenantContext, sent: unknown): Promise<Item> {
  const { reference } = sent as { reference?: unknown };
  const named = typeof reference === "string" ? reference : null;
  const errors = fieldErrors(OfflineScan, sent);
  if (errors !== undefined) return { reference: named, errors };
  const scan = sent as OfflineScan;
  const read = await orRefused(async () => ({
    wish: await readWish(context, scan, { decision: scan.decision ?? null }),
  }));
  return { reference: named, ...read };
}

function refusal(reference: string | null, errors: Readonly<Record<string, readonly string[]>>) {
  const told: FieldErrors = {};
  for (const [field, messages] of Object.entries(errors)) told[field] = [...messages];
  return { reference, outcome: "refused", conflict: false, scan: null, errors: told } as const;
}

/**
 * A batch that is sent again costs one statement, not one for each scan. An answer that is kept must
 * name its passes, which the transaction of each scan does.
 */
async function findKnown(
  context: TenantContext,
  items: readonly Item[],
): Promise<ReadonlyMap<string, ScanAnswer>> {
  const wishes = items.flatMap((item) => ("wish" in item ? [item.wish] : []));
  if (wishes.length === 0 || context.keepsAnswer) return new Map();
  const scanners = [...new Set(wishes.map(({ scanner }) => scanner))];
  const references = wishes.flatMap(({ reference }) => reference ?? []);
  const known = await listOffline(context, scanners, references);
  return new Map(
    known.map((scan) => [keyOf(scan), { ...presentScan(scan), duplicateOf: scan.id }]),
  );
}

/** No scanner has a newline in its name. */
function keyOf({ scanner, reference }: Pick<ScanWish, "scanner" | "reference">): string {
  return `${scanner}\n${reference}`;
}
