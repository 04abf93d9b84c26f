import { hash, randomBytes } from "node:crypto";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { type BrowserToken, KNOWN_DAYS } from "./known-browser.cookie.ts";
import * as browsers from "./known-browser.repository.ts";

const TOKEN_BYTES = 32;
const BROWSERS_PER_ACCOUNT_MAX = 20;

/**
 * Finds out whether the browser has signed in to this account before. There is no query without a
 * token, so the time shows what the browser sent and not which accounts exist.
 */
export async function findKnownBrowser(
  runtime: Runtime,
  email: string,
  tokens: readonly string[],
): Promise<browsers.KnownBrowser | undefined> {
  if (tokens.length === 0) return undefined;
  return await browsers.findKnownBrowser(runtime, email, tokens.map(hashToken));
}

/** Replaces the token at each sign-in, so that a copy of the cookie ends with the next one. */
export async function rememberBrowser(
  tx: TenantTx,
  administratorId: string,
  previous?: browsers.KnownBrowser,
): Promise<BrowserToken> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const expiresAt = new Date(tx.now.getTime() + KNOWN_DAYS * 86_400_000);
  if (previous !== undefined) await browsers.deleteKnownBrowser(tx, previous.tokenHash);
  await browsers.insertKnownBrowser(
    tx,
    { tokenHash: hashToken(token), administratorId },
    expiresAt,
  );
  await browsers.deleteOldestBrowsers(tx, administratorId, BROWSERS_PER_ACCOUNT_MAX);
  return { administratorId, token };
}

function hashToken(token: string): Buffer {
  return hash("sha256", token, "buffer");
}
