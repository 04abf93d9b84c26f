import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
} from "jose";

type Owner = { after(work: () => Promise<void>): void };

export type SignOptions = {
  readonly header?: Record<string, unknown>;
  /** Sign with a key the issuer does not publish. */
  readonly unknownKey?: boolean;
};

export type OpenIdIssuer = {
  readonly url: string;
  /** Requests for each path so far. */
  readonly seen: ReadonlyMap<string, number>;
  sign(claims: JWTPayload, options?: SignOptions): Promise<string>;
  /** A new key, published at once; tokens signed before stay valid. */
  rotate(): Promise<void>;
};

type IssuerOptions = {
  readonly issuerSuffix?: string;
  readonly claimedIssuer?: string;
  /** Further members of the discovery document; addresses may begin with a slash. */
  readonly metadata?: Readonly<Record<string, unknown>>;
};

type Key = { readonly kid: string; readonly privateKey: CryptoKey; readonly publicJwk: JWK };

async function makeKey(kid: string): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  const publicJwk = { ...(await exportJWK(publicKey)), kid, alg: "RS256", use: "sig" };
  return { kid, privateKey, publicJwk };
}

function atIssuer(url: string, metadata: Readonly<Record<string, unknown>> = {}): object {
  const entries = Object.entries(metadata).map(([name, value]) => [
    name,
    typeof value === "string" && value.startsWith("/") ? `${url}${value}` : value,
  ]);
  return Object.fromEntries(entries);
}

/** A small OpenID issuer on a real socket: discovery document, keys, and tokens on demand. */
export async function startOpenIdIssuer(
  owner: Owner,
  options: IssuerOptions = {},
): Promise<OpenIdIssuer> {
  const keys = [await makeKey("k1")];
  const seen = new Map<string, number>();
  let url = "";
  const issuer = () => options.claimedIssuer ?? `${url}${options.issuerSuffix ?? ""}`;

  const server = createServer((request, response) => {
    const path = request.url ?? "";
    seen.set(path, (seen.get(path) ?? 0) + 1);
    const documents: Record<string, unknown> = {
      "/.well-known/openid-configuration": {
        issuer: issuer(),
        jwks_uri: `${url}/keys`,
        ...atIssuer(url, options.metadata),
      },
      "/keys": { keys: keys.map(({ publicJwk }) => publicJwk) },
    };
    const document = documents[path];
    response.writeHead(document === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(document ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  owner.after(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );

  return {
    url,
    seen,
    async sign(claims, { header, unknownKey } = {}) {
      const key = unknownKey === true ? await makeKey(`stranger-${Math.random()}`) : keys.at(-1);
      if (key === undefined) throw new Error("An issuer has a key.");
      const now = Math.floor(Date.now() / 1000);
      return await new SignJWT({ iss: issuer(), iat: now, exp: now + 3_600, ...claims })
        .setProtectedHeader({ alg: "RS256", kid: key.kid, typ: "JWT", ...header })
        .sign(key.privateKey);
    },
    async rotate() {
      keys.push(await makeKey(`k${keys.length + 1}`));
    },
  };
}
