import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type AddressClass, classifyAddress } from "./address-class.ts";

const EXPECTED: Readonly<Record<AddressClass, readonly string[]>> = {
  public: [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "::ffff:8.8.8.8",
    "::ffff:808:808",
    "64:ff9b::8.8.8.8",
    "2001:4860:4860::8888",
    "2606:4700::1111",
    "2a00:1450:4001:800::200e",
    "2001:200::1",
  ],
  private: [
    "10.0.0.0",
    "10.255.255.255",
    "172.16.0.0",
    "172.31.255.255",
    "192.168.0.1",
    "192.168.255.255",
    "fc00::1",
    "fd12:3456::1",
    "fdff:ffff::",
    "::ffff:10.0.0.1",
    "64:ff9b::192.168.1.1",
  ],
  loopback: [
    "127.0.0.1",
    "127.255.255.255",
    "::1",
    "0:0:0:0:0:0:0:1",
    "::1%lo",
    "::ffff:127.0.0.1",
    "::FFFF:7F00:1",
    "64:ff9b::7f00:1",
  ],
  shared: ["100.64.0.0", "100.127.255.255", "::ffff:100.64.0.1"],
  benchmarking: ["198.18.0.0", "198.19.255.255"],
  documentation: [
    "192.0.2.1",
    "198.51.100.1",
    "203.0.113.255",
    "2001:db8::1",
    "3fff::1",
    "3fff:fff:ffff::",
  ],
  "link-local": [
    "169.254.0.1",
    "169.254.255.255",
    "fe80::1",
    "fe80::1%eth0",
    "febf::1",
    "::ffff:169.254.1.1",
  ],
  metadata: [
    "169.254.169.254",
    "169.254.170.2",
    "169.254.170.23",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "fd00:ec2::254",
    "fd00:ec2::23",
    "fd20:ce::254",
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::a9fe:a9fe",
    "64:ff9b:1:a9fe:a9:fe00::",
    "::a9fe:a9fe",
    "::ffff:0:a9fe:a9fe",
    "2002:a9fe:a9fe::1",
    "2001:0:a9fe:a9fe::1",
    "2001:0:808:808::5601:5601",
    "2a00::5efe:a9fe:a9fe",
    "2a00::200:5efe:169.254.169.254",
  ],
  multicast: ["224.0.0.1", "239.255.255.255", "ff02::1", "ffff::"],
  reserved: [
    "192.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "100::1",
    "5f00::1",
    "fec0::1",
    "2001:2::1",
    "2001:20::1",
    "2001:1ff::1",
    "64:ff9b:2::1",
    "4000::1",
    "1::",
    "fe00::1",
  ],
  tunnel: [
    "192.88.99.1",
    "::7f00:1",
    "::8.8.8.8",
    "::2",
    "::ffff:0:127.0.0.1",
    "2002:7f00:1::",
    "2002:808:808::1",
    "2001::1",
    "2001:0:808:808::1",
    "64:ff9b:1::808:808",
    "2a00::5efe:10.0.0.1",
    "fe80::5efe:8.8.8.8",
  ],
  unspecified: ["0.0.0.0", "0.255.255.255", "::", "::ffff:0.0.0.0", "64:ff9b::"],
  "not-an-address": [
    "",
    "localhost",
    "127.1",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "2130706433",
    "256.0.0.1",
    "1.2.3.4.5",
    "127.0.0.1 ",
    "1.2.3.4%eth0",
    "[::1]",
    "::1::",
    "1:2:3:4:5:6:7:8:9",
    "%",
  ],
};

const hex = (bytes: readonly number[]): string =>
  Array.from({ length: bytes.length / 2 }, (_, at) =>
    (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16),
  ).join(":");

const ipv4 = fc.oneof(
  fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)),
  fc.constantFrom(
    ...Object.values(EXPECTED)
      .flat()
      .filter((text) => /^(\d{1,3}\.){3}\d{1,3}$/.test(text) && !/256|^0\d/.test(text))
      .map((text) => text.split(".").map(Number) as [number, number, number, number]),
  ),
);

describe("the class of an address", () => {
  for (const [kind, addresses] of Object.entries(EXPECTED)) {
    it(`is ${kind}`, () => {
      for (const address of addresses) {
        assert.equal(classifyAddress(address).class, kind, address);
      }
    });
  }

  it("is that of the IPv4 address inside, in the forms that are another spelling of it", () => {
    fc.assert(
      fc.property(ipv4, (bytes) => {
        const expected = classifyAddress(bytes.join("."));
        for (const prefix of ["::ffff:", "0:0:0:0:0:FFFF:", "64:ff9b::"]) {
          assert.deepEqual(classifyAddress(`${prefix}${bytes.join(".")}`), expected);
          assert.deepEqual(classifyAddress(`${prefix}${hex(bytes)}`), expected);
        }
      }),
    );
  });

  it("is never one to call in the forms that are tunnels, whatever is inside", () => {
    fc.assert(
      fc.property(ipv4, (bytes) => {
        const leadsToMetadata = classifyAddress(bytes.join(".")).class === "metadata";
        const inside = hex(bytes);
        const turned = hex(bytes.map((byte) => byte ^ 0xff));
        for (const text of [
          `2002:${inside}::1`,
          `2001:0:808:808:0:0:${turned}`,
          `2001:0:${inside}::1`,
          `::ffff:0:${inside}`,
          `64:ff9b:1::${inside}`,
          `2a00::5efe:${inside}`,
          `2a00::200:5efe:${inside}`,
        ]) {
          const { class: kind } = classifyAddress(text);
          assert.ok(kind === "metadata" || (kind === "tunnel" && !leadsToMetadata), text);
        }
      }),
    );
  });

  it("is never public for IPv6 outside what has been given out", () => {
    const group = fc.nat(0xffff).map((value) => value.toString(16));
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const first = Number.parseInt(groups[0] ?? "0", 16);
        const { class: kind } = classifyAddress(groups.join(":"));
        if (first < 0x2000 || first > 0x3fff) assert.notEqual(kind, "public");
      }),
    );
  });

  it("is found for any text without throwing", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.ipV4Extended()), (text) => {
        assert.equal(typeof classifyAddress(text).class, "string");
      }),
    );
  });
});
