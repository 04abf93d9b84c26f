import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { ProblemError } from "#kernel/errors.ts";
import { noteDevices, type Pass } from "#src/passes/public.ts";
import { appleBundleOf } from "../bundle/bundle.service.ts";
import {
  endAsGone,
  noteAsked,
  pushAgainNow,
  raiseTags,
} from "../deliveries/delivery.repository.ts";
import { PUSH_HINT, tellDevices, wholeSecond } from "../deliveries/delivery.service.ts";
import { ensureState } from "../deliveries/pass-state.repository.ts";
import type { DeviceKey } from "./device.key.ts";
import { DEVICES_PER_PASS_MAX, PASSES_PER_DEVICE_MAX } from "./device.limits.ts";
import type { Registered } from "./device.repository.ts";
import * as devices from "./device.repository.ts";
import { takeChange } from "./device-change.service.ts";

export type Registration = "created" | "known" | "too-many" | "too-often" | "pass-gone";

/** From now on the device is told of every change of the pass. */
export async function registerDevice(
  context: TenantContext,
  pass: Pass,
  device: DeviceKey,
  pushToken: string,
): Promise<Registration> {
  const fingerprint = await currentFingerprint(context, pass);
  const registration = await context.transaction<Registration>(async (tx) => {
    devices.lockRegistrations(tx, pass.id);
    const known = await devices.getRegistered(tx, pass.id, device);
    const isChange = !known.isRegistered || known.pushToken !== pushToken;
    if (isChange && !takeChange(context, pass.id)) return "too-often";
    if (isFull(known)) return "too-many";
    const count = known.devices + (known.isRegistered ? 0 : 1);
    const current = await noteDevices(tx, { passId: pass.id, wallet: "apple", devices: count });
    if (current === undefined) return "pass-gone";
    await devices.upsertDevice(tx, device, pushToken);
    if (known.isRegistered) {
      await renewToken(tx, pass.id, device, known.pushToken, pushToken);
      return "known";
    }
    await devices.insertRegistration(tx, pass.id, device);
    const hasChanged = current.version !== pass.version;
    await catchUp(tx, current, device, hasChanged ? undefined : fingerprint);
    return "created";
  });
  // A movement of a privilege makes no version of the pass, and one that was committed meanwhile did
  // not find the registration.
  if (registration === "created" && (await currentFingerprint(context, pass)) !== fingerprint) {
    await context.transaction(async (tx) => tellDevices(tx, [pass.id], device));
  }
  return registration;
}

function isFull({ isRegistered, devices: count, passes }: Registered): boolean {
  return !isRegistered && (count >= DEVICES_PER_PASS_MAX || passes >= PASSES_PER_DEVICE_MAX);
}

/** Undefined if the pass cannot be built now; the device then learns of the next change. */
async function currentFingerprint(context: TenantContext, pass: Pass): Promise<string | undefined> {
  try {
    return (await appleBundleOf(context, pass)).fingerprint;
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

/**
 * Tells a new device at once, unless every copy of the pass that was ever issued is the current one:
 * the pass may have changed between the download and the registration.
 */
async function catchUp(
  tx: TenantTx,
  pass: Pass,
  device: DeviceKey,
  fingerprint: string | undefined,
): Promise<void> {
  const state = await ensureState(tx, pass, wholeSecond(tx.now));
  // A pass whose downloads nobody noted: it is current if it never changed.
  const isNew = state.fingerprint === null && pass.version === 1;
  const isCurrent = !state.hasVaried && (isNew || state.fingerprint === fingerprint);
  if (!isCurrent) tellDevices(tx, [pass.id], device);
  else if (!state.hasTag) raiseTags(tx, [pass.id]);
}

async function renewToken(
  tx: TenantTx,
  passId: string,
  device: DeviceKey,
  before: string | null,
  now: string,
): Promise<void> {
  if (before === now) return;
  // Without a token nothing was queued for the device meanwhile.
  if (before === null) return tellDevices(tx, [passId], device);
  await pushAgainNow(tx, device);
  tx.hint(PUSH_HINT, tx.tenantId);
}

/** Does nothing if the device is not registered: devices repeat what they are not sure of. */
export function unregisterDevice(
  context: TenantContext,
  passId: string,
  device: DeviceKey,
): Promise<void> {
  return context.transaction((tx) =>
    removeRegistration(tx, passId, device, "Unregistered by the device"),
  );
}

async function removeRegistration(
  tx: TenantTx,
  passId: string,
  device: DeviceKey,
  reason: string,
): Promise<void> {
  devices.lockRegistrations(tx, passId);
  const known = await devices.getRegistered(tx, passId, device);
  if (!known.isRegistered) return;
  await noteDevices(tx, { passId, wallet: "apple", devices: known.devices - 1 });
  await devices.deleteRegistration(tx, passId, device);
  await endAsGone(tx, device, passId, reason);
}

/**
 * Removes a device from all its passes, because Apple calls its token gone since a time. Does nothing
 * if the device has registered again since then, or with another token: it came back.
 */
export async function removeGoneDevice(
  context: TenantContext,
  device: DeviceKey,
  gone: devices.TokenGone,
  reason: string,
): Promise<void> {
  const passIds = await devices.listPassesOfDevice(context, device, gone);
  // One transaction for each pass: whoever locks two passes at once may wait in a circle.
  for (const passId of passIds) {
    await context.transaction(async (tx) => {
      // First the lock: the device may be registering for this pass at this moment.
      devices.lockRegistrations(tx, passId);
      if (await devices.isTokenGone(tx, device, gone)) {
        await removeRegistration(tx, passId, device, reason);
      }
    });
  }
}

/**
 * Forgets a token that Apple calls wrong. The device sends another one when it registers again. If it
 * did so already, what is queued for the new token goes on.
 */
export function forgetToken(
  context: TenantContext,
  device: DeviceKey,
  pushToken: string,
  reason: string,
): Promise<void> {
  return context.transaction(async (tx) => {
    const dropped = await devices.dropToken(tx, device, pushToken);
    if (dropped > 0) await endAsGone(tx, device, undefined, reason);
  });
}

export type Updatable = { readonly serialNumbers: string[]; readonly lastUpdated: string };

/** The passes of a device that have changed since it last asked; undefined if there are none. */
export function listUpdatablePasses(
  context: TenantContext,
  device: DeviceKey,
  since: string,
  from: string,
): Promise<Updatable | undefined> {
  return context.transaction(async (tx) => {
    const passes = await devices.listUpdatable(tx, device, since);
    const lastUpdated = passes.at(-1)?.tag;
    if (lastUpdated === undefined) return undefined;
    const serialNumbers = passes.map(({ passId }) => passId);
    await noteAsked(tx, device, serialNumbers, from);
    return { serialNumbers, lastUpdated };
  });
}
