import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createEgressPolicy, explainRefusal, isNetwork } from "./egress-policy.ts";

const production = createEgressPolicy({ environment: "production", allowNetworks: [] });
const staging = createEgressPolicy({ environment: "staging", allowNetworks: [] });
const open = createEgressPolicy({
  environment: "production",
  allowNetworks: ["0.0.0.0/0", "::/0"],
});

function judge(policy: typeof production, text: string): string {
  const check = policy.checkUrl(text);
  return check.ok ? check.url.href : check.reason;
}

/** All spellings of 127.0.0.1 that a URL may contain. */
const LOOPBACK_HOSTS = [
  "127.0.0.1",
  "127.0.0.1.",
  "127.1",
  "127.0.1",
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "0X7F.0.0.0x1",
  "0177.0.0.1",
  "017700000001",
  "0177.0x0.1",
  "１２７.０.０.１",
  "127。0。0。1",
  "%31%32%37.0.0.1",
  "localhost",
  "LOCALHOST",
  "localhost.",
  "ｌocalhost",
  "a.localhost",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[64:ff9b::7f00:1]",
];

describe("an address that somebody enters, in production", () => {
  it("may be any https address of the public internet", () => {
    for (const text of [
      "https://example.com/hook",
      "https://example.com:8443/hook?a=b",
      "https://example.com:80/",
      "https://example.com:3000/",
      "https://example.com:8080/",
      "https://example.com:9000/",
      "https://example.com:10443/",
      "https://example.com:49152/",
      "https://8.8.8.8/",
      "https://[2606:4700::1111]/",
      "https://_dmarc.example.com/",
    ]) {
      assert.equal(judge(production, text), text);
    }
  });

  it("is kept in one spelling", () => {
    assert.equal(judge(production, "HTTPS://Example.COM.:443"), "https://example.com/");
    assert.equal(judge(production, "https://bücher.example/"), "https://xn--bcher-kva.example/");
  });

  const refusals: Readonly<Record<string, readonly string[]>> = {
    "url-not-valid": [
      "",
      "example.com",
      "https://",
      "https://a b/",
      " https://example.com",
      "https://exam\tple.com/",
      "https://exam\nple.com/",
      "https://a..b/",
      "https://example.com../",
      "https://./",
      "https://1.2.3.4.5/",
      "https://256.256.256.256/",
      "https://[fe80::1%25eth0]/",
      "https://[::1%lo]/",
      `https://${"a".repeat(64)}.example/`,
      `https://${"abcdefgh.".repeat(32)}example/`,
      "https://-a.example/",
      "https://example.com:99999/",
    ],
    "url-too-long": [`https://example.com/${"a".repeat(2_048)}`],
    "scheme-not-allowed": [
      "ftp://example.com/",
      "file:///etc/passwd",
      "gopher://example.com/",
      "javascript:alert(1)",
      "data:text/plain,x",
      "ws://example.com/",
    ],
    "https-required": ["http://example.com/", "http://127.0.0.1/"],
    "credentials-in-url": [
      "https://user@example.com/",
      "https://:password@example.com/",
      "https://example.com:443@127.0.0.1/",
    ],
    "port-not-allowed": [
      "https://example.com:22/",
      "https://example.com:25/",
      "https://example.com:0/",
      // Databases, mail and shells, and whatever else is assigned below 1024.
      ...[1433, 1521, 3306, 5432, 5984, 6379, 9042, 9200, 11_211, 27_017, 33_060],
      ...[109, 110, 143, 465, 587, 993, 995, 2525],
      ...[21, 22, 23, 512, 513, 514, 2222, 3389, 5900, 5985],
      ...[81, 88, 445, 593, 666, 853, 873, 992, 1023],
      ...[2375, 2379, 5672, 6443, 9092, 10_250],
    ].map((port) => (typeof port === "number" ? `https://example.com:${port}/` : port)),
    "address-loopback": LOOPBACK_HOSTS.map((host) => `https://${host}/`),
    "address-private": ["https://10.0.0.1/", "https://[fd12::1]/", "https://192.168.257/"],
    "address-metadata": [
      "https://169.254.169.254/",
      "https://2852039166/",
      "https://[fd00:ec2::254]/",
      "https://[::ffff:a9fe:a9fe]/",
      "https://[2002:a9fe:a9fe::1]/",
    ],
    "address-unspecified": ["https://0/", "https://0.0.0.0/", "https://[::]/"],
    "address-tunnel": ["https://[::7f00:1]/", "https://[2002:7f00:1::]/"],
    "address-link-local": ["https://[fe80::1]/", "https://169.254.1.1/"],
  };
  for (const [reason, texts] of Object.entries(refusals)) {
    it(`is refused: ${reason}`, () => {
      for (const text of texts) assert.equal(judge(production, text), reason, text);
    });
  }
});

