import { timingSafeEqual } from "node:crypto";
import { type Actor, EVERY_SCOPE } from "#kernel/actor.ts";
import { messageOf, ProblemError } from "#kernel/errors.ts";
import type { HttpPorts } from "#kernel/http/ports.ts";
import { problem } from "#kernel/http/problem.ts";
import type { Runtime } from "#kernel/runtime.ts";
import {
  API_KEY_SIGNAL,
  findActiveKey,
  findActiveKeys,
  hashToken,
  parseToken,
  recordKeyUse,
  type TokenKind,
} from "#src/api-keys/public.ts";
import { AddressCounter } from "./address-counter.ts";
import { KeyCache, type KnownKey, knownKey } from "./key-cache.ts";
import { KeyQueue } from "./key-queue.ts";
import { LastUsed } from "./last-used.ts";

/** Gets the token without the word `Bearer`. An error with status 401 is counted as a failure. */
export type BearerVerifier = (token: string, tenantId: string | undefined) => Promise<Actor>;

export type AuthenticatorOptions = {
  operatorKeyHash(): Buffer;
  readonly verifyBearer: BearerVerifier;
  /** After so many refused credentials of an address in a minute, refusals have status 429. */
  readonly failuresPerMinuteMax?: number;
};

export type Authenticator = {
  readonly authenticate: HttpPorts["authenticate"];
  /** Writes the last uses of keys. Must be called while the database is still open. */
  stop(): Promise<void>;
};

const FAILURES_PER_MINUTE_MAX = 300;
const FLUSH_MS = 10_000;
const CREDENTIAL_CHARS_MAX = 255;
const BEARER = /^Bearer +([^\s,]+)$/i;
const CHALLENGE = 'Bearer realm="Billfold", ApiKey realm="Billfold", header="X-API-KEY"';

const OPERATOR: Actor = {
  kind: "operator",
  id: "operator",
  scopes: EVERY_SCOPE,
  reach: "everywhere",
  scopeNames: new Map(),
  credentialId: "operator",
};

