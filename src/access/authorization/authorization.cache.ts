import { BriefCache } from "#kernel/brief-cache.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { findRecord, hashId } from "./authorization.repository.ts";

/** A model that the library does not have: grants that ended before their access tokens. */
export const ENDED_GRANT = "EndedGrant";
const GRANT_CLAIM = "grant";

/** The claim that names the grant of a token, as a hash because readers need no more. */
export function grantClaim(grantId: string | undefined): Record<string, string> {
  return grantId === undefined ? {} : { [GRANT_CLAIM]: hashId(grantId).toString("base64url") };
}

/**
 * Checks the grant of an access token, as of less than a second ago, because the token is not
 * stored. A grant ends when a code or refresh token is used twice, or when the person signs out.
 */
export function createGrantCheck(
  runtime: Runtime,
): (claims: Readonly<Record<string, unknown>>) => Promise<boolean> {
  const ended = new BriefCache(async (hash) => {
    const grantHash = Buffer.from(hash, "base64url");
    return (await findRecord(runtime, ENDED_GRANT, "id_hash", grantHash)) !== undefined;
  });
  return async ({ [GRANT_CLAIM]: hash }) => typeof hash !== "string" || !(await ended.get(hash));
}
