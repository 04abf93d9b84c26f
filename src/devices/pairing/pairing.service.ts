import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { runInTenant } from "#kernel/jobs/run-in-tenant.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { findDeviceForUpdate } from "../device.repository.ts";
import type { DeviceConnection } from "../device.schema.ts";
import { giveKey, lockDeviceForKey, targetOf } from "../device.service.ts";
import { makeCode, readCode } from "./pairing.code.ts";
import { pairingCodeUnknown } from "./pairing.errors.ts";
import * as pairings from "./pairing.repository.ts";
import { PAIRING_MINUTES, type PairingView } from "./pairing.schema.ts";
import { takeAttempt } from "./pairing-throttle.service.ts";

const PURPOSE = "device-pairing";
/** With 100,000 codes, one in nine thousand is taken: five in a row are no coincidence. */
const CODE_TRIES = 5;

/** The code of the device before this one ends. */
export function createPairing(
  context: TenantContext,
  deviceId: string,
  newCode: () => string = makeCode,
): Promise<PairingView> {
  const { runtime } = context;
  return context.transaction(async (tx) => {
    await lockDeviceForKey(context, tx, deviceId);
    const expiresAt = new Date(tx.now.getTime() + PAIRING_MINUTES * 60_000);
    for (let tries = 0; tries < CODE_TRIES; tries += 1) {
      const code = newCode();
      const [codeHash] = hashesOf(runtime, code);
      if (codeHash === undefined) break;
      if (!(await pairings.replacePairing(tx, { deviceId, codeHash, expiresAt }))) continue;
      // Without the code, which is as good as the key of the device.
      tx.audit({
        target: targetOf(deviceId),
        after: { pairing: { expiresAt: expiresAt.toISOString() } },
      });
      return { code, expiresAt: expiresAt.toISOString(), url: `${runtime.baseUrl}/scan#${code}` };
    }
    throw new Error(`None of ${CODE_TRIES} random codes was free for a device.`);
  });
}

/**
 * Gives the key of the device to the holder of its code. Only a caller with the scopes of the key can make a
 * code. A device that is connected gets a new key, because that caller may reset the device as well.
 */
export async function redeemPairing(
  context: SystemContext,
  text: string,
): Promise<DeviceConnection> {
  const takeBack = await takeAttempt(context);
  const connection = await redeem(context, readCode(text));
  takeBack();
  return connection;
}

async function redeem(context: SystemContext, code: string | undefined): Promise<DeviceConnection> {
  const { runtime } = context;
  // A text that cannot be a code is looked up as well, so that the time of the answer tells nothing.
  const hashes = hashesOf(runtime, code ?? "");
  const place = await pairings.findPairing(context, hashes);
  if (place === undefined) throw pairingCodeUnknown();
  const connection = await runInTenant(context, place.tenantId, (tenant) =>
    tenant.transaction(async (tx) => {
      // The device first, as every other change of it does: two orders could deadlock.
      const device = await findDeviceForUpdate(tx, place.deviceId);
      const pairing = device && (await pairings.deletePairing(tx, place.deviceId, hashes));
      if (device === undefined || pairing === undefined) throw pairingCodeUnknown();
      return await giveKey(runtime, tx, device, { pairedBy: pairing.createdBy });
    }),
  );
  // Its tenant has ended: the answer must not name it.
  if (connection === undefined) throw pairingCodeUnknown();
  return connection;
}

/** With the current master key first; a code may have been made under the one before. */
function hashesOf({ sealer }: Runtime, code: string): Buffer[] {
  return [...sealer.macs(PURPOSE, Buffer.from(code))];
}
