import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { checkYaml, readYaml } from "#src/files/public.ts";
import { readSecret, readSecretForUpdate, removeSecret, writeSecret } from "#src/secrets/public.ts";
import { type Configuration, configurationOf } from "#src/tenants/public.ts";
import type { Connection, Connector, SecretMember } from "../kit/connector.ts";
import { formerText, formerValues } from "./connection.former.ts";
import { claimOrigin } from "./connection-origin.service.ts";

/** Settings of any connector: which members there are, its own file says. */
export type Settings = Readonly<Record<string, unknown>> & { readonly enabled?: boolean };

/** Tells every process that the connections of a tenant have changed. The payload is the tenant. */
export const CONNECTION_SIGNAL = "connection";

const HOUR_MS = 3_600_000;

/** The settings in force for this call; undefined if the connector is not configured. */
export async function findSettings(
  context: TenantContext,
  connector: Connector,
): Promise<Settings | undefined> {
  const configuration = await configurationOf(context);
  if (!configuration.entries.has(connector.file.path)) return undefined;
  const name = `connector ${connector.name}`;
  return await configuration.derive(name, () => readSettings(configuration, connector));
}

async function readSettings(
  configuration: Configuration,
  { file: { path, schema } }: Connector,
): Promise<Settings | undefined> {
  const bytes = await configuration.read(path);
  const file = bytes === undefined ? undefined : readYaml(path, bytes).file;
  // Files that do not fit are refused, but this one may be older than its connector.
  if (file === undefined || checkYaml(path, file, schema).length > 0) return undefined;
  return file.value as Settings;
}

/** Whether the connector works for this call. */
export function isEnabled(settings: Settings | undefined): settings is Settings {
  return settings !== undefined && settings.enabled !== false;
}

/** The settings with the secrets; undefined if the connector is not configured, or switched off. */
export async function findConnection(
  context: TenantContext,
  connector: Connector,
): Promise<Connection | undefined> {
  const settings = await findSettings(context, connector);
  if (!isEnabled(settings)) return undefined;
  return { settings, secrets: await readOwnSecrets(context, connector, settings) };
}

/** The secrets that may be sent to the origin of these settings: none if they belong to another one. */
export async function readOwnSecrets(
  context: TenantContext,
  connector: Connector,
  settings: Settings,
): Promise<Record<string, string[]>> {
  const secrets = await readSecrets(context, connector);
  return (await claimOrigin(context, connector, settings)) ? secrets : withoutValues(secrets);
}

export function withoutValues(secrets: Connection["secrets"]): Record<string, string[]> {
  return Object.fromEntries(Object.keys(secrets).map((member) => [member, []]));
}

/** A secret without which the connector does nothing, and which it does not have. */
export function missingSecret({ secrets }: Connector, connection: Connection): string | undefined {
  return Object.keys(secrets).find(
    (member) => secrets[member]?.isRequired && connection.secrets[member]?.length === 0,
  );
}

/** The values of all secret members that hold now, the newest first. */
export async function readSecrets(
  context: TenantContext,
  { secrets }: Connector,
): Promise<Record<string, string[]>> {
  const values: Record<string, string[]> = {};
  for (const [member, secret] of Object.entries(secrets)) {
    const current = await readSecret(context, secret.key);
    const former = await readFormer(context, secret);
    values[member] = current === undefined ? former : [current, ...former];
  }
  return values;
}

function formerKey({ key }: SecretMember): string {
  return `${key}-FORMER`;
}

/** Values that were replaced and still hold, the newest first. */
async function readFormer(context: TenantContext, secret: SecretMember): Promise<string[]> {
  if (secret.overlapHours === undefined) return [];
  const kept = await readSecret(context, formerKey(secret));
  return formerValues(kept, context.clock.now()).map(({ value }) => value);
}

/**
 * Stores what was sent, in the transaction that publishes the settings. Whatever is replaced holds for
 * its own while: after two changes in a row, the vendor may still sign with the first value.
 */
export async function writeSecrets(
  context: TenantContext,
  tx: TenantTx,
  { secrets }: Connector,
  sent: Readonly<Record<string, string>>,
): Promise<void> {
  const { sealer } = context.runtime;
  for (const [member, value] of Object.entries(sent)) {
    const secret = secrets[member];
    if (secret === undefined) continue;
    const replaced = await readSecretForUpdate(context, tx, secret.key);
    if (replaced === value) continue;
    await writeSecret(tx, sealer, secret.key, value);
    if (secret.overlapHours === undefined || replaced === undefined) continue;
    const until = new Date(tx.now.getTime() + secret.overlapHours * HOUR_MS);
    const kept = await readSecretForUpdate(context, tx, formerKey(secret));
    const former = [{ value: replaced, until }, ...formerValues(kept, tx.now)];
    await writeSecret(tx, sealer, formerKey(secret), formerText(former, value));
  }
  tx.signal(CONNECTION_SIGNAL, tx.tenantId);
}

export async function removeSecrets(tx: TenantTx, { secrets }: Connector): Promise<void> {
  for (const secret of Object.values(secrets)) {
    await removeSecret(tx, secret.key);
    if (secret.overlapHours !== undefined) await removeSecret(tx, formerKey(secret));
  }
  tx.signal(CONNECTION_SIGNAL, tx.tenantId);
}
