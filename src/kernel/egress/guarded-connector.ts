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
  /** From the question to the name server to the end of the TLS handshake. */
  readonly connectTimeoutMs: number;
  /** PEM. Trusted instead of those that come with the runtime. */
  readonly certificateAuthorities: readonly string[] | undefined;
};

/** Hands over an open connection together with the time it took. */
export type Connected = (socket: Socket, connectMs: number) => void;

/** Another address of the same name gets its turn after this long; a far one needs some 300 ms. */
const ADDRESS_TURN_MS = 1_000;
const TCP_KEEP_ALIVE_MS = 60_000;

/**
 * Opens a connection to an address that the policy allows, or fails with an `EgressError`. The name is
 * resolved here and the connection goes to one of the addresses that were judged, so there is no
 * second answer of a name server between the judgement and the call.
 */
export function openGuarded(
  target: buildConnector.Options,
  options: ConnectorOptions,
  onOpen: Connected,
  onFailure: (error: EgressError) => void,
): Socket | undefined {
  // No lookup takes place for an address that is written out: it is judged here or nowhere.
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
  // Before the handshake begins: to a wrong address not even the name we look for is told.
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
    // Said aloud, because an environment variable of the runtime can switch the default off.
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

/** One bad address refuses all: a name that leads inside is not an honest one. */
async function resolveVetted(
  hostname: string,
  lookup: Lookup,
  policy: EgressPolicy,
): Promise<VettedAddress[]> {
  const addresses = await lookup(hostname).catch(() => []);
  if (addresses.length === 0) throw new EgressError("egress.dns");
  if (!addresses.every((address) => policy.checkAddress(address).ok)) {
    // Which class it is stays with us: names inside a network are not for outsiders to map.
    throw refused("name-not-allowed");
  }
  return addresses.map((address) => ({ address, family: isIP(address) }));
}
