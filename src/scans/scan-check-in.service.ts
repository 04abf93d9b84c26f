import type { TenantTx } from "#kernel/db/transaction.ts";
import { newId } from "#kernel/ids.ts";
import { findPassesForUpdate } from "#src/passes/public.ts";
import { reasonAgainst, statusAt } from "./scan.decision.ts";
import { scanRecorded } from "./scan.events.ts";
import { insertScan, SCAN_ID_PREFIX } from "./scan.repository.ts";
import { presentScan, type Scan } from "./scan.schema.ts";

/** That somebody was let in elsewhere, as another system tells it. */
export type CheckIn = {
  /** Who tells of it, such as `extension:pretix`. */
  readonly scanner: string;
  /** The other system's own name for it. */
  readonly reference: string;
  readonly location: string | null;
  readonly at: Date;
};

/**
 * Records that a pass was used elsewhere, as a scan, in the caller's transaction. The other system has
 * decided already; what would have been decided here is kept with it. Undefined if the pass is gone.
 */
export async function recordCheckIn(
  tx: TenantTx,
  passId: string,
  { scanner, reference, location, at }: CheckIn,
): Promise<string | undefined> {
  const [pass] = await findPassesForUpdate(tx, [passId]);
  if (pass === undefined) return undefined;
  const scannedAt = at < tx.now ? at : tx.now;
  const reason = reasonAgainst(pass, scannedAt, undefined);
  const decision = reason === null ? "accepted" : "rejected";
  const { passType, identifiers } = pass;
  const shown = {
    id: passId,
    passType,
    status: statusAt(pass, scannedAt),
    identifiers,
    displayName: null,
  };
  const scan: Scan = {
    id: newId(SCAN_ID_PREFIX, tx.now.getTime()),
    data: passId,
    type: "manual",
    scanner,
    deviceId: null,
    passId,
    about: passId,
    decision,
    reason,
    offlineDecision: "accepted",
    isOffline: true,
    conflict: decision === "rejected",
    location,
    reference,
    wish: null,
    outcome: { pass: shown, privileges: [], movement: null },
    scannedAt,
    recordedAt: tx.now,
  };
  insertScan(tx, scan);
  tx.emit(scanRecorded, presentScan(scan), { subject: passId });
  const after = { type: scan.type, passId, decision, reason };
  tx.audit({ target: `scan:${scan.id}`, subject: passId, after });
  return scan.id;
}
