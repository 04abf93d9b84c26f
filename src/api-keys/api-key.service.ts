import { isAllowed, scopeNameFor } from "#kernel/actor.ts";
import { systemCall } from "#kernel/call.ts";
import type { TenantContext } from "#kernel/context.ts";
import { violatedUnique } from "#kernel/db/failures.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { Environment } from "#kernel/environment.ts";
import { validationProblem } from "#kernel/errors.ts";
import { parseTimestamp } from "#kernel/http/lists/list-values.ts";
import { newId } from "#kernel/ids.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { apiKeyNameTaken, apiKeyNotFound, apiKeyScopeNotHeld } from "./api-key.errors.ts";
import { apiKeyCreated, apiKeyDeleted, apiKeyUpdated } from "./api-key.events.ts";
import { deviceKeyUses } from "./api-key.port.ts";
import * as keys from "./api-key.repository.ts";
import {
  type ApiKey,
  type ApiKeyCreate,
  type ApiKeyUpdate,
  presentApiKey,
  versionOf,
} from "./api-key.schema.ts";
import { displayPrefix, hashToken, makeToken, type TokenKind } from "./api-key.token.ts";
import { inCatalogueOrder, type ScopeName } from "./scope.ts";

/**
 * Makes every node forget the cached keys of the tenant in its payload. Code that ends keys in
 * another way, such as deleting a tenant, must send this signal too.
 */
export const API_KEY_SIGNAL = "api-key";

/** The scopes of the key of a scanning device. */
export const DEVICE_SCOPES: readonly ScopeName[] = ["Pass.Read", "PassScan.Scan"];

/** Only this result contains the token: the database stores its hash. */
export function createApiKey(
  context: TenantContext,
  sent: ApiKeyCreate,
): Promise<{ key: ApiKey; token: string }> {
  const scopes = inCatalogueOrder(sent.scopes);
  requireHeld(context, scopes);
  const expiresAt = readExpiry(context, sent.expiresAt ?? null);
  return context.transaction(async (tx) => {
    const { environment } = context.runtime;
    const made = await issueKey(tx, environment, "api-key", { name: sent.name, scopes, expiresAt });
    if (made === undefined) throw apiKeyNameTaken({ name: sent.name });

    const view = presentApiKey(made.key);
    tx.emit(apiKeyCreated, view);
    tx.audit({ target: targetOf(made.key), after: view });
    return made;
  });
}

export async function getApiKey(context: TenantContext, name: string): Promise<ApiKey> {
  const key = await keys.findApiKey(context, name);
  if (key === undefined) throw apiKeyNotFound({ name });
  return key;
}

/** Members that are not sent stay unchanged, and so does the token. */
export function updateApiKey(
  context: TenantContext,
  name: string,
  sent: ApiKeyUpdate,
): Promise<ApiKey> {
  const expiresAt = sent.expiresAt === undefined ? undefined : readExpiry(context, sent.expiresAt);
  return context.transaction(async (tx) => {
    const key = await keys.findApiKeyForUpdate(tx, name);
    if (key === undefined) throw apiKeyNotFound({ name });
    context.requireMatch(versionOf(key));
    const change = {
      name: sent.name ?? key.name,
      scopes: sent.scopes === undefined ? key.scopes : inCatalogueOrder(sent.scopes),
      expiresAt: expiresAt === undefined ? key.expiresAt : expiresAt,
    };
    // All scopes are checked: a caller must not rename or prolong a key that has more rights.
    requireHeld(context, change.scopes);
    if (isUnchanged(key, change)) return key;

    const updated = await updateOrRefuse(tx, key, change);
    const [before, after] = [presentApiKey(key), presentApiKey(updated)];
    tx.emit(apiKeyUpdated, after, { previous: before });
    tx.audit({ target: targetOf(key), before, after });
    tx.signal(API_KEY_SIGNAL, tx.tenantId);
    return updated;
  });
}

/** This node refuses the key once the answer is sent, the other nodes within a second. */
export function deleteApiKey(context: TenantContext, name: string): Promise<void> {
  return context.transaction(async (tx) => {
    const key = await keys.findApiKeyForUpdate(tx, name);
    if (key === undefined) throw apiKeyNotFound({ name });
    context.requireMatch(versionOf(key));
    await keys.deleteApiKey(tx, key.id);

    const view = presentApiKey(key);
    tx.emit(apiKeyDeleted, view);
    tx.audit({ target: targetOf(key), before: view });
    tx.signal(API_KEY_SIGNAL, tx.tenantId);
  });
}

