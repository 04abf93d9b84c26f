import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { validationProblem } from "#kernel/errors.ts";
import type { FieldErrors } from "#kernel/http/validation.ts";
import { writeYaml } from "#src/files/public.ts";
import { listStoredKeys, readSecretForUpdate } from "#src/secrets/public.ts";
import {
  configurationChangedMeanwhile,
  configurationOf,
  newestConfigurationOf,
  publishConfiguration,
} from "#src/tenants/public.ts";
import { leaveAccount } from "../catch-up/account.service.ts";
import { connectors } from "../connectors.ts";
import { deleteErasures } from "../feeds/erasure.repository.ts";
import { type FeedState, listFeedStates, restartFeed } from "../feeds/feed.repository.ts";
import { deleteAddress, listAddresses, updateNotice } from "../inbox/address.repository.ts";
import { ensureWebhookUrl } from "../inbox/address.service.ts";
import { BODY_BYTES_MAX, hasRoom, WAITING_MAX } from "../inbox/inbox.room.ts";
import { type InboxState, listInboxStates } from "../inbox/inbox-state.repository.ts";
import { type Connection, type Connector, hasAddress } from "../kit/connector.ts";
import { journeyBodies } from "../kit/journey-body.ts";
import {
  findSettings,
  isEnabled,
  readSecrets,
  removeSecrets,
  type Settings,
  withoutValues,
  writeSecrets,
} from "./connection.service.ts";
import { deleteOrigin, findOriginForUpdate, upsertOrigin } from "./connection-origin.repository.ts";
import { foreignOrigin } from "./connection-origin.service.ts";
import { extensionNotConfigured } from "./settings.errors.ts";
import { type ExtensionSummary, type ExtensionTest, presentSettings } from "./settings.schema.ts";

const CHECK_MS_MAX = 20_000;
const DAY_MS = 86_400_000;
const NEEDED_AGAIN = "is needed again for another address";
const FULL = `More than ${WAITING_MAX} deliveries wait, so the vendor is asked to send later ones again.`;
const FULL_OF_BYTES =
  "The deliveries that wait are too large together, so the vendor is asked to send later ones again.";

export type ShownExtension = {
  readonly shown: Record<string, unknown>;
  /** The version of the configuration that has these settings. */
  readonly version: number;
};

export async function getExtension(
  context: TenantContext,
  connector: Connector,
): Promise<ShownExtension> {
  const { version } = await configurationOf(context);
  const settings = await getSettings(context, connector);
  const keys = Object.values(connector.secrets).map(({ key }) => key);
  const stored = new Set(await listStoredKeys(context, keys));
  const url = hasAddress(connector) ? await ensureWebhookUrl(context, connector.name) : undefined;
  return { shown: presentSettings(connector, settings, stored, url), version };
}

async function getSettings(context: TenantContext, connector: Connector): Promise<Settings> {
  const settings = await findSettings(context, connector);
  if (settings === undefined) throw extensionNotConfigured(connector);
  return settings;
}

/**
 * Tries the settings at the vendor, and saves them as a new version of the configuration. Secrets are
 * stored in the same transaction; those that are not sent stay as they are.
 */
export async function putExtension(
  context: TenantContext,
  connector: Connector,
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  // The check may take long: what is decided here must still hold when the settings are saved.
  const { version } = await newestConfigurationOf(context);
  const before = await findSettings(context, connector);
  const { settings, sent } = takeApart(connector, body, before);
  const known = await readSecrets(context, connector);
  const isMoved =
    (await foreignOrigin(context, connector, settings)) !== undefined ||
    (before !== undefined && connector.origin?.(before) !== connector.origin?.(settings));
  const isOther =
    before !== undefined && connector.account?.(before) !== connector.account?.(settings);
  requireSecrets(connector, sent, known, isMoved);
  const secrets = { ...known };
  for (const [member, value] of Object.entries(sent)) secrets[member] = [value];
  const errors = await tryConnection(context, connector, { settings, secrets });
  if (errors !== undefined) throw validationProblem(errors);
  await publishConfiguration(context, {
    replaces: false,
    files: new Map([[connector.file.path, writeYaml(settings)]]),
    message: `Settings of ${connector.title}`,
    decidedBy: version,
    async alongside(tx, isChange) {
      await requireSameSecrets(context, tx, connector, { settings, sent }, known);
      await writeSecrets(context, tx, connector, sent);
      const origin = connector.origin?.(settings);
      if (origin !== undefined) upsertOrigin(tx, connector.name, origin);
      if (isOther) leaveAccount(tx, connector);
      updateNotice(tx, connector.name, null);
      restartFeed(tx, connector.name);
      if (!isChange) tx.audit({ target: `extension:${connector.name}` });
    },
  });
}

