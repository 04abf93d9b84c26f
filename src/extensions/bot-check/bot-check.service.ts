import type { TenantContext } from "#kernel/context.ts";
import { ProblemError } from "#kernel/errors.ts";
import { configurationOf, publicAddress } from "#src/tenants/public.ts";
import {
  findSettings,
  isEnabled,
  readOwnSecrets,
  type Settings,
} from "../settings/connection.service.ts";
import { extensionNotConfigured } from "../settings/settings.errors.ts";
import { askVendor } from "./bot-check.client.ts";
import { botCheck } from "./bot-check.connector.ts";
import { botCheckRefused, botCheckUnavailable } from "./bot-check.errors.ts";
import { type BotCheckAsked, type BotCheckResult, presentVerdict } from "./bot-check.schema.ts";
import type { BotCheckSettings } from "./bot-check.settings.ts";
import {
  isTestSecret,
  unfitForProduction,
  VENDORS,
  type Vendor,
  verifyUrlOf,
} from "./bot-check.vendors.ts";
import { judge, refused, unavailable, type Verdict } from "./bot-check.verdict.ts";

/** The check of a tenant, as a form uses it. */
export type BotCheck = {
  readonly vendor: Vendor;
  readonly siteKey: string;
  readonly action: string | undefined;
  /** True if the widget shows nothing, and a script asks for the token when the form is sent. */
  readonly isScored: boolean;
  /** Takes a few seconds at most. No transaction may be open. */
  verify(token: string, ip: string | undefined): Promise<Verdict>;
};

/** Undefined if the tenant has none, or has switched it off. */
export async function botCheckOf(context: TenantContext): Promise<BotCheck | undefined> {
  const found = await findSettings(context, botCheck);
  const { entries } = await configurationOf(context);
  if (found === undefined && entries.has(botCheck.file.path)) {
    // Without it, everybody would be let in.
    throw botCheckUnavailable({ detail: `${botCheck.file.path} cannot be used.`, codes: [] });
  }
  if (!isEnabled(found)) return undefined;
  const settings = found as Settings & BotCheckSettings;
  return {
    vendor: VENDORS[settings.provider],
    siteKey: settings.siteKey,
    action: settings.action,
    isScored: settings.provider === "recaptcha" && settings.minimumScore !== undefined,
    verify: async (token, ip) =>
      await verify(context, settings, await findSecret(context, settings), { token, ip }),
  };
}

/** Undefined if it is not stored, was stored for another vendor, or can no longer be opened. */
async function findSecret(context: TenantContext, settings: Settings): Promise<string | undefined> {
  try {
    return (await readOwnSecrets(context, botCheck, settings)).secret?.[0];
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

/** Throws the refusal as a problem. */
export async function verifyBotCheck(
  context: TenantContext,
  { token, remoteIp }: BotCheckAsked,
): Promise<BotCheckResult> {
  const check = await botCheckOf(context);
  if (check === undefined) throw extensionNotConfigured(botCheck);
  const verdict = await check.verify(token, remoteIp);
  if (verdict.isPerson) return presentVerdict(verdict);
  const { reason, detail, codes } = verdict;
  const fail = reason === "refused" ? botCheckRefused : botCheckUnavailable;
  throw fail({ detail, codes });
}

type Asked = { readonly token: string; readonly ip: string | undefined };

async function verify(
  context: TenantContext,
  settings: BotCheckSettings,
  secret: string | undefined,
  { token, ip }: Asked,
): Promise<Verdict> {
  const { runtime, tenantId } = context;
  const vendor = VENDORS[settings.provider];
  if (token === "") return refused("The token is missing.", ["missing-input-response"]);
  if (token.length > vendor.tokenLengthMax) return refused("The token is too long.");
  if (secret === undefined)
    return unavailable("The secret of the vendor is not stored, or cannot be read.");
  const unfit = unfitForProduction(runtime.environment, settings, secret);
  const [member] = Object.keys(unfit);
  if (member !== undefined) return unavailable(`The setting '${member}' ${unfit[member]?.[0]}.`);
  const isTest = isTestSecret(secret);
  const answer = await askVendor(runtime.egress, {
    url: verifyUrlOf(settings),
    secret,
    token,
    siteKey: settings.siteKey,
    ip,
    tenantId,
  });
  const verdict = answer.ok
    ? judge(answer.value, { settings, hostnames: await hostnamesOf(context, settings), isTest })
    : unavailable(answer.problem);
  if (!verdict.isPerson && verdict.reason === "unavailable") {
    const { detail: reason, codes } = verdict;
    context.log.warn(
      { tenantId, provider: settings.provider, reason, codes },
      "a bot check failed",
    );
  }
  return verdict;
}

async function hostnamesOf(
  context: TenantContext,
  { hostnames }: BotCheckSettings,
): Promise<readonly string[]> {
  if (hostnames !== undefined) return hostnames;
  const { settings } = await configurationOf(context);
  const { baseUrl } = context.runtime;
  const addresses = [baseUrl, publicAddress(baseUrl, settings.customDomain)];
  return addresses.map((address) => new URL(address).hostname);
}
