import type { Runtime } from "#kernel/runtime.ts";
import { exchange } from "../../google/api/api-exchange.client.ts";
import { noteAccepted, takeQuota } from "../../google/api/api-quota.service.ts";
import { accessTokenOf, forgetToken } from "../../google/api/token.client.ts";
import type { GoogleAccount } from "../../google/google-account.ts";
import { servicesOf } from "../../wallet.services.ts";
import type { Asked } from "./account.check.ts";

const TIMEOUT_MS = 15_000;
const TRIES = 2;

export type Visit = {
  /** Undefined if Google gave an access token. */
  readonly token: Extract<Asked, { kind: "failed" }>["failure"] | undefined;
  /** Undefined if there was no token to ask with. */
  readonly issuer: Asked | undefined;
};

/** Asks Google for a token, and with it for the classes of the issuer. Changes nothing there. */
export async function visitIssuer(runtime: Runtime, account: GoogleAccount): Promise<Visit> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const services = await servicesOf(runtime).google(account.isDemo);
  const url = `${services.apiUrl}/genericClass?issuerId=${account.issuerId}&maxResults=1`;
  for (let left = TRIES; ; left -= 1) {
    const token = await accessTokenOf(runtime, services, account);
    if (token.kind !== "token") return { token, issuer: undefined };
    const issuer = await ask(runtime, account, { url, token: token.value, signal });
    const isRefused = issuer.kind === "answered" && issuer.status === 401;
    if (!isRefused || left === 1) return { token: undefined, issuer };
    // The token was kept from before and may have been withdrawn: a new one decides.
    forgetToken(runtime, services, account, token.value);
  }
}

type Question = { readonly url: string; readonly token: string; readonly signal: AbortSignal };

async function ask(
  runtime: Runtime,
  account: GoogleAccount,
  { url, token, signal }: Question,
): Promise<Asked> {
  if (!(await takeQuota(runtime, account, signal))) {
    const message = "So many requests wait for this issuer that there was no time for this one.";
    return { kind: "failed", failure: { kind: "unavailable", message } };
  }
  const headers = { authorization: `Bearer ${token}` };
  const reply = await exchange({ method: "GET", url, headers, signal });
  if ("kind" in reply) return { kind: "failed", failure: reply };
  const { status, body } = reply;
  if (status >= 200 && status < 300) noteAccepted(runtime, account);
  return { kind: "answered", status, body };
}