/** Includes keys of devices. Not audited, because the deletion of the tenant is audited. */
export async function revokeAllKeys(tx: TenantTx): Promise<void> {
  await keys.deleteAllKeys(tx);
  tx.signal(API_KEY_SIGNAL, tx.tenantId);
}

/** Makes the key of a device and ends its older key. The caller emits the event of the device. */
export async function issueDeviceKey(
  tx: TenantTx,
  environment: Environment,
  deviceId: string,
): Promise<string> {
  await revokeDeviceKey(tx, deviceId);
  const key = { name: deviceId, scopes: DEVICE_SCOPES, expiresAt: null };
  const made = await issueKey(tx, environment, "device", key);
  if (made === undefined) throw new Error("A device was connected twice at the same moment.");
  return made.token;
}

/** The signal ends open streams. Requests need none: no node caches the keys of devices. */
export async function revokeDeviceKey(tx: TenantTx, deviceId: string): Promise<void> {
  const count = await keys.deleteDeviceKeys(tx, deviceId);
  if (count > 0) tx.signal(API_KEY_SIGNAL, tx.tenantId);
}

/** Ends the keys of all devices of the tenant. */
export async function revokeDeviceKeys(tx: TenantTx): Promise<void> {
  await keys.deleteAllDeviceKeys(tx);
  tx.signal(API_KEY_SIGNAL, tx.tenantId);
}

/** Writes the last uses of keys that the authenticator collected in memory. */
export async function recordKeyUse(runtime: Runtime, uses: readonly keys.KeyUse[]): Promise<void> {
  if (uses.length === 0) return;
  const call = systemCall(runtime, "api-key.record-use");
  await call.transaction(async (tx) => {
    const deviceUses = await keys.findDeviceUses(tx, uses);
    if (deviceUses.length > 0) {
      // Before the keys: whoever deletes a device locks the device first and then its key.
      for (const tell of runtime.ports.all(deviceKeyUses)) await tell(tx, deviceUses);
    }
    await keys.updateLastUsed(tx, uses);
  });
}

async function issueKey(
  tx: TenantTx,
  environment: Environment,
  kind: TokenKind,
  about: Pick<ApiKey, "name" | "scopes" | "expiresAt">,
): Promise<{ key: ApiKey; token: string } | undefined> {
  const token = makeToken({ environment, kind });
  const key = await keys.insertKey(tx, {
    ...about,
    kind,
    id: newId("key", tx.now.getTime()),
    hash: hashToken(token),
    prefix: displayPrefix(token),
  });
  return key === undefined ? undefined : { key, token };
}

async function updateOrRefuse(
  tx: TenantTx,
  key: ApiKey,
  change: Pick<ApiKey, "name" | "scopes" | "expiresAt">,
): Promise<ApiKey> {
  try {
    return await keys.updateApiKey(tx, key.id, change);
  } catch (error) {
    if (violatedUnique(error) !== "api_key_name") throw error;
    throw apiKeyNameTaken({ name: change.name });
  }
}

/** Throws 403: nobody gives away rights that they lack, by whatever key. */
export function requireHeld({ actor, tenantId }: TenantContext, wanted: readonly string[]): void {
  const missing = wanted.filter((scope) => !isAllowed(actor, scope, tenantId));
  if (missing.length === 0) return;
  throw apiKeyScopeNotHeld({ scopes: missing.map((scope) => scopeNameFor(actor, scope)) });
}

function readExpiry({ clock }: TenantContext, sent: string | null): Date | null {
  if (sent === null) return null;
  const milliseconds = parseTimestamp(sent.toUpperCase());
  if (milliseconds === undefined) {
    throw validationProblem({ expiresAt: ["must be an ISO 8601 time that exists"] });
  }
  if (milliseconds <= clock.now().getTime()) {
    throw validationProblem({ expiresAt: ["must be in the future"] });
  }
  return new Date(milliseconds);
}

function isUnchanged(key: ApiKey, change: Pick<ApiKey, "name" | "scopes" | "expiresAt">): boolean {
  return (
    key.name === change.name &&
    key.expiresAt?.getTime() === change.expiresAt?.getTime() &&
    key.scopes.join() === change.scopes.join()
  );
}

function targetOf(key: ApiKey): string {
  return `api-key:${key.name}`;
}
