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
  /** For everything together, from here to the last byte of the answer. */
  readonly timeoutMs?: number;
  readonly bodyBytesMax?: number;
  /** Calls of different groups share no connections: none waits for another group's at one host. */
  readonly group?: string;
  /** Called off by it, the request ends with `egress.closed`. */
  readonly ticket?: RequestTicket;
};

/** The one way out to addresses that somebody else chose. */
export type GuardedHttp = {
  /** How many connections can be open at once, to all hosts together. */
  readonly connectionsMax: number;
  checkUrl(text: string): UrlCheck;
  /**
   * Any status is an answer, a redirect included: none is followed. Rejects with an `EgressError`, or
   * with the reason of the signal. How many requests run at once is up to the caller; those beyond
   * the connections of an origin wait for their turn, and the deadline runs meanwhile.
   */
  request(url: string | URL, request?: GuardedRequest): Promise<GuardedAnswer>;
  /** Ends what is under way with `egress.closed` and takes no more. */
  close(): Promise<void>;
};

export type GuardedHttpOptions = {
  readonly lookup?: Lookup;
  readonly connectTimeoutMs?: number;
  readonly connectionsPerOriginMax?: number;
  readonly connectionsMax?: number;
  /** PEM. Trusted instead of those that come with the runtime. */
  readonly certificateAuthorities?: readonly string[];
};

const TIMEOUT_MS = 30_000;
const BODY_BYTES_MAX = 65_536;
const CONNECT_TIMEOUT_MS = 5_000;
const CONNECTIONS_PER_ORIGIN_MAX = 32;
const CONNECTIONS_MAX = 256;

/** Addresses that were read and checked: most calls go where others went before. */
const TARGETS_KNOWN = 2_000;

type Target = { readonly origin: string; readonly path: string };

/** The connection is ours, and the host is the one that was checked. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
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
    },
  );
  const takeConnectMs = () => pools.takeConnectMs();
  const targets = new RecentMap<Target>(TARGETS_KNOWN);
  let isClosed = false;

  /** What a text says of itself never changes; the address behind a name is checked at each connection. */
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

    const origin = pools.take(target.origin, wanted.group ?? "");
    const exchange = new GuardedExchange({
      timeoutMs: wanted.timeoutMs ?? TIMEOUT_MS,
      bodyBytesMax: wanted.bodyBytesMax ?? BODY_BYTES_MAX,
      signal: wanted.signal,
      takeConnectMs,
      ticket: wanted.ticket,
      onFinished: () => pools.release(origin),
    });
    origin.pool.dispatch(
      {
        path: target.path,
        method: wanted.method ?? "GET",
        headers,
        body: wanted.body ?? null,
      },
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

function ownHeaders(given: Readonly<Record<string, string>> = {}): Record<string, string> {
  // What is unpacked by nobody should not be packed either.
  const headers: Record<string, string> = { "accept-encoding": "identity" };
  for (const [name, value] of Object.entries(given)) {
    const key = name.toLowerCase();
    if (OWN_HEADERS.has(key)) throw refused("request-not-valid");
    headers[key] = value;
  }
  return headers;
}