type Sent = { readonly settings: Settings; readonly sent: Readonly<Record<string, string>> };

function takeApart(
  { secrets, isSpecified }: Connector,
  body: Readonly<Record<string, unknown>>,
  before: Settings | undefined,
): Sent {
  const sent: Record<string, string> = {};
  const settings: Record<string, unknown> = {};
  if (isSpecified && before?.enabled !== undefined) settings.enabled = before.enabled;
  for (const [member, value] of Object.entries(body)) {
    if (!Object.hasOwn(secrets, member)) settings[member] = value;
    else if (typeof value === "string") sent[member] = value;
  }
  return { settings, sent };
}

/** A stored secret goes only to the origin that it was stored for. */
function requireSecrets(
  connector: Connector,
  sent: Sent["sent"],
  known: Readonly<Record<string, readonly string[]>>,
  isMoved: boolean,
): void {
  const errors: FieldErrors = {};
  for (const [member, { isRequired }] of Object.entries(connector.secrets)) {
    if (sent[member] !== undefined) continue;
    const isStored = (known[member] ?? []).length > 0;
    if (isStored && isMoved) errors[member] = [NEEDED_AGAIN];
    else if (!isStored && isRequired) errors[member] = ["is required"];
  }
  if (Object.keys(errors).length > 0) throw validationProblem(errors);
}

/**
 * Throws if a stored secret that goes on holding, or the origin it belongs to, is another one than when
 * the settings were tried. Nobody changes them until the commit.
 */
async function requireSameSecrets(
  context: TenantContext,
  tx: TenantTx,
  connector: Connector,
  { settings, sent }: Sent,
  known: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const bound = await findOriginForUpdate(tx, connector.name);
  const isForeign = bound !== undefined && bound !== connector.origin?.(settings);
  for (const [member, { key }] of Object.entries(connector.secrets)) {
    if (sent[member] !== undefined) continue;
    const stored = await readSecretForUpdate(context, tx, key);
    const isSame = stored === known[member]?.[0];
    if (!isSame || (stored !== undefined && isForeign)) throw configurationChangedMeanwhile();
  }
}

async function tryConnection(
  context: TenantContext,
  connector: Connector,
  connection: Connection,
): Promise<FieldErrors | undefined> {
  return await connector.check?.(context, connection, AbortSignal.timeout(CHECK_MS_MAX));
}

/** Tries the connection as it is stored; changes nothing. */
export async function testExtension(
  context: TenantContext,
  connector: Connector,
): Promise<ExtensionTest> {
  const settings = await getSettings(context, connector);
  const foreign = await foreignOrigin(context, connector, settings);
  const stored = await readSecrets(context, connector);
  const secrets = foreign === undefined ? stored : withoutValues(stored);
  const lack = foreign === undefined ? "is not stored" : NEEDED_AGAIN;
  const missing = Object.entries(connector.secrets).filter(
    ([member, { isRequired }]) => isRequired && secrets[member]?.length === 0,
  );
  const errors =
    missing.length > 0
      ? Object.fromEntries(missing.map(([member]) => [member, [lack]]))
      : await tryConnection(context, connector, { settings, secrets });
  return { ok: errors === undefined, errors: errors ?? {} };
}

/** Removes the file and the secrets. The address is served no more, and a later one is another. */
export async function deleteExtension(context: TenantContext, connector: Connector): Promise<void> {
  await getSettings(context, connector);
  await publishConfiguration(context, {
    replaces: false,
    files: new Map([[connector.file.path, null]]),
    message: `${connector.title} removed`,
    async alongside(tx) {
      await removeSecrets(tx, connector);
      deleteAddress(tx, connector.name);
      deleteOrigin(tx, connector.name);
      deleteErasures(tx, connector.name);
      leaveAccount(tx, connector);
    },
  });
}

