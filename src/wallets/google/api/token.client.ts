import { isObject } from "#kernel/json.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import { RecentMap } from "#kernel/recent-map.ts";
import type { Runtime } from "#kernel/runtime.ts";
import type { GoogleServices } from "../../wallet.services.ts";
import { signToken } from "../google.jwt.ts";
import type { GoogleAccount } from "../google-account.ts";
import { type GoogleFailure, outcomeOf } from "./api.outcome.ts";
import { exchange } from "./api-exchange.client.ts";

const SCOPE = "https://www.googleapis.com/auth/wallet_object.issuer";
const ASSERTION_SECONDS = 3_600;
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** A token is replaced this long before it ends, so that no request carries one that has ended. */
const EARLY_SECONDS = 300;
const TOKENS_MAX = 1_000;

type Token = { readonly kind: "token"; readonly value: string; readonly usableUntil: number };
export type TokenOutcome = Token | GoogleFailure;

const tokensOf = perRuntime(() => ({
  known: new RecentMap<Token>(TOKENS_MAX),
  underWay: new Map<string, Promise<TokenOutcome>>(),
}));

/**
 * The access token of an account. All that ask at the same time share one request, and each waits
 * for it only until its own signal is aborted.
 */
export async function accessTokenOf(
  runtime: Runtime,
  services: GoogleServices,
  account: GoogleAccount,
  signal?: AbortSignal,
): Promise<TokenOutcome> {
  const { known, underWay } = tokensOf(runtime);
  const name = nameOf(services, account);
  const last = known.get(name);
  if (last !== undefined && performance.now() < last.usableUntil) return last;
  const asking = underWay.get(name) ?? askOnce(runtime, services, account);
  return await (signal === undefined ? asking : unlessAborted(asking, signal));
}

function unlessAborted(asking: Promise<TokenOutcome>, signal: AbortSignal): Promise<TokenOutcome> {
  return new Promise((resolve, reject) => {
    const giveUp = () =>
      resolve({ kind: "unavailable", message: "Google gave no access token in time." });
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    asking.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}

/**
 * After Google refused the token, although its time was not over. A newer token stays: others may
 * have asked for it meanwhile.
 */
export function forgetToken(
  runtime: Runtime,
  services: GoogleServices,
  account: GoogleAccount,
  refused: string,
): void {
  const { known } = tokensOf(runtime);
  const name = nameOf(services, account);
  if (known.get(name)?.value === refused) known.delete(name);
}

/**
 * Only those who hold the private key may have the token: the email and the key id are no secrets,
 * and a tenant could write those of another into its key file.
 */
function nameOf({ tokenUrl }: GoogleServices, { fingerprint }: GoogleAccount): string {
  return `${tokenUrl} ${fingerprint}`;
}

function askOnce(
  runtime: Runtime,
  services: GoogleServices,
  account: GoogleAccount,
): Promise<TokenOutcome> {
  const { known, underWay } = tokensOf(runtime);
  const name = nameOf(services, account);
  const asking = ask(runtime, services, account)
    .then((outcome) => {
      if (outcome.kind === "token") known.set(name, outcome);
      return outcome;
    })
    .finally(() => underWay.delete(name));
  underWay.set(name, asking);
  return asking;
}

async function ask(
  { clock }: Runtime,
  { tokenUrl, tokenAudience }: GoogleServices,
  account: GoogleAccount,
): Promise<TokenOutcome> {
  const assertion = await signToken(account, {
    audience: tokenAudience,
    claims: { scope: SCOPE },
    now: clock.now(),
    seconds: ASSERTION_SECONDS,
  });
  const sentAt = performance.now();
  const reply = await exchange({
    method: "POST",
    url: tokenUrl,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ grant_type: GRANT, assertion }).toString(),
  });
  if ("kind" in reply) return reply;
  const outcome = outcomeOf(reply);
  // An assertion that is refused will be refused again: the account is disabled or its key deleted.
  if (outcome.kind === "refused") return { ...outcome, kind: "denied" };
  if (outcome.kind !== "done") return outcome;
  return readToken(outcome.body, sentAt);
}

function readToken(body: unknown, sentAt: number): TokenOutcome {
  const { access_token: value, expires_in: seconds } = isObject(body) ? body : {};
  if (typeof value !== "string" || typeof seconds !== "number") {
    return { kind: "unavailable", message: "Google's answer holds no access token." };
  }
  const usableSeconds = Math.max(seconds - EARLY_SECONDS, seconds / 2);
  return { kind: "token", value, usableUntil: sentAt + usableSeconds * 1_000 };
}