describe("an address that somebody enters, in staging", () => {
  it("may be http and this machine in any spelling", () => {
    for (const host of LOOPBACK_HOSTS) {
      assert.equal(staging.checkUrl(`http://${host}:8080/`).ok, true, host);
    }
  });

  it("may be at any port that is not assigned to another protocol", () => {
    for (const port of [81, 2222, 3306, 5432, 8080]) {
      assert.equal(staging.checkUrl(`http://localhost:${port}/`).ok, true, String(port));
    }
    for (const port of [22, 25, 6000]) {
      assert.equal(judge(staging, `http://localhost:${port}/`), "port-not-allowed");
    }
  });

  it("is refused in private networks and at metadata addresses all the same", () => {
    assert.equal(judge(staging, "http://10.0.0.1/"), "address-private");
    assert.equal(judge(staging, "http://169.254.169.254/"), "address-metadata");
    assert.equal(judge(staging, "http://0.0.0.0/"), "address-unspecified");
  });
});

describe("networks that the operator opens", () => {
  it("are called, in the spellings of IPv6 as well, and their neighbours are not", () => {
    const policy = createEgressPolicy({
      environment: "production",
      allowNetworks: ["10.1.0.0/16", "fd12::/48"],
    });
    for (const address of ["10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::10.1.2.3", "fd12::7"]) {
      assert.deepEqual(policy.checkAddress(address), { ok: true }, address);
    }
    for (const address of ["10.2.0.0", "fd12:0:1::", "127.0.0.1"]) {
      assert.equal(policy.checkAddress(address).ok, false, address);
    }
    assert.equal(judge(policy, "http://10.1.2.3/"), "https-required");
  });

  it("never hold metadata, link-local, multicast, tunnel or reserved addresses", () => {
    for (const address of [
      "169.254.169.254",
      "::ffff:169.254.169.254",
      "64:ff9b::a9fe:a9fe",
      "fd00:ec2::254",
      "fd20:ce::254",
      "168.63.129.16",
      "100.100.100.200",
      "169.254.1.1",
      "fe80::1",
      "224.0.0.1",
      "2002:a00:1::",
      "::a00:1",
      "0.0.0.0",
      "::",
      "255.255.255.255",
      "nonsense",
    ]) {
      assert.equal(open.checkAddress(address).ok, false, address);
    }
    for (const address of ["127.0.0.1", "10.0.0.1", "fd12::1", "100.64.0.1", "198.18.0.1"]) {
      assert.equal(open.checkAddress(address).ok, true, address);
    }
  });

  it("are written in CIDR notation", () => {
    for (const text of ["10.0.0.0/8", "127.0.0.1/32", "fd12::/48", "::/0"]) {
      assert.equal(isNetwork(text), true, text);
    }
    for (const text of ["", "10.0.0.0", "10/8", "0x0a.0.0.0/8", "10.0.0.0/33", "::/129", "a/8"]) {
      assert.equal(isNetwork(text), false, text);
    }
  });
});

describe("a refusal", () => {
  it("is explained in one sentence", () => {
    assert.equal(explainRefusal("https-required"), "It must begin with https://.");
    assert.equal(
      explainRefusal("address-private"),
      "It leads to an address that may not be called (private).",
    );
  });
});
