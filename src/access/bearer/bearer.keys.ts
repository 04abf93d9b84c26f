import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  type FetchImplementation,
  type JWTVerifyGetKey,
  errors as joseErrors,
} from "jose";
import { messageOf } from "#kernel/errors.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { loadPublicKeys } from "../authorization/authorization.keys.ts";

const TIMEOUT_MS = 5_000;
/** After a token with an unknown key, keys are loaded again, but not more often than this. */
const COOLDOWN_MS = 30_000;
const DOCUMENT_SIZE_BYTES_MAX = 256 * 1024;

/** The keys of the built-in issuer, read from the database again if a token names a new key. */
export function localKeys(runtime: Runtime): JWTVerifyGetKey {
  let known: { keys: JWTVerifyGetKey; loadedAt: number } | undefined;

  async function load(): Promise<JWTVerifyGetKey> {
    const keys = createLocalJWKSet({ keys: await loadPublicKeys(runtime) });
    known = { keys, loadedAt: performance.now() };
    return keys;
  }

  return async (header, token) => {
    const keys = known?.keys ?? (await load());
    try {
      return await keys(header, token);
    } catch (error) {
      const isOld = known === undefined || performance.now() - known.loadedAt > COOLDOWN_MS;
      if (!(error instanceof joseErrors.JWKSNoMatchingKey) || !isOld) throw error;
      return await (await load())(header, token);
    }
  };
}

export type ForeignIssuer = {
  /** Exactly as tokens write it: some issuers end in a slash. */
  readonly issuer: string;
  readonly keys: JWTVerifyGetKey;
  /** Undefined if the discovery document has no such endpoint, or one without https. */
  readonly authorizationEndpoint: string | undefined;
  readonly tokenEndpoint: string | undefined;
  readonly responseTypes: readonly unknown[] | undefined;
};

/** Reads the discovery document of another issuer at first use, and keeps it. */
export function foreignIssuer(
  issuer: string,
  runtime: Pick<Runtime, "log">,
): () => Promise<ForeignIssuer> {
  const ask = askSparingly(issuer, runtime);
  let found: Promise<ForeignIssuer> | undefined;

  return () => {
    found ??= ask("no discovery document", () => discover(issuer, ask)).catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return found;
  };
}

/** The token of the caller may be valid: nothing is known about it. */
export class IssuerUnavailable extends Error {}

type Ask = <Answer>(missing: string, load: () => Promise<Answer>) => Promise<Answer>;

/** After a failure, the issuer is not asked again for a few seconds. */
function askSparingly(issuer: string, { log }: Pick<Runtime, "log">): Ask {
  let failedAt = Number.NEGATIVE_INFINITY;

  return async (missing, load) => {
    if (performance.now() - failedAt < TIMEOUT_MS) {
      throw new IssuerUnavailable("not asked again yet");
    }
    try {
      return await load();
    } catch (error) {
      failedAt = performance.now();
      log.error({ issuer, reason: messageOf(error) }, "the OpenID issuer cannot be used");
      throw new IssuerUnavailable(missing, { cause: error });
    }
  };
}

async function discover(configured: string, ask: Ask): Promise<ForeignIssuer> {
  const base = configured.replace(/\/+$/, "");
  const response = await fetch(`${base}/.well-known/openid-configuration`, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    redirect: "error",
    headers: { accept: "application/json" },
  });
  if (!response.ok) throw new Error(`The discovery document answers ${response.status}.`);
  const text = await readText(response, "discovery document");
  const { issuer, jwks_uri: address, ...rest } = JSON.parse(text) as Record<string, unknown>;
  if (issuer !== base && issuer !== `${base}/`) {
    throw new Error("The discovery document is of another issuer.");
  }
  const usable = (value: unknown) =>
    typeof value === "string" && isAcceptable(value, base) ? value : undefined;
  const keysAddress = usable(address);
  if (keysAddress === undefined) throw new Error("The discovery document has no usable jwks_uri.");
  const keys = createRemoteJWKSet(new URL(keysAddress), {
    timeoutDuration: TIMEOUT_MS,
    cooldownDuration: COOLDOWN_MS,
    [customFetch]: (...request) => ask("no keys", () => loadKeys(...request)),
  });
  return {
    issuer,
    keys,
    authorizationEndpoint: usable(rest.authorization_endpoint),
    tokenEndpoint: usable(rest.token_endpoint),
    responseTypes: Array.isArray(rest.response_types_supported)
      ? rest.response_types_supported
      : undefined,
  };
}

/**
 * Checks the answer here, because the errors of jose for an answer that is no set of keys look
 * like errors of the token.
 */
async function loadKeys(...[address, options]: Parameters<FetchImplementation>): Promise<Response> {
  const response = await fetch(address, options);
  if (response.status !== 200) throw new Error(`The address of keys answers ${response.status}.`);
  const keys = JSON.parse(await readText(response, "set of keys"));
  createLocalJWKSet(keys);
  return Response.json(keys);
}

async function readText(response: Response, name: string): Promise<string> {
  const text = await response.text();
  if (text.length > DOCUMENT_SIZE_BYTES_MAX) throw new Error(`The ${name} is too large.`);
  return text;
}

/** Requires https, unless the issuer itself has http: others could replace unprotected keys. */
function isAcceptable(address: string, issuer: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol } = new URL(address);
  return protocol === "https:" || (protocol === "http:" && issuer.startsWith("http:"));
}
