import type { TenantContext } from "#kernel/context.ts";
import { ProblemError } from "#kernel/errors.ts";
import { parseJson } from "#kernel/json.ts";
import { findPassesForUpdate, noteDevices } from "#src/passes/public.ts";
import { googleUnavailable } from "../google.errors.ts";
import { type GoogleAccount, googleAccountOf } from "../google-account.ts";
import { findPassId, updateSaved } from "../objects/object.repository.ts";
import { callbackForged, callbackMalformed } from "./callback.errors.ts";
import { insertNonce } from "./callback.repository.ts";
import { type SignedCallback, verifyCallback } from "./callback.verification.ts";
import { rootKeysOf } from "./root-key.client.ts";

const NONCE_LENGTH_MAX = 200;

/**
 * Takes a callback of Google: somebody saved a pass, or removed it. Google may send one several
 * times; only the first counts.
 */
export async function takeCallback(context: TenantContext, body: Buffer): Promise<void> {
  const { issuerId, isDemo } = await accountOf(context);
  const keys = await rootKeysOf(context.runtime, isDemo);
  // Google repeats what is answered so, and nobody knows whether this one is forged.
  if (keys === undefined) throw googleUnavailable().because("no root keys");
  const verified = verifyCallback(
    parseJson(body.toString("utf8")),
    issuerId,
    keys,
    context.clock.now(),
  );
  if (!verified.ok) {
    const { fault, reason } = verified;
    const { tenantId } = context;
    context.log.warn({ tenantId, fault, reason }, "a callback of Google Wallet was refused");
    throw fault === "forged" ? callbackForged() : callbackMalformed();
  }
  await record(context, verified.callback);
}

/** The caller is anybody, and hears nothing of how the tenant is set up, nor whether it exists. */
async function accountOf(context: TenantContext): Promise<GoogleAccount> {
  try {
    return await googleAccountOf(context);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status >= 500) throw error;
    const facts = { tenantId: context.tenantId, reason: error.message };
    context.log.warn(facts, "a callback of Google Wallet came for a tenant without an account");
    throw callbackForged();
  }
}

async function record(context: TenantContext, callback: SignedCallback): Promise<void> {
  const { objectId, eventType, nonce, expiresAt } = callback;
  if (nonce.length > NONCE_LENGTH_MAX) throw callbackMalformed();
  await context.transaction(async (tx) => {
    if (!(await insertNonce(tx, nonce, new Date(expiresAt)))) return;
    // Another system may use the same issuer, so a pass that is not ours is no mistake.
    const passId = await findPassId(tx, objectId);
    if (passId === undefined) return;
    // The pass is locked before its object, as by everybody else: an erasure that comes at the same
    // time would otherwise wait for this transaction while this one waits for it.
    await findPassesForUpdate(tx, [passId]);
    const saved = await updateSaved(tx, objectId, eventType === "save");
    if (saved !== undefined) await noteDevices(tx, { wallet: "google", ...saved });
  });
}
