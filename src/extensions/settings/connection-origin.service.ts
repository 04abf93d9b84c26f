import type { TenantContext } from "#kernel/context.ts";
import type { Connector } from "../kit/connector.ts";
import * as origins from "./connection-origin.repository.ts";

type Settings = Readonly<Record<string, unknown>>;

/**
 * The origin that the stored secrets belong to, if that is known and is not the one of these settings.
 * Files can be published by people who may not read secrets: a changed address in one of them must not
 * bring the secrets there.
 */
export async function foreignOrigin(
  context: TenantContext,
  connector: Connector,
  settings: Settings,
): Promise<string | undefined> {
  const origin = connector.origin?.(settings);
  if (origin === undefined) return undefined;
  const bound = await origins.findOrigin(context, connector.name);
  return bound === undefined || bound === origin ? undefined : bound;
}

/**
 * The same, just before the secrets are used. Secrets that never had an origin, because they were stored
 * by themselves, belong from now on to that of the settings. A new value that is stored by itself stays
 * with the origin of the one before: only whoever sends it with the settings moves it.
 */
export async function claimOrigin(
  context: TenantContext,
  connector: Connector,
  settings: Settings,
): Promise<boolean> {
  const origin = connector.origin?.(settings);
  if (origin === undefined) return true;
  const bound = await origins.findOrigin(context, connector.name);
  if (bound !== undefined) return bound === origin;
  const held = await context.transaction((tx) => origins.insertOrigin(tx, connector.name, origin));
  return held === origin;
}
