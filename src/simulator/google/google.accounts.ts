import {
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
  randomInt,
  verify,
} from "node:crypto";
import { promisify } from "node:util";

/** A service account that the simulator handed out, and the issuer that it works for. */
export type Account = {
  readonly issuerId: string;
  readonly email: string;
  readonly keyId: string;
  readonly privateKeyPem: string;
  /** False for an account that nobody added to the issuer, which Google refuses with 403. */
  readonly hasAccess: boolean;
};

export type JwtClaims = Readonly<Record<string, unknown>>;

export const TOKEN_AUDIENCE = "https://oauth2.googleapis.com/token";
const SCOPE = "https://www.googleapis.com/auth/wallet_object.issuer";
const TOKEN_SECONDS = 3_600;
const TOKENS_MAX = 10_000;
const CLOCK_SKEW_SECONDS = 300;

const makeKeyPair = promisify(generateKeyPair);

export async function makeAccount(hasAccess: boolean): Promise<Account> {
  const { privateKey } = await makeKeyPair("rsa", { modulusLength: 2_048 });
  return {
    issuerId: `33880000${String(randomInt(10 ** 11)).padStart(11, "0")}`,
    email: `wallet-${randomBytes(3).toString("hex")}@billfold-simulator.iam.gserviceaccount.com`,
    keyId: randomBytes(20).toString("hex"),
    privateKeyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    hasAccess,
  };
}

/** The file that Google's console gives for a key of a service account. */
export function serviceAccountFile({ email, keyId, privateKeyPem }: Account): string {
  const content = {
    type: "service_account",
    project_id: "billfold-simulator",
    private_key_id: keyId,
    private_key: privateKeyPem,
    client_email: email,
    client_id: String(BigInt(`0x${keyId.slice(0, 16)}`)),
    auth_uri: "https://accounts.google.com/o/oauth2/auth",
    token_uri: TOKEN_AUDIENCE,
    auth_provider_x509_cert_url: "https://www.googleapis.com/oauth2/v1/certs",
    client_x509_cert_url: `https://www.googleapis.com/robot/v1/metadata/x509/${encodeURIComponent(email)}`,
    universe_domain: "googleapis.com",
  };
  return JSON.stringify(content, undefined, 2);
}

/** Knows the service accounts, checks what they sign, and gives them access tokens. */
export class Accounts {
  readonly #accounts: Account[];
  readonly #keys = new Map<string, KeyObject>();
  readonly #tokens = new Map<string, { readonly account: Account; readonly expiresAt: number }>();

  constructor(accounts: readonly Account[]) {
    this.#accounts = [...accounts];
  }

  get all(): readonly Account[] {
    return this.#accounts;
  }

  add(account: Account): void {
    this.#accounts.push(account);
  }

  /** The claims of a JWT that one of the accounts signed; a sentence if it is not good. */
  readSigned(jwt: string): { readonly account: Account; readonly claims: JwtClaims } | string {
    const [head = "", body = "", signature = "", ...more] = jwt.split(".");
    const [header, claims] = [readPart(head), readPart(body)];
    if (header === undefined || claims === undefined || more.length > 0) return "Malformed JWT.";
    if (header.alg !== "RS256") return "The JWT must be signed with RS256.";
    const account = this.#accounts.find(({ email }) => email === claims.iss);
    if (account === undefined) return "Invalid issuer: account not found.";
    const isGood = verify(
      "sha256",
      Buffer.from(`${head}.${body}`),
      this.#keyOf(account),
      Buffer.from(signature, "base64url"),
    );
    return isGood ? { account, claims } : "Invalid JWT Signature.";
  }

  /** RFC 7523: an access token for an assertion; a sentence if the assertion is not good. */
  grant(assertion: string): { readonly token: string; readonly seconds: number } | string {
    const read = this.readSigned(assertion);
    if (typeof read === "string") return read;
    const { account, claims } = read;
    const now = Date.now() / 1_000;
    const [issuedAt, expiresAt] = [Number(claims.iat), Number(claims.exp)];
    if (claims.aud !== TOKEN_AUDIENCE) return "Invalid JWT: wrong audience.";
    if (!String(claims.scope).split(" ").includes(SCOPE)) return "Invalid OAuth scope.";
    if (!(expiresAt > now - CLOCK_SKEW_SECONDS && issuedAt < now + CLOCK_SKEW_SECONDS)) {
      return "Invalid JWT: check your iat and exp values.";
    }
    if (expiresAt - issuedAt > TOKEN_SECONDS) return "Invalid JWT: exp is later than one hour.";
    const token = `ya29.${randomBytes(32).toString("base64url")}`;
    this.#tokens.set(token, { account, expiresAt: Date.now() + TOKEN_SECONDS * 1_000 });
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size > TOKENS_MAX && oldest !== undefined) this.#tokens.delete(oldest);
    return { token, seconds: TOKEN_SECONDS };
  }

  accountOfToken(token: string): Account | undefined {
    const known = this.#tokens.get(token);
    return known !== undefined && known.expiresAt > Date.now() ? known.account : undefined;
  }

  #keyOf({ email, privateKeyPem }: Account): KeyObject {
    let key = this.#keys.get(email);
    if (key === undefined) {
      key = createPublicKey(privateKeyPem);
      this.#keys.set(email, key);
    }
    return key;
  }
}

function readPart(part: string): JwtClaims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof value === "object" && value !== null ? (value as JwtClaims) : undefined;
  } catch {
    return undefined;
  }
}