export function createAuthenticator(
  runtime: Runtime,
  options: AuthenticatorOptions,
): Authenticator {
  const now = () => performance.now();
  const keys = openKeys(runtime, now);
  const failures = new AddressCounter(options.failuresPerMinuteMax ?? FAILURES_PER_MINUTE_MAX, now);
  const lastUsed = new LastUsed((uses) => recordKeyUse(runtime, uses));
  const timer = setInterval(() => void flush(), FLUSH_MS).unref();

  async function flush(): Promise<void> {
    try {
      await lastUsed.flush();
    } catch (error) {
      runtime.log.warn({ reason: messageOf(error) }, "last use of keys not written, tried again");
    }
  }

  /** Returns no promise for a cached key, because that is the most frequent case. */
  function byKey(token: string, tenantId: string | undefined, ip: string): Actor | Promise<Actor> {
    if (token === "" || token.length > CREDENTIAL_CHARS_MAX)
      throw refuse(failures, ip).because("no key");
    const hash = hashToken(token);
    const known = keys.fresh(hash);
    if (known !== undefined) return accept(known, tenantId, ip);
    if (timingSafeEqual(hash, options.operatorKeyHash())) return OPERATOR;
    const facts = parseToken(token);
    if (facts?.environment !== runtime.environment) {
      throw refuse(failures, ip).because("not a key of this environment");
    }
    // Also done for an address over its limit: people with valid keys may share the address.
    const loading = keys.load(hash, facts.kind, failures.isExhausted(ip));
    return loading.then((found) => accept(found, tenantId, ip));
  }

  function accept(known: KnownKey | undefined, tenantId: string | undefined, ip: string): Actor {
    if (known === undefined) throw refuse(failures, ip).because("no such key, or it has ended");
    if (tenantId !== undefined && known.tenantId !== tenantId) {
      throw refuse(failures, ip).because("a key of another tenant");
    }
    lastUsed.note(known.tenantId, known.keyId, runtime.clock.now().getTime());
    return known.actor;
  }

  async function byBearer(
    header: string,
    tenantId: string | undefined,
    ip: string,
  ): Promise<Actor> {
    if (KEY_IN_HEADER.test(header)) throw refuse(failures, ip, SENT_KEY_AS_TOKEN);
    const token = BEARER.exec(header)?.[1];
    if (token === undefined) throw refuse(failures, ip);
    try {
      // Tokens are checked also for an address over its limit: a forged token costs no query, and
      // refusing all tokens would lock out everybody behind the same proxy.
      return await options.verifyBearer(token, tenantId);
    } catch (error) {
      if (!(error instanceof ProblemError && error.status === 401)) throw error;
      if (failures.isExhausted(ip)) throw tooMany(failures, ip);
      failures.record(ip);
      throw error;
    }
  }

  return {
    authenticate({ apiKey, bearer, ip }, tenantId) {
      // If one of two credentials were accepted, the caller would not know which one.
      if (apiKey !== undefined && bearer !== undefined) throw refuse(failures, ip, SENT_BOTH);
      if (apiKey !== undefined) return byKey(apiKey, tenantId, ip);
      if (bearer !== undefined) return byBearer(bearer, tenantId, ip);
      throw unauthenticated(SENT_NONE);
    },
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}

/**
 * The cache of keys, which forgets the keys of a tenant when one of them changes. Keys of devices
 * are never cached: a tablet that is stolen must stop with the answer that deletes it, on every
 * node, and a signal to the other nodes arrives later than that answer. They are looked up by a
 * query that begins after the request did, one query for all that wait.
 */
function openKeys({ db, signals }: Runtime, now: () => number) {
  const findKeys = (hashes: readonly Buffer[]) => findActiveKeys(db, hashes);
  const cache = new KeyCache({ now, find: (_, hash) => findActiveKey(db, hash) });
  const guesses = new KeyQueue(findKeys);
  const devices = new KeyQueue(findKeys);
  signals.on(API_KEY_SIGNAL, (tenantId) => cache.forgetTenant(tenantId));
  signals.onGap(() => cache.forgetAll());
  return {
    fresh: (hash: Buffer) => cache.fresh(textOf(hash)),
    async load(hash: Buffer, kind: TokenKind, isFromGuesser: boolean) {
      const hashText = textOf(hash);
      if (kind === "device") {
        const found = await (isFromGuesser ? guesses : devices).find(hashText, hash);
        return found && knownKey(found, 0);
      }
      return isFromGuesser
        ? await cache.load(hashText, hash, (...key) => guesses.find(...key))
        : await cache.load(hashText, hash);
    },
  };
}

function textOf(hash: Buffer): string {
  return hash.toString("latin1");
}

const SENT_NONE = "Send an API key in X-API-KEY or an access token in Authorization.";
/** Matches an API key in `Authorization`, with any word before the key or none. */
const KEY_IN_HEADER = /^(\w+ +)?bf_/;
const SENT_KEY_AS_TOKEN =
  "This is an API key, not an access token. Send it in the header X-API-KEY, without Authorization.";
const SENT_BOTH = "Send either X-API-KEY or Authorization, not both.";
/** The same text for every reason, so that callers do not learn which tenants and keys exist. */
const NOT_VALID =
  "The credential is not valid here: it is wrong, expired, revoked or of another tenant.";

function unauthenticated(detail: string): ProblemError {
  return problem("unauthenticated", detail, { headers: { "www-authenticate": CHALLENGE } });
}

function refuse(failures: AddressCounter, ip: string, detail = NOT_VALID): ProblemError {
  if (failures.isExhausted(ip)) return tooMany(failures, ip);
  failures.record(ip);
  return unauthenticated(detail);
}

function tooMany(failures: AddressCounter, ip: string): ProblemError {
  const { limit, windowSeconds } = failures;
  const seconds = failures.secondsLeft(ip);
  return problem(
    "rateLimited",
    `Too many refused credentials from this address. Try again in ${seconds} seconds.`,
    {
      headers: {
        "retry-after": String(seconds),
        "ratelimit-policy": `"authentication";q=${limit};w=${windowSeconds}`,
        ratelimit: `"authentication";r=0;t=${seconds}`,
      },
    },
  );
}
