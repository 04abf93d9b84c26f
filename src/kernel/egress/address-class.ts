import ipaddr from "ipaddr.js";

/**
 * What kind of network an address belongs to. The names are part of refusal reasons, which callers
 * may store: add, never rename.
 */
export type AddressClass =
  | "public"
  | "private"
  | "loopback"
  | "shared"
  | "benchmarking"
  | "documentation"
  | "link-local"
  | "metadata"
  | "multicast"
  | "reserved"
  | "tunnel"
  | "unspecified"
  | "not-an-address";

export type AddressVerdict = {
  readonly class: AddressClass;
  /** In one canonical spelling; an IPv4 address in a transparent IPv6 form is given as IPv4. */
  readonly address: string;
};

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [network: Address, prefixBits: number, kind: AddressClass];

const range = (cidr: string, kind: AddressClass): Range => [...ipaddr.parseCIDR(cidr), kind];

/** The first matching range decides. */
const IPV4_RANGES: readonly Range[] = [
  // Addresses at which clouds give out the credentials of the machine; two of them look ordinary.
  range("169.254.169.254/32", "metadata"), // AWS, Google, Azure and most others
  range("169.254.170.2/32", "metadata"), // AWS containers
  range("169.254.170.23/32", "metadata"), // AWS pods
  range("100.100.100.200/32", "metadata"), // Alibaba
  range("168.63.129.16/32", "metadata"), // Azure host
  range("192.0.0.192/32", "metadata"), // Oracle
  range("0.0.0.0/8", "unspecified"),
  range("10.0.0.0/8", "private"),
  range("100.64.0.0/10", "shared"),
  range("127.0.0.0/8", "loopback"),
  range("169.254.0.0/16", "link-local"),
  range("172.16.0.0/12", "private"),
  range("192.0.0.0/24", "reserved"),
  range("192.0.2.0/24", "documentation"),
  range("192.88.99.0/24", "tunnel"), // relays of 6to4
  range("192.168.0.0/16", "private"),
  range("198.18.0.0/15", "benchmarking"),
  range("198.51.100.0/24", "documentation"),
  range("203.0.113.0/24", "documentation"),
  range("224.0.0.0/4", "multicast"),
  range("240.0.0.0/4", "reserved"), // with 255.255.255.255, the broadcast
];

const IPV6_RANGES: readonly Range[] = [
  range("fd00:ec2::/32", "metadata"), // AWS
  range("fd20:ce::254/128", "metadata"), // Google
  range("::/128", "unspecified"),
  range("::1/128", "loopback"),
  range("fe80::/10", "link-local"),
  range("fc00::/7", "private"),
  range("ff00::/8", "multicast"),
  range("2001:db8::/32", "documentation"),
  range("3fff::/20", "documentation"),
  range("2001::/32", "tunnel"), // Teredo
  range("2001::/23", "reserved"), // ORCHID, benchmarking and other protocol assignments
  range("2002::/16", "tunnel"), // 6to4
  range("64:ff9b:1::/48", "tunnel"), // NAT64 with a layout only its own network knows
  range("::/96", "tunnel"), // IPv4-compatible
  range("::ffff:0:0:0/96", "tunnel"), // IPv4-translated
  range("2000::/3", "public"),
  // Everything else is unassigned: 100::/64, 5f00::/16, fec0::/10 and the rest.
  range("::/0", "reserved"),
];

/**
 * IPv6 forms that are another spelling of an IPv4 address or lead to it; judged as that address.
 */
const TRANSPARENT = [range("::ffff:0:0/96", "public"), range("64:ff9b::/96", "public")];

/** Never throws: text that is not an address has a class of its own. */
export function classifyAddress(text: string): AddressVerdict {
  const address = parse(text);
  if (address === undefined) return { class: "not-an-address", address: text };
  if (address.kind() === "ipv4") return judge(address, IPV4_RANGES);

  const bytes = address.toByteArray();
  if (TRANSPARENT.some(([network, bits]) => address.match(network, bits))) {
    return judge(ipv4Of(bytes.slice(12)), IPV4_RANGES);
  }
  const verdict = judge(address, IPV6_RANGES);
  if (verdict.class !== "tunnel" && !isIsatap(bytes)) return verdict;
  // The operator of a tunnel decides where its packets go, so a tunnel address is always refused.
  const leadsToMetadata = tunnelEnds(bytes).some(
    (end) => judge(ipv4Of(end), IPV4_RANGES).class === "metadata",
  );
  return { class: leadsToMetadata ? "metadata" : "tunnel", address: verdict.address };
}

function parse(text: string): Address | undefined {
  // The library's lenient parser accepts 0x7f.1 too; here only four decimal numbers are accepted,
  // because URLs have been normalised before.
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  // A zone names the network interface and does not change the class of the address.
  const [plain = ""] = text.split("%", 1);
  const spelled = spellOut(plain);
  return ipaddr.IPv6.isValid(spelled) ? ipaddr.IPv6.parse(spelled) : undefined;
}

/**
 * The library reads `::1.2.3.4` as `::ffff:1.2.3.4`, which is another address, so the dotted part
 * is written as hexadecimal before.
 */
function spellOut(text: string): string {
  const at = text.lastIndexOf(":") + 1;
  const tail = text.slice(at);
  if (at === 0 || !ipaddr.IPv4.isValidFourPartDecimal(tail)) return text;
  const [a = 0, b = 0, c = 0, d = 0] = ipaddr.IPv4.parse(tail).octets;
  return `${text.slice(0, at)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

function judge(address: Address, ranges: readonly Range[]): AddressVerdict {
  const found = ranges.find(([network, bits]) => address.match(network, bits));
  return { class: found?.[2] ?? "public", address: address.toString() };
}

const ipv4Of = (bytes: number[]): ipaddr.IPv4 => new ipaddr.IPv4(bytes);

/** An ISATAP address may have any prefix: it is recognised by its interface part. */
function isIsatap(bytes: readonly number[]): boolean {
  const [first, second, third, fourth] = bytes.slice(8, 12);
  return (first === 0 || first === 2) && second === 0 && third === 0x5e && fourth === 0xfe;
}

/** The IPv4 addresses that a tunnel address may contain, in all known layouts. */
function tunnelEnds(bytes: readonly number[]): number[][] {
  const last = bytes.slice(12);
  return [
    last, // compatible, translated, ISATAP, NAT64 with 96 bits
    last.map((byte) => byte ^ 0xff), // the client of Teredo
    bytes.slice(4, 8), // the server of Teredo
    bytes.slice(2, 6), // 6to4
    [...bytes.slice(6, 8), ...bytes.slice(9, 11)], // NAT64 with 48 bits
  ];
}
