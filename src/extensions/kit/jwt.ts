import { errors, jwtVerify } from "jose";
import { isObject } from "#kernel/json.ts";
import { parseVendorJson } from "./values.ts";

/** `reason` is for the log: callers never see it. */
export type JwtVerdict =
  | { readonly ok: true; readonly claims: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly reason: string };

/** Clocks may differ by so much. */
const LEEWAY_SECONDS = 60;

/**
 * Reads a token that one of the secrets has signed by HMAC-SHA256, and no other algorithm: which one
 * it is, the token does not decide.
 */
export async function verifyJwt(
  token: string,
  secrets: readonly string[],
  now: Date,
): Promise<JwtVerdict> {
  let reason = "no secret is stored";
  for (const secret of secrets) {
    try {
      await jwtVerify(token, Buffer.from(secret), {
        algorithms: ["HS256"],
        clockTolerance: LEEWAY_SECONDS,
        currentDate: now,
      });
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      reason = error.code;
      continue;
    }
    // Read again, because numbers with many digits must keep them.
    const claims = parseVendorJson(Buffer.from(token.split(".")[1] ?? "", "base64url"));
    return isObject(claims) ? { ok: true, claims } : { ok: false, reason: "no claims" };
  }
  return { ok: false, reason };
}
