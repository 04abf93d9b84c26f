import { BriefCache } from "#kernel/brief-cache.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { findRecord, hashId } from "./authorization.repository.ts";

/** Kept beside what the library keeps: grants that ended before the tokens made from them. */
export const ENDED_GRANT = "EndedGrant";
const GRANT_CLAIM = "grant";

/** Says in a token which grant it was made from; by a hash, because whoever reads it needs no more. */
export function grantClaim(grantId: string | undefined): Record<string, string> {
  return grantId === undefined ? {} : { [GRANT_CLAIM]: hashId(grantId).toString("base64url") };
}

/**
 * Access tokens are signed and kept nowhere, so their grant is asked for, as of less than a second
 * ago: it ends when a code or a refresh token is used twice, and when the person signs out.
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
