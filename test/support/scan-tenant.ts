import assert from "node:assert/strict";
import { systemCall } from "#kernel/call.ts";
import { issueDeviceKey } from "#src/api-keys/public.ts";
import type { ApiResponse } from "./client.ts";
import { PASS_FILES, seedPassTenant } from "./pass-tenant.ts";
import type { TestApi } from "./start-api.ts";

const LOYALTY = "server/passes/loyalty.yml";

/** A tenant whose loyalty cards have the barcode `M-<number>`. */
export async function seedScanTenant(api: TestApi, tenantId: string): Promise<void> {
  const template = String(PASS_FILES[LOYALTY]).replace(
    'message: "{{ pass.id }}"',
    "message: \"M-{{ identifiers['loyalty.number'] }}\"",
  );
  await seedPassTenant(api, tenantId, { [LOYALTY]: template });
}

/** A card with a number; its privilege is worth so much. */
export async function seedCard(
  api: TestApi,
  tenantId: string,
  number: string,
  privilege: Record<string, unknown> = { value: 2 },
): Promise<string> {
  const key = api.operatorKey;
  const passes = `/api/${tenantId}/passes`;
  const identifiers = { "loyalty.number": number };
  const made = await api.post(`${passes}?passType=loyalty`, {
    key,
    body: { identifiers, additionalData: { firstName: `Ada ${number}` } },
  });
  assert.equal(made.status, 201, made.text);
  const body = { privilegeId: "coffee", type: "MultiUse", ...privilege };
  const given = await api.post(`${passes}/${made.body.id}/privileges`, { key, body });
  assert.equal(given.status, 201, given.text);
  return made.body.id;
}

/** The key of a device, as connecting it makes it. */
export async function seedDevice(
  api: TestApi,
  tenantId: string,
): Promise<{ deviceId: string; key: string }> {
  const path = `/api/${tenantId}/devices`;
  const made = await api.post(path, { key: api.operatorKey, body: { name: "Till" } });
  assert.equal(made.status, 201, made.text);
  const { deviceId } = made.body;
  const call = systemCall(api.runtime, "device.connect", { tenantId });
  const key = await call.transaction((tx) => issueDeviceKey(tx, api.runtime.environment, deviceId));
  return { deviceId, key };
}

/** As if the scans had been recorded so much earlier: nobody waits for three seconds. */
export async function ageScans(api: TestApi, seconds: number): Promise<void> {
  await api.sql("update scan set recorded_at = recorded_at - make_interval(secs => $1)", [seconds]);
}

export function scanned({ status, body, text }: ApiResponse) {
  assert.equal(status, 201, text);
  return body;
}
