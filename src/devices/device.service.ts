import type { Actor } from "#kernel/actor.ts";
import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { validationProblem } from "#kernel/errors.ts";
import { newId } from "#kernel/ids.ts";
import { difference } from "#kernel/members.ts";
import type { Runtime } from "#kernel/runtime.ts";
import {
  DEVICE_SCOPES,
  issueDeviceKey,
  requireHeld,
  revokeDeviceKey,
  revokeDeviceKeys,
} from "#src/api-keys/public.ts";
import {
  deviceAlreadyConnected,
  deviceNotCalling,
  deviceNotFound,
  deviceTooMany,
} from "./device.errors.ts";
import {
  deviceConnected,
  deviceDeleted,
  deviceRegistered,
  deviceReset,
  deviceUpdated,
} from "./device.events.ts";
import * as devices from "./device.repository.ts";
import {
  DEVICE_MEMBERS,
  type Device,
  type DeviceConnection,
  type DeviceRegistration,
  type DeviceUpdate,
  presentDevice,
  versionOf,
} from "./device.schema.ts";
import { type DeviceSettings, settingsProblem } from "./device.settings.ts";
import { endPairing } from "./pairing/pairing.repository.ts";

/** Far more than scanners of one brand; a limit, because registering is counted. */
export const DEVICES_MAX = 10_000;

const differ = difference<Device, typeof DEVICE_MEMBERS>(DEVICE_MEMBERS);

export function registerDevice(context: TenantContext, sent: DeviceRegistration): Promise<Device> {
  const { name, settings = {} } = sent;
  requireFit(settings);
  return context.transaction(async (tx) => {
    await devices.lockDevices(tx);
    if ((await devices.countDevices(tx)) >= DEVICES_MAX) throw deviceTooMany({ most: DEVICES_MAX });
    const device = await devices.insertDevice(tx, newId("dev", tx.now.getTime()), {
      name,
      settings,
    });
    const view = presentDevice(device);
    tx.emit(deviceRegistered, view);
    tx.audit({ target: targetOf(device.id), after: view });
    return device;
  });
}

export async function getDevice(context: TenantContext, deviceId: string): Promise<Device> {
  const device = await devices.findDevice(context, deviceId);
  if (device === undefined) throw deviceNotFound({ deviceId });
  return device;
}

/** The device whose key the caller uses: a device may read its own settings, and no others. */
export function getCurrentDevice(context: TenantContext): Promise<Device> {
  const deviceId = deviceOf(context.actor);
  if (deviceId === undefined) throw deviceNotCalling();
  return getDevice(context, deviceId);
}

/** The id of the device whose key the caller uses; undefined for every other caller. */
export function deviceOf({ kind, id }: Pick<Actor, "kind" | "id">): string | undefined {
  return kind === "device" ? id : undefined;
}

/** Members that are not sent stay as they are. A change without effect makes no version. */
export function updateDevice(
  context: TenantContext,
  deviceId: string,
  sent: DeviceUpdate,
): Promise<Device> {
  if (sent.settings !== undefined) requireFit(sent.settings);
  return context.transaction(async (tx) => {
    const known = await lockDevice(context, tx, deviceId);
    const fields = { name: sent.name ?? known.name, settings: sent.settings ?? known.settings };
    if (!differ(known, fields)) return known;
    const changed = await devices.updateDevice(tx, deviceId, fields);
    const [before, after] = [presentDevice(known), presentDevice(changed)];
    tx.emit(deviceUpdated, after, { previous: before });
    tx.audit({ target: targetOf(deviceId), before, after });
    return changed;
  });
}

/** The key of the device ends with it, for every request that begins after the answer. */
export function deleteDevice(context: TenantContext, deviceId: string): Promise<void> {
  return context.transaction(async (tx) => {
    const device = await lockDevice(context, tx, deviceId);
    await revokeDeviceKey(tx, deviceId);
    await devices.deleteDevice(tx, deviceId);
    const view = presentDevice(device);
    tx.emit(deviceDeleted, view);
    tx.audit({ target: targetOf(deviceId), before: view });
  });
}

/**
 * Part of deleting a tenant, which is audited as a whole. The keys end after the devices: a device
 * that was being paired meanwhile has its key by then, and nobody can pair it any more.
 */
export async function deleteAllDevices(tx: TenantTx): Promise<void> {
  await devices.deleteAllDevices(tx);
  await revokeDeviceKeys(tx);
}

export function connectDevice(context: TenantContext, deviceId: string): Promise<DeviceConnection> {
  return context.transaction(async (tx) => {
    const device = await lockDeviceForKey(context, tx, deviceId);
    if (device.status === "connected") throw deviceAlreadyConnected({ deviceId });
    return await giveKey(context.runtime, tx, device);
  });
}

/** The old key, if there is one, ends for every request that begins after the answer. */
export function resetDevice(context: TenantContext, deviceId: string): Promise<DeviceConnection> {
  return context.transaction(async (tx) => {
    const device = await lockDeviceForKey(context, tx, deviceId);
    return await giveKey(context.runtime, tx, device);
  });
}

/**
 * The row of the device must be locked. A pairing code that is open ends: whoever has it could take
 * the device over again. `more` is added to the audit entry.
 */
export async function giveKey(
  runtime: Runtime,
  tx: TenantTx,
  device: Device,
  more: Readonly<Record<string, unknown>> = {},
): Promise<DeviceConnection> {
  endPairing(tx, device.id);
  const apiKey = await issueDeviceKey(tx, runtime.environment, device.id);
  const connected = await devices.updateConnected(tx, device.id);
  const [before, after] = [presentDevice(device), presentDevice(connected)];
  const event = device.status === "connected" ? deviceReset : deviceConnected;
  tx.emit(event, after, { previous: before });
  tx.audit({ target: targetOf(device.id), before, after: { ...after, ...more } });
  const environmentUri = `${runtime.baseUrl}/api/${tx.tenantId}`;
  return { apiKey, environmentUri, deviceId: device.id };
}

async function lockDevice(context: TenantContext, tx: TenantTx, deviceId: string): Promise<Device> {
  const device = await devices.findDeviceForUpdate(tx, deviceId);
  if (device === undefined) throw deviceNotFound({ deviceId });
  context.requireMatch(versionOf(device));
  return device;
}

/**
 * Locks the device before its key, or a code for the key, is given out. The caller must hold the scopes of the
 * key: otherwise `Device.Write` alone would be enough to read all passes.
 */
export async function lockDeviceForKey(
  context: TenantContext,
  tx: TenantTx,
  deviceId: string,
): Promise<Device> {
  const device = await lockDevice(context, tx, deviceId);
  requireHeld(context, DEVICE_SCOPES);
  return device;
}

export function targetOf(deviceId: string): string {
  return `device:${deviceId}`;
}

function requireFit(settings: DeviceSettings): void {
  const problem = settingsProblem(settings);
  if (problem !== undefined) throw validationProblem({ settings: [problem] });
}
