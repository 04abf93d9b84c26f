import type { TenantContext } from "#kernel/context.ts";
import { EgressError } from "#kernel/egress/egress-error.ts";
import type { GuardedHttp } from "#kernel/egress/guarded-fetch.ts";
import { parseStrictJson } from "#kernel/http/json/strict-json.ts";
import type { FieldErrors } from "#kernel/http/validation.ts";
import { isObject } from "#kernel/json.ts";
import type { Connection } from "../kit/connector.ts";
import { type BotCheckSettings, settingsProblems } from "./bot-check.settings.ts";
import { unfitForProduction, verifyUrlOf } from "./bot-check.vendors.ts";

/** A visitor waits for the answer in front of a form. */
const TIMEOUT_MS = 5_000;
const ANSWER_BYTES_MAX = 16 * 1_024;

export type SiteVerify = {
  readonly url: string;
  readonly secret: string;
  readonly token: string;
  readonly siteKey: string;
  /** The address of the visitor, if it is known. */
  readonly ip: string | undefined;
  /** Calls of different tenants do not wait for each other. */
  readonly tenantId: string;
};

export type SiteVerifyAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/**
 * Asks a vendor once: a token can be used a single time, so a second try would be refused. Every
 * vendor takes a form.
 */
export async function askVendor(
  egress: GuardedHttp,
  { url, secret, token, siteKey, ip, tenantId }: SiteVerify,
): Promise<SiteVerifyAnswer> {
  const form = new URLSearchParams({ secret, response: token, sitekey: siteKey });
  if (ip !== undefined && ip !== "") form.set("remoteip", ip);
  try {
    const answer = await egress.request(url, {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        accept: "application/json",
      },
      body: form.toString(),
      timeoutMs: TIMEOUT_MS,
      bodyBytesMax: ANSWER_BYTES_MAX,
      group: tenantId,
    });
    if (answer.status < 200 || answer.status > 299) {
      return { ok: false, problem: `The vendor answered with the status ${answer.status}.` };
    }
    // No vendor repeats the secret: whoever does shall not speak through us.
    const isUnfit = answer.bodyWasCut || answer.body.includes(secret);
    const read = isUnfit ? { ok: false as const } : parseStrictJson(answer.body);
    if (!read.ok) return { ok: false, problem: "The answer of the vendor cannot be read." };
    return { ok: true, value: read.value };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return { ok: false, problem: `The vendor could not be asked: ${error.message}` };
  }
}

/** No vendor has given this token to anybody. */
const NO_TOKEN = "billfold-asks-whether-the-secret-is-known";
const SECRET_CODES = ["invalid-input-secret", "missing-input-secret", "sitekey-secret-mismatch"];

/**
 * Tries settings and secret before they are saved, by a token that cannot be good: a vendor that knows
 * the secret complains about the token alone.
 */
export async function checkBotCheck(
  { runtime, tenantId }: TenantContext,
  { settings, secrets }: Connection<BotCheckSettings, "secret">,
): Promise<FieldErrors | undefined> {
  const [secret = ""] = secrets.secret;
  const errors = {
    ...settingsProblems(settings),
    ...unfitForProduction(runtime.environment, settings, secret),
  };
  if (Object.keys(errors).length > 0) return errors;
  const { siteKey } = settings;
  const url = verifyUrlOf(settings);
  const asked = { url, secret, token: NO_TOKEN, siteKey, ip: undefined, tenantId };
  const answer = await askVendor(runtime.egress, asked);
  if (!answer.ok) return { provider: [`cannot be used now. ${answer.problem}`] };
  if (!isObject(answer.value) || typeof answer.value.success !== "boolean") {
    return { provider: ["cannot be used now. The answer of the vendor cannot be read."] };
  }
  const told = answer.value["error-codes"];
  const codes: readonly unknown[] = Array.isArray(told) ? told : [];
  const isRefused = codes.some((code) => SECRET_CODES.includes(String(code)));
  return isRefused ? { secret: ["is not known to the vendor"] } : undefined;
}
