import { SignJWT } from "jose";
import type { GoogleAccount } from "./google-account.ts";

type Signer = Pick<GoogleAccount, "clientEmail" | "keyId" | "key">;

type Token = {
  readonly audience: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly now: Date;
  /** Undefined for a token that does not end. */
  readonly seconds?: number;
};

/** A token that the service account signs, as Google takes it. */
export function signToken(
  { clientEmail, keyId, key }: Signer,
  { audience, claims, now, seconds }: Token,
): Promise<string> {
  const issuedAt = Math.floor(now.getTime() / 1_000);
  const kid = keyId === undefined ? {} : { kid: keyId };
  const token = new SignJWT({ ...claims })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", ...kid })
    .setIssuer(clientEmail)
    .setAudience(audience)
    .setIssuedAt(issuedAt);
  return (seconds === undefined ? token : token.setExpirationTime(issuedAt + seconds)).sign(key);
}
