import ipaddr from "ipaddr.js";
import type { Environment } from "#kernel/environment.ts";
import { type AddressClass, classifyAddress } from "./address-class.ts";

/** Why a call is refused. Callers store these reasons: add, never rename. */
export type EgressRefusal =
  | "url-not-valid"
  | "url-too-long"
  | "scheme-not-allowed"
  | "host-missing"
  | "https-required"
  | "credentials-in-url"
  | "port-not-allowed"
  | "name-not-allowed"
  | "request-not-valid"
  | `address-${Exclude<AddressClass, "public">}`;

type Refused = { readonly ok: false; readonly reason: EgressRefusal };
export type UrlCheck = { readonly ok: true; readonly url: URL } | Refused;
export type AddressCheck = { readonly ok: true } | Refused;

export type EgressPolicy = {
  /**
   * Checks everything that needs no name server. Called when a person enters an address, so that an
   * address that can never be called is refused at once.
   */
  checkUrl(text: string): UrlCheck;
  /** Checks every IP address before a connection to it, and again after it was opened. */
  checkAddress(address: string): AddressCheck;
};

export type EgressSettings = {
  readonly environment: Environment;
  /** Further networks in CIDR notation that may be called (`EGRESS_ALLOW`). */
  readonly allowNetworks: readonly string[];
};

const URL_LENGTH_MAX = 2_048;
const NAME_LENGTH_MAX = 253;

/**
 * The classes that an operator may allow. The other classes are never allowed: nothing answers
 * there, or the answer contains the credentials of the machine.
 */
const OPENABLE: ReadonlySet<AddressClass> = new Set([
  "private",
  "loopback",
  "shared",
  "benchmarking",
  "documentation",
]);

/**
 * Ports of other protocols, from the Fetch standard ("bad port"); always refused. Allowing only 443
 * would be safer still, but real receivers use 8443 and similar ports, and the guard already
 * refuses internal networks on every port.
 */
const PORTS_REFUSED: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10_080,
]);

/**
 * Below this number, IANA assigns each port to one protocol; only the two ports of HTTP are
 * allowed.
 */
const ASSIGNED_BELOW = 1_024;
const PORTS_OF_HTTP: ReadonlySet<number> = new Set([80, 443]);

/**
 * Further ports on which nobody receives webhooks; refused in production. On a developer's machine,
 * a receiver may use any free port.
 */
const PORTS_REFUSED_IN_PRODUCTION: ReadonlySet<number> = new Set([
  // Databases, caches and search.
  ...[1433, 1434, 1521, 1526, 1830, 2424, 2480, 2483, 2484, 3050, 3306, 3307, 3308, 4333],
  ...[5432, 5433, 5434, 5439, 5984, 6432, 6433],
  ...[6379, 6380, 6381, 6984, 7473, 7474, 7687, 8086, 8123, 8529, 9042, 9142, 9160, 9200, 9300],
  ...[11_211, 16_379, 26_257, 26_379, 27_017, 27_018, 27_019, 27_020, 28_015, 28_017, 29_015],
  ...[33_060, 33_061, 50_000],
  // Mail.
  ...[2525, 2526, 10_024, 10_025, 10_026],
  // Remote shells and remote desktops.
  ...[2022, 2200, 2222, 3389, 4899, 5800, 5801, 5900, 5901, 5902, 5903, 5938, 5985, 5986, 22_222],
  // Queues, and control of machines and clusters.
  ...[1099, 1883, 2181, 2375, 2376, 2377, 2379, 2380, 3260, 4369, 5671, 5672, 6443, 7199, 8883],
  ...[9092, 9093, 10_250, 10_255, 15_672, 25_672, 61_613, 61_614, 61_616],
  // Directories and proxies.
  ...[1080, 1194, 3128, 3268, 3269, 9050],
]);

const MESSAGES: Partial<Record<EgressRefusal, string>> = {
  "url-not-valid": "It is not a valid address.",
  "url-too-long": `It is longer than ${URL_LENGTH_MAX} characters.`,
  "scheme-not-allowed": "It must begin with https:// or http://.",
  "host-missing": "It must have // and a host, such as https://example.com/path.",
  "https-required": "It must begin with https://.",
  "credentials-in-url": "It must not contain a user name or password.",
  "port-not-allowed": "This port belongs to another protocol.",
  "name-not-allowed": "This name does not lead to an address that may be called.",
  "request-not-valid": "The request cannot be sent in this form.",
};

