import { timingSafeEqual } from "node:crypto";
import type { TenantContext } from "#kernel/context.ts";
import { isTenantId } from "#kernel/db/scope.ts";
import { ProblemError } from "#kernel/errors.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { getPass, type Pass, passNotFound } from "#src/passes/public.ts";
import { tenantCacheOf } from "#src/tenants/public.ts";
import { findIssue } from "../bundle/bundle.repository.ts";
import { appleBundleWith, appleTokenOf } from "../bundle/bundle.service.ts";
import { noteFetch, noteIssued } from "../deliveries/delivery.service.ts";
import { applePassTypeOf } from "../signing/apple-signer.ts";

/** Names that no tenant can have are not looked up. */
export async function isKnownTenant(runtime: Runtime, tenantId: string): Promise<boolean> {
  return isTenantId(tenantId) && (await tenantCacheOf(runtime).find(tenantId)) !== undefined;
}

/** What a device says about the pass that it holds. */
export type Claim = {
  readonly passTypeIdentifier: string;
  readonly passId: string;
  readonly token: string | undefined;
};

/**
 * The pass, if the device proves that it holds it. An unknown pass or pass type and a wrong token end
 * in the same way, so that nobody can find out which passes exist.
 */
export async function findHeldPass(
  context: TenantContext,
  claim: Claim,
): Promise<Pass | undefined> {
  const pass = await findPassOfToken(context, claim);
  return pass !== undefined && (await isOfType(context, claim)) ? pass : undefined;
}

/** The pass with this serial number and pass type, for what a device may do without a proof. */
export async function findNamedPass(
  context: TenantContext,
  claim: Claim,
): Promise<Pass | undefined> {
  return (await isOfType(context, claim)) ? await findPass(context, claim.passId) : undefined;
}

async function isOfType(context: TenantContext, { passTypeIdentifier }: Claim): Promise<boolean> {
  return (await applePassTypeOf(context)) === passTypeIdentifier;
}

/** The same for any pass type: a device may leave a pass whose type has changed since it came. */
export async function findPassOfToken(
  context: TenantContext,
  { passId, token }: Claim,
): Promise<Pass | undefined> {
  if (token === undefined) return undefined;
  const pass = await findPass(context, passId);
  return pass !== undefined && isTokenOf(pass, token) ? pass : undefined;
}

/** Takes the same time wherever the two differ, so that a token cannot be guessed bit by bit. */
function isTokenOf(pass: Pass, sent: string): boolean {
  const [expected, given] = [Buffer.from(appleTokenOf(pass)), Buffer.from(sent)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}

async function findPass(context: TenantContext, passId: string): Promise<Pass | undefined> {
  try {
    return await getPass(context, passId);
  } catch (error) {
    if (error instanceof ProblemError && error.code === passNotFound.code) return undefined;
    throw error;
  }
}

export type LatestPass = {
  /** Never later than `now`, when it was read. */
  readonly lastModified: Date;
  readonly now: Date;
  /** Undefined if the device has this content already. */
  readonly bytes: Buffer | undefined;
  /** Ends the delivery of the device: not for one that only asks whether there is a content. */
  readonly noteArrival: () => Promise<void>;
};

/** The newest content of the pass; undefined if the device may not have it. */
export async function fetchLatestPass(
  context: TenantContext,
  claim: Claim,
  { since, from }: { readonly since: Date | undefined; readonly from: string },
): Promise<LatestPass | undefined> {
  // Read before the pass: a content is then never older than the revision it is counted for.
  const { state, message, isAwaited } = await findIssue(context, claim.passId);
  const pass = await findHeldPass(context, claim);
  if (pass === undefined) return undefined;
  const bundle = await appleBundleWith(context, pass, message);
  const modifiedAt = await noteIssued(context, pass, bundle, state);
  const isKnown = since !== undefined && since >= modifiedAt;
  const revision = state?.revision ?? 1;
  const noteArrival = async () => {
    if (isAwaited) await context.transaction((tx) => noteFetch(tx, pass, revision, from));
  };
  // The clock of another process may be ahead, and so were the times of former releases.
  const now = context.clock.now();
  const lastModified = new Date(Math.min(modifiedAt.getTime(), now.getTime()));
  return { lastModified, now, bytes: isKnown ? undefined : bundle.bytes, noteArrival };
}
