import { hash, timingSafeEqual } from "node:crypto";
import type { TenantContext } from "#kernel/context.ts";
import { randomBase62 } from "#kernel/ids.ts";
import type { Runtime } from "#kernel/runtime.ts";
import type { Connector } from "../kit/connector.ts";
import { type Former, formerText, formerValues } from "../settings/connection.former.ts";
import { CONNECTION_SIGNAL, findSettings } from "../settings/connection.service.ts";
import { extensionNotConfigured } from "../settings/settings.errors.ts";
import * as addresses from "./address.repository.ts";

/** 238 bits: nobody guesses it. */
const TOKEN_CHARS = 40;
/** Time to change the address at the vendor. */
const FORMER_HOURS = 24;
const HOUR_MS = 3_600_000;

/** Where the vendor sends its deliveries, with the token that nobody else knows. */
export function webhookUrlOf(
  { runtime, tenantId }: Pick<TenantContext, "runtime" | "tenantId">,
  connector: string,
  token: string,
): string {
  return `${runtime.baseUrl}/api/${tenantId}/extensions/${connector}/webhooks/${token}`;
}

/** The address of an inbox. Makes the token where there is none yet. */
export async function ensureWebhookUrl(
  context: TenantContext,
  connector: string,
  known?: addresses.SealedAddress,
): Promise<string> {
  const found = known ?? (await addresses.findAddress(context, connector));
  const address =
    found ??
    (await context.transaction((tx) => {
      const token = sealToken(context, connector, randomBase62(TOKEN_CHARS));
      return addresses.insertAddress(tx, connector, token);
    }));
  const token = openToken(context.runtime, context.tenantId, connector, address.token);
  // A token that no longer opens, because a master key was lost, is replaced by a rotation.
  return webhookUrlOf(context, connector, token ?? "");
}

export type RotatedAddress = { readonly webhookUrl: string; readonly formerUntil: string };

/**
 * A new address; those before hold for a day each, in which the vendor gets to know the new one. Whoever
 * asks twice does not take the address away that the vendor uses.
 */
export async function rotateAddress(
  context: TenantContext,
  connector: Connector,
): Promise<RotatedAddress> {
  const { name } = connector;
  if ((await findSettings(context, connector)) === undefined) {
    throw extensionNotConfigured(connector);
  }
  const token = randomBase62(TOKEN_CHARS);
  const sealed = sealToken(context, name, token);
  return await context.transaction(async (tx) => {
    const until = new Date(tx.now.getTime() + FORMER_HOURS * HOUR_MS);
    await addresses.insertAddress(tx, name, sealed);
    const known = await addresses.findAddressForUpdate(tx, name);
    if (known !== undefined && !known.token.equals(sealed)) {
      const previousToken = sealFormer(context, known, until, tx.now);
      await addresses.updateToken(tx, name, sealed, { previousToken, previousUntil: until });
    }
    tx.audit({ target: `extension:${name}`, after: { rotated: "webhookUrl" } });
    tx.signal(CONNECTION_SIGNAL, tx.tenantId);
    return {
      webhookUrl: webhookUrlOf(context, name, token),
      formerUntil: until.toISOString(),
    };
  });
}

function sealFormer(
  context: TenantContext,
  address: addresses.SealedAddress,
  until: Date,
  now: Date,
): Buffer | null {
  const { runtime, tenantId } = context;
  const { connector } = address;
  // One that no longer opens, because a master key was lost, holds no more.
  const current = openToken(runtime, tenantId, connector, address.token);
  const replaced = current === undefined ? [] : [{ value: current, until }];
  const former = [...replaced, ...formerTokens(runtime, tenantId, address, now)];
  return former.length === 0 ? null : sealToken(context, connector, formerText(former));
}

function formerTokens(
  runtime: Runtime,
  tenantId: string,
  { connector, previousToken, previousUntil }: addresses.SealedAddress,
  now: Date,
): Former[] {
  if (previousToken === null || previousUntil === null || previousUntil <= now) return [];
  const text = openToken(runtime, tenantId, connector, previousToken);
  if (text === undefined) return [];
  // A row of before there could be several has the token alone.
  return text.includes(" ") ? formerValues(text, now) : [{ value: text, until: previousUntil }];
}

/** The tokens that hold at this time, as digests to compare with. */
export function tokenDigests(
  runtime: Runtime,
  tenantId: string,
  address: addresses.SealedAddress,
  now: Date,
): Buffer[] {
  const current = openToken(runtime, tenantId, address.connector, address.token);
  const former = formerTokens(runtime, tenantId, address, now).map(({ value }) => value);
  return [current ?? [], former].flat().map(digestOf);
}

/** Takes as long for a wrong token as for the right one. */
export function isToken(digests: readonly Buffer[], sent: string): boolean {
  const digest = digestOf(sent);
  let isKnown = false;
  for (const known of digests) if (timingSafeEqual(known, digest)) isKnown = true;
  return isKnown;
}

function digestOf(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

function sealToken({ runtime, tenantId }: TenantContext, connector: string, token: string): Buffer {
  const place = addresses.tokenPlace(tenantId, connector);
  return runtime.sealer.seal(addresses.TOKEN_PURPOSE, place, Buffer.from(token));
}

function openToken(
  { sealer }: Runtime,
  tenantId: string,
  connector: string,
  sealed: Buffer,
): string | undefined {
  const place = addresses.tokenPlace(tenantId, connector);
  return sealer.open(addresses.TOKEN_PURPOSE, place, sealed)?.toString();
}