/** One sentence for the person who entered the address. */
export function explainRefusal(reason: EgressRefusal): string {
  const kind = reason.replace(/^address-/, "");
  return MESSAGES[reason] ?? `It leads to an address that may not be called (${kind}).`;
}

/** Whether a text is a network in CIDR notation, such as `10.1.0.0/16` or `fd12::/48`. */
export function isNetwork(text: string): boolean {
  return ipaddr.IPv4.isValidCIDRFourPartDecimal(text) || ipaddr.IPv6.isValidCIDR(text);
}

export function createEgressPolicy({ environment, allowNetworks }: EgressSettings): EgressPolicy {
  const networks = allowNetworks.map((network) => ipaddr.parseCIDR(network));
  const isStaging = environment === "staging";

  function checkAddress(text: string): AddressCheck {
    const { class: kind, address } = classifyAddress(text);
    if (kind === "public") return { ok: true };
    if (isStaging && kind === "loopback") return { ok: true };
    if (OPENABLE.has(kind) && isListed(address)) return { ok: true };
    return { ok: false, reason: `address-${kind}` };
  }

  function isListed(address: string): boolean {
    const parsed = ipaddr.parse(address);
    return networks.some(
      ([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits),
    );
  }

  function checkUrl(text: string): UrlCheck {
    const url = readUrl(text);
    if (typeof url === "string") return { ok: false, reason: url };
    const reason =
      schemeProblem(url, isStaging) ?? hostProblem(text) ?? partProblem(url, isStaging);
    if (reason !== undefined) return { ok: false, reason };
    const host = checkHost(url.hostname);
    return host.ok ? { ok: true, url } : host;
  }

  function checkHost(hostname: string): AddressCheck {
    const literal = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
    if (hostname.startsWith("[") || /^[\d.]+$/.test(hostname)) return checkAddress(literal);
    // The name `localhost` always means this machine, whatever a name server says (RFC 6761).
    if (isLocalhost(hostname)) return checkAddress("127.0.0.1");
    return { ok: true };
  }

  return { checkUrl, checkAddress };
}

export function isLocalhost(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost");
}

/**
 * Parses the URL as browsers do, which turns every spelling of an IPv4 address into the dotted one.
 */
function readUrl(text: string): URL | EgressRefusal {
  if (text.length > URL_LENGTH_MAX) return "url-too-long";
  // Browsers silently drop these characters; a stored address should be exactly what it looks like.
  if (/[\s\p{Cc}]/u.test(text)) return "url-not-valid";
  const url = URL.parse(text);
  if (url === null) return "url-not-valid";
  // Removes the final dot of an absolute name: certificates name the host without it.
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);
  return url;
}

function schemeProblem({ protocol }: URL, isStaging: boolean): EgressRefusal | undefined {
  if (protocol === "https:") return undefined;
  if (protocol !== "http:") return "scheme-not-allowed";
  return isStaging ? undefined : "https-required";
}

/** Browsers correct `https:example.com` and `https:///example.com`; other programs do not. */
function hostProblem(text: string): EgressRefusal | undefined {
  return /^[a-z]+:\/\/[^/\\]/i.test(text) ? undefined : "host-missing";
}

function partProblem(url: URL, isStaging: boolean): EgressRefusal | undefined {
  if (url.username !== "" || url.password !== "") return "credentials-in-url";
  if (url.port !== "" && isPortRefused(Number(url.port), isStaging)) return "port-not-allowed";
  return url.hostname.startsWith("[") || isName(url.hostname) ? undefined : "url-not-valid";
}

function isPortRefused(port: number, isStaging: boolean): boolean {
  if (PORTS_REFUSED.has(port)) return true;
  if (isStaging) return false;
  if (port < ASSIGNED_BELOW) return !PORTS_OF_HTTP.has(port);
  return PORTS_REFUSED_IN_PRODUCTION.has(port);
}

/** Also true for dotted IPv4. Labels may begin with an underscore, as some real ones do. */
function isName(hostname: string): boolean {
  if (hostname.length > NAME_LENGTH_MAX) return false;
  return hostname
    .split(".")
    .every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));
}
