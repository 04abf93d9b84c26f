import {
  type JWTPayload,
  type JWTVerifyGetKey,
  errors as joseErrors,
  jwtVerify,
  type ProtectedHeaderParameters,
} from "jose";
import type { Clock } from "#kernel/clock.ts";

/** A token must not choose its algorithm: with HMAC, a public key would be a shared secret. */
const ALGORITHMS = ["ES256", "RS256", "PS256", "EdDSA"];
const SKEW_SECONDS = 60;
const TOKEN_CHARACTERS_MAX = 16 * 1024;
const ACCESS_TOKEN_TYPE = "at+jwt";
const FOREIGN_TYPES: ReadonlySet<string | undefined> = new Set([undefined, "jwt", "at+jwt"]);
/** Claims that only id tokens have. Many issuers do not mark the type of their tokens. */
const ID_TOKEN_CLAIMS = ["nonce", "at_hash", "c_hash", "s_hash"];

export type TokenRules = {
  readonly issuer: string;
  readonly audience: string;
  /** The built-in issuer marks access tokens by their type; other issuers seldom do. */
  readonly builtIn: boolean;
  readonly keys: JWTVerifyGetKey;
  readonly clock: Clock;
};

export type CheckedToken = JWTPayload & {
  readonly sub: string;
  readonly iat: number;
  readonly exp: number;
};

/** The reason is for the log only: callers get the same answer for every reason. */
export class TokenRefused extends Error {}

/** Returns the claims if the token is valid now, for this API and from this issuer. */
export async function checkToken(token: string, rules: TokenRules): Promise<CheckedToken> {
  if (token.length > TOKEN_CHARACTERS_MAX) throw new TokenRefused("too long");
  const { payload, protectedHeader } = await verify(token, rules);
  requireAccessToken(payload, protectedHeader, rules);
  const { sub, iat, exp } = payload;
  if (sub === undefined || sub === "" || iat === undefined || exp === undefined) {
    throw new TokenRefused("lacks sub, iat or exp");
  }
  if (iat > rules.clock.now().getTime() / 1000 + SKEW_SECONDS) {
    throw new TokenRefused("issued in the future");
  }
  return { ...payload, sub, iat, exp };
}

async function verify(token: string, rules: TokenRules) {
  try {
    return await jwtVerify(token, rules.keys, {
      algorithms: ALGORITHMS,
      issuer: rules.issuer,
      audience: rules.audience,
      clockTolerance: SKEW_SECONDS,
      currentDate: rules.clock.now(),
      requiredClaims: ["sub", "iat", "exp"],
    });
  } catch (error) {
    if (error instanceof joseErrors.JOSEError || error instanceof TypeError) {
      throw new TokenRefused(error.message, { cause: error });
    }
    throw error;
  }
}

function requireAccessToken(
  payload: JWTPayload,
  header: ProtectedHeaderParameters,
  { builtIn }: TokenRules,
): void {
  if ("crit" in header) throw new TokenRefused("critical extension");
  const type = header.typ?.toLowerCase().replace(/^application\//, "");
  if (builtIn) {
    if (type !== ACCESS_TOKEN_TYPE) throw new TokenRefused("not an access token");
    return;
  }
  if (!FOREIGN_TYPES.has(type)) throw new TokenRefused("not an access token");
  if (ID_TOKEN_CLAIMS.some((claim) => claim in payload)) throw new TokenRefused("an id token");
}