/** All connectors that there are, and how each of them does for this tenant. */
export async function listExtensions(context: TenantContext): Promise<ExtensionSummary[]> {
  const keys = connectors.flatMap(({ secrets }) => Object.values(secrets).map(({ key }) => key));
  const stored = new Set(await listStoredKeys(context, keys));
  const addresses = await listAddresses(context);
  const since = new Date(context.clock.now().getTime() - DAY_MS);
  const states = await listInboxStates(context, since);
  const feeds = await listFeedStates(context, since);
  const summaries: ExtensionSummary[] = [];
  for (const connector of connectors) {
    const { name, kind, title, about, secrets } = connector;
    const settings = await findSettings(context, connector);
    const address = addresses.find((one) => one.connector === name);
    const state = states.find((one) => one.connector === name);
    const has = Object.fromEntries(
      Object.entries(secrets).map(([member, { key }]) => [member, stored.has(key)]),
    );
    summaries.push({
      name,
      kind,
      title,
      about,
      configured: settings !== undefined,
      enabled: isEnabled(settings),
      webhookUrl:
        settings === undefined || !hasAddress(connector)
          ? null
          : await ensureWebhookUrl(context, name, address),
      journeySteps: stepsOf(context, connector, settings),
      secrets: has,
      lastDeliveryAt: state?.lastDeliveryAt?.toISOString() ?? null,
      waiting: state?.waiting ?? 0,
      failures: state?.failures ?? 0,
      problem:
        settings === undefined
          ? null
          : ((await originProblem(context, connector, settings)) ??
            problemOf(connector, has, state, address?.notice) ??
            feedProblem(feeds.find((one) => one.connector === name))),
    });
  }
  return summaries;
}

const ANY_PASS_TYPE = "loyalty";

function stepsOf(
  { runtime, tenantId }: TenantContext,
  { name, journey }: Connector,
  settings: Settings | undefined,
): ExtensionSummary["journeySteps"] {
  if (journey === undefined) return [];
  const { passType } = settings ?? {};
  const bodies = journeyBodies(
    journey.tags,
    typeof passType === "string" ? passType : ANY_PASS_TYPE,
  );
  const address = `${runtime.baseUrl}/api/${tenantId}/extensions/${name}/journey`;
  return bodies.map(({ action, body }) => ({ action, url: `${address}/${action}`, body }));
}

async function originProblem(
  context: TenantContext,
  connector: Connector,
  settings: Settings,
): Promise<string | undefined> {
  const origin = await foreignOrigin(context, connector, settings);
  if (origin === undefined) return undefined;
  return `The stored secret belongs to ${origin}, so nothing is sent: save it for the new address.`;
}

function feedProblem(feed: FeedState | undefined): string | null {
  if (feed === undefined || feed.problem !== null) return feed?.problem ?? null;
  const { refused, eventName, reason } = feed;
  if (refused === 0) return null;
  const count = refused === 1 ? "One event was" : `${refused} events were`;
  return `${count} refused within the last day and set aside; the last one, ${eventName}: ${reason}`;
}

function problemOf(
  { secrets, inbound }: Connector,
  has: Readonly<Record<string, boolean>>,
  state: InboxState | undefined,
  notice: string | null | undefined,
): string | null {
  if (notice) return notice;
  const missing = Object.keys(secrets).find((name) => secrets[name]?.isRequired && !has[name]);
  if (missing !== undefined) return `No ${missing} is stored, so nothing is taken.`;
  const { waiting: deliveries = 0, waitingBytes: sizeBytes = 0 } = state ?? {};
  if (deliveries >= WAITING_MAX) return FULL;
  if (!hasRoom({ deliveries, sizeBytes }, inbound?.bodyBytesMax ?? BODY_BYTES_MAX)) {
    return FULL_OF_BYTES;
  }
  const failures = state?.failures ?? 0;
  if (failures === 0) return null;
  return failures === 1
    ? "One delivery failed within the last day."
    : `${failures} deliveries failed within the last day.`;
}
