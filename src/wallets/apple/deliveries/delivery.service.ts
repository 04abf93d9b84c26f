import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { findPassesForUpdate, getPass, type Pass } from "#src/passes/public.ts";
import { passUpdateDelivered } from "../../deliveries/delivery.events.ts";
import type { DeviceKey } from "../devices/device.key.ts";
import * as deliveries from "./delivery.repository.ts";
import { type DeviceDelivery, presentDelivery, shownDevice } from "./delivery.schema.ts";
import { listLedger } from "./delivery-ledger.repository.ts";
import * as states from "./pass-state.repository.ts";

/** The channel of the hints that wake the pushes; the payload is the tenant. */
export const PUSH_HINT = "apple-push";
const SHOWN_MAX = 200;

/** Tells the devices of these passes that there is something new. */
export function tellDevices(tx: TenantTx, passIds: readonly string[], device?: DeviceKey): void {
  if (passIds.length === 0) return;
  deliveries.raiseRevisions(tx, passIds, device);
  tx.hint(PUSH_HINT, tx.tenantId);
}

/**
 * The same after a change of privileges. The database finds out whether a device holds the pass and
 * shows them: most passes that movements change are on no device, and cost no message here.
 */
export function tellDevicesOfPrivileges(tx: TenantTx, passIds: readonly string[]): void {
  if (passIds.length === 0) return;
  deliveries.raiseShown(tx, passIds);
  tx.hint(PUSH_HINT, tx.tenantId);
}

/** HTTP dates have whole seconds. */
export function wholeSecond(at: Date): Date {
  return new Date(Math.floor(at.getTime() / 1_000) * 1_000);
}

/**
 * Notes that a holder got this content, and returns when it was last modified: later than every time that was
 * sent with another content, by a part of a second if that was the same second. `known` is what was
 * noted before, and may be a little old: then it is noted once more. Everything that gives
 * bundles to holders calls it. Otherwise a device that registers would not be told of a change between
 * its download and its registration.
 */
export async function noteIssued(
  context: TenantContext,
  pass: Pass,
  issued: states.IssuedContent,
  known: states.IssuedState | undefined,
): Promise<Date> {
  const isNoted = known?.showsPrivileges === issued.showsPrivileges;
  const isSame = isNoted && known.fingerprint === issued.fingerprint;
  if (isSame && !states.needsSecond(known, wholeSecond(context.clock.now()))) {
    return known.modifiedAt;
  }
  return await context.transaction(async (tx) => {
    const second = wholeSecond(tx.now);
    const noted = await states.updateContent(tx, pass, issued, second);
    if (noted !== undefined) return noted;
    // A pass that was erased meanwhile leaves nothing behind.
    const [locked] = await findPassesForUpdate(tx, [pass.id]);
    if (locked === undefined) return second;
    return await states.noteContent(tx, pass, issued, second);
  });
}

/**
 * Ends the delivery of the device that fetched the pass, at this revision or a later one. A device
 * does not say who it is when it fetches: it is the one that asked from the same place what has
 * changed, or the only one that has the pass. Otherwise nobody knows, and the devices are pushed again.
 */
export async function noteFetch(
  tx: TenantTx,
  pass: Pass,
  revision: number,
  from: string,
): Promise<void> {
  const open = await deliveries.listUnfetched(tx, pass.id, revision);
  const asked = open.find((one) => one.state === "asked" && one.askedFrom === from);
  const done = asked ?? (open[0]?.devices === 1 ? open[0] : undefined);
  if (done === undefined) return;
  await deliveries.noteFetched(tx, pass.id, done);
  tx.emit(
    passUpdateDelivered,
    {
      id: pass.id,
      passType: pass.passType,
      wallet: "apple",
      device: shownDevice(tx.tenantId, done.deviceId),
      revision: done.revision,
      pushes: done.pushes,
      queuedAt: done.queuedAt.toISOString(),
      deliveredAt: tx.now.toISOString(),
    },
    { subject: pass.id },
  );
}

/** What became of the changes of a pass on each device, the newest first. */
export async function listDeliveriesOf(
  context: TenantContext,
  passId: string,
): Promise<DeviceDelivery[]> {
  await getPass(context, passId);
  const rows = await listLedger(context, passId, SHOWN_MAX);
  return rows.map((row) => presentDelivery(context.tenantId, row));
}
