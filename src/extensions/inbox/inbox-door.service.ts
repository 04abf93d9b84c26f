import type { TenantContext } from "#kernel/context.ts";
import { isTenantNotFound } from "#kernel/tenant.errors.ts";
import type { Connection, Connector } from "../kit/connector.ts";
import { findSettings, isEnabled, type Settings } from "../settings/connection.service.ts";
import { isToken } from "./address.service.ts";
import { findDoor } from "./inbox-door.cache.ts";

/**
 * The connection behind an address that cannot be guessed. Undefined whatever is missing: nobody learns
 * which tenants use which vendors.
 */
export async function enterDoor(
  context: TenantContext,
  connector: Connector,
  token: string,
): Promise<Connection | undefined> {
  const { runtime, tenantId } = context;
  const settings = await settingsOf(context, connector);
  if (!isEnabled(settings)) return undefined;
  const door = await findDoor(runtime, tenantId, connector.name);
  if (door === undefined || !isToken(door.digests, token)) return undefined;
  return { settings, secrets: door.secrets };
}

async function settingsOf(
  context: TenantContext,
  connector: Connector,
): Promise<Settings | undefined> {
  try {
    return await findSettings(context, connector);
  } catch (error) {
    if (isTenantNotFound(error)) return undefined;
    throw error;
  }
}
