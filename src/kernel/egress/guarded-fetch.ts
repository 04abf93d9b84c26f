import { RecentMap } from "../recent-map.ts";
import { EgressError, refused } from "./egress-error.ts";
import type { EgressPolicy, UrlCheck } from "./egress-policy.ts";
import { type GuardedAnswer, GuardedExchange } from "./guarded-exchange.ts";
import { createLookup, type Lookup } from "./name-lookup.ts";
import { OriginPools } from "./origin-pools.ts";
import type { RequestTicket } from "./request-ticket.ts";

export type GuardedRequest = {
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** The deadline for everything, from the call to the last byte of the answer. */
  readonly timeoutMs?: number;
  readonly bodyBytesMax?: number;
  /**
   * Calls of different groups share no connections, so no group waits for another one's at a host.
   */
  readonly group?: string;
  /** A request that is called off by its ticket ends with `egress.closed`. */
  readonly ticket?: RequestTicket;
};

/** The only way to call addresses that other people chose. */
export type GuardedHttp = {
  /** The limit of open connections to all hosts together. */
  readonly connectionsMax: number;
  checkUrl(text: string): UrlCheck;
  /**
   * Any status is an answer, including a redirect, which is not followed. Rejects with an
   * `EgressError`, or with the reason of the signal. The caller decides how many requests run at
   * once; requests beyond the connections of an origin wait in turn, and their deadline runs
   * meanwhile.
   */
  request(url: string | URL, request?: GuardedRequest): Promise<GuardedAnswer>;
  /** Ends all requests with `egress.closed` and accepts no more. */
  close(): Promise<void>;
};

export type GuardedHttpOptions = {
  readonly lookup?: Lookup;
  readonly connectTimeoutMs?: number;
  readonly connectionsPerOriginMax?: number;
  readonly connectionsMax?: number;
  readonly connectionAgeMsMax?: number;
  /** PEM certificates that are trusted instead of those of Node. */
  readonly certificateAuthorities?: readonly string[];
};

const TIMEOUT_MS = 30_000;
const BODY_BYTES_MAX = 65_536;
const CONNECT_TIMEOUT_MS = 5_000;
const CONNECTIONS_PER_ORIGIN_MAX = 32;
const CONNECTIONS_MAX = 256;
const CONNECTION_AGE_MS_MAX = 300_000;

/** The number of checked URLs that are remembered: most calls go to the same few. */
const TARGETS_KNOWN = 2_000;

type Target = { readonly origin: string; readonly path: string };

/**
 * Headers that callers may not set: the connection is managed here, the host is the checked one,
 * and answers are not decompressed.
 */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

export function createGuardedHttp(
  policy: EgressPolicy,
  options: GuardedHttpOptions = {},
): GuardedHttp {
  const { connectionsMax = CONNECTIONS_MAX } = options;
  const pools = new OriginPools(
    {
      policy,
      lookup: options.lookup ?? createLookup(),
      connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      certificateAuthorities: options.certificateAuthorities,
    },
    {
      connectionsPerOriginMax: options.connectionsPerOriginMax ?? CONNECTIONS_PER_ORIGIN_MAX,
      connectionsMax,
      connectionAgeMsMax: options.connectionAgeMsMax ?? CONNECTION_AGE_MS_MAX,
    },
  );
  const takeConnectMs = () => pools.takeConnectMs();
  const targets = new RecentMap<Target>(TARGETS_KNOWN);
  let isClosed = false;

  /**
   * The check of a URL's text never changes, so it is cached; IP addresses are checked at each
   * connection.
   */
  function targetOf(address: string): Target {
    const known = targets.get(address);
    if (known !== undefined) return known;
    const check = policy.checkUrl(address);
    if (!check.ok) throw refused(check.reason);
    const { origin, pathname, search } = check.url;
    const target = { origin, path: `${pathname}${search}` };
    targets.set(address, target);
    return target;
  }

  async function request(address: string | URL, wanted: GuardedRequest = {}) {
    wanted.signal?.throwIfAborted();
    if (isClosed || wanted.ticket?.isCalledOff) throw new EgressError("egress.closed");
    const target = targetOf(String(address));
    const headers = ownHeaders(wanted.headers);
    const exchange = new GuardedExchange({
      timeoutMs: wanted.timeoutMs ?? TIMEOUT_MS,
      bodyBytesMax: wanted.bodyBytesMax ?? BODY_BYTES_MAX,
      signal: wanted.signal,
      takeConnectMs,
      ticket: wanted.ticket,
    });
    const { method = "GET", body = null } = wanted;
    pools.send(
      target.origin,
      wanted.group ?? "",
      { path: target.path, method, headers, body },
      exchange,
    );
    return await exchange.answer;
  }

  return {
    connectionsMax,
    checkUrl: (text) => policy.checkUrl(text),
    request,
    async close() {
      isClosed = true;
      await pools.close();
    },
  };
}

/** Names and values in turn: undici reads such a list faster than an object. */
function ownHeaders(given: Readonly<Record<string, string>> = {}): string[] {
  // Answers are never decompressed, so uncompressed ones are requested.
  const headers = ["accept-encoding", "identity"];
  for (const name in given) {
    const key = name.toLowerCase();
    if (OWN_HEADERS.has(key)) throw refused("request-not-valid");
    headers.push(key, given[name] ?? "");
  }
  return headers;
}
