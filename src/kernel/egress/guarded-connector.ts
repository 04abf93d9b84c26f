import { isIP, type LookupFunction, connect as openTcp, type Socket } from "node:net";
import { connect as openTls } from "node:tls";
import type { buildConnector } from "undici";
import { connectFailure, EgressError, refused } from "./egress-error.ts";
import type { EgressPolicy } from "./egress-policy.ts";
import { leaveOutInterimAnswers } from "./interim-answers.ts";
import type { Lookup } from "./name-lookup.ts";

export type ConnectorOptions = {
  readonly policy: EgressPolicy;
  readonly lookup: Lookup;
  /** From the DNS query to the end of the TLS handshake. */
  readonly connectTimeoutMs: number;
  /** PEM certificates that are trusted instead of those of Node. */
  readonly certificateAuthorities: readonly string[] | undefined;
};

/** Receives an open connection and the time it took. */
export type Connected = (socket: Socket, connectMs: number) => void;

/**
 * After this time, the next address of the same name is tried; a distant server needs some 300 ms.
 */
const ADDRESS_TURN_MS = 1_000;
const TCP_KEEP_ALIVE_MS = 60_000;

/**
 * Opens a connection to an address that the policy allows, or fails with an `EgressError`. The name
 * is resolved here, and the connection goes to one of the checked addresses: a second DNS answer
 * between the check and the call is impossible.
 */
export function openGuarded(
  target: buildConnector.Options,
  options: ConnectorOptions,
  onOpen: Connected,
  onFailure: (error: EgressError) => void,
): Socket | undefined {
  // A literal IP address causes no lookup, so it must be checked here.
  const literal = isIP(target.hostname) === 0 ? undefined : target.hostname;
  if (literal !== undefined) {
    const check = options.policy.checkAddress(literal);
    if (!check.ok) {
      queueMicrotask(() => onFailure(refused(check.reason)));
      return undefined;
    }
  }
  const isSecure = target.protocol === "https:";
  const startedAt = performance.now();
  const socket = open(target, options);
  const timer = setTimeout(
    () => socket.destroy(new EgressError("egress.timeout")),
    options.connectTimeoutMs,
  );
  let isReached = false;
  // Checked before the TLS handshake, so that a wrong server does not even learn the host name.
  socket.prependOnceListener("connect", () => {
    isReached = true;
    const check = options.policy.checkAddress(socket.remoteAddress ?? "");
    if (check.ok) return;
    socket.destroy(refused(literal === undefined ? "name-not-allowed" : check.reason));
  });
  socket.once(isSecure ? "secureConnect" : "connect", () => {
    if (socket.destroyed) return;
    clearTimeout(timer);
    socket.off("error", fail);
    leaveOutInterimAnswers(socket);
    onOpen(socket, performance.now() - startedAt);
  });
  function fail(error: unknown): void {
    clearTimeout(timer);
    onFailure(connectFailure(error, isSecure && isReached));
  }
  socket.once("error", fail);
  return socket;
}

function open(target: buildConnector.Options, options: ConnectorOptions): Socket {
  const isSecure = target.protocol === "https:";
  const place = {
    host: target.hostname,
    port: Number(target.port || (isSecure ? 443 : 80)),
    lookup: guardLookup(options),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TURN_MS,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
  };
  if (!isSecure) return openTcp(place);
  const { certificateAuthorities: ca } = options;
  return openTls({
    ...place,
    ...(isIP(target.hostname) === 0 ? { servername: target.hostname } : {}),
    ...(ca === undefined ? {} : { ca: [...ca] }),
    ALPNProtocols: ["http/1.1"],
    minVersion: "TLSv1.2",
    // Set explicitly, because an environment variable of Node can switch the default off.
    rejectUnauthorized: true,
  });
}

function guardLookup({ lookup, policy }: ConnectorOptions): LookupFunction {
  return (hostname, { all }, done) => {
    resolveVetted(hostname, lookup, policy).then(
      (addresses) => {
        if (all === true) done(null, addresses);
        else done(null, addresses[0]?.address ?? "", addresses[0]?.family);
      },
      (error) => done(error, all === true ? [] : ""),
    );
  };
}

type VettedAddress = { readonly address: string; readonly family: number };

/**
 * A single refused address refuses the name: an honest name does not lead into internal networks.
 */
async function resolveVetted(
  hostname: string,
  lookup: Lookup,
  policy: EgressPolicy,
): Promise<VettedAddress[]> {
  const addresses = await lookup(hostname).catch(() => []);
  if (addresses.length === 0) throw new EgressError("egress.dns");
  if (!addresses.every((address) => policy.checkAddress(address).ok)) {
    // The reason does not name the class, so that callers cannot explore the names of a network.
    throw refused("name-not-allowed");
  }
  return addresses.map((address) => ({ address, family: isIP(address) }));
}
