import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
} from "node:crypto";
import { bits, der, integer, octets, oid, sequence, setOf, TRUE, time, utf8 } from "./der.ts";

/** The authority that vouches for the simulated push service. */
export type Authority = {
  readonly certificatePem: string;
  readonly keyPem: string;
};

type Leaf = Authority;

const COMMON_NAME = "2.5.4.3";
const ECDSA_WITH_SHA256 = sequence(oid("1.2.840.10045.4.3.2"));
const SERVER_AUTHENTICATION = "1.3.6.1.5.5.7.3.1";
const AUTHORITY_NAME = "Billfold simulator authority";
const DAY_MS = 86_400_000;
const YEARS_10_MS = 3_650 * DAY_MS;
/** Lets a client in whose clock is a little behind. */
const EARLIER_MS = DAY_MS;

type Wish = {
  readonly subject: string;
  readonly publicKey: Buffer;
  readonly issuerKeyPem: string;
  readonly extensions: readonly Buffer[];
};

export function makeAuthority(): Authority {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const keyPem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const certificatePem = makeCertificate({
    subject: AUTHORITY_NAME,
    publicKey: publicKey.export({ type: "spki", format: "der" }),
    issuerKeyPem: keyPem,
    extensions: [
      extension("2.5.29.19", sequence(TRUE), true),
      // keyCertSign and cRLSign.
      extension("2.5.29.15", der(0x03, Buffer.from([1, 0x06])), true),
    ],
  });
  return { certificatePem, keyPem };
}

/** A certificate for a server on this machine. */
export function makeServerCertificate(authority: Authority): Leaf {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const names = sequence(
    der(0x82, Buffer.from("localhost")),
    der(0x87, Buffer.from([127, 0, 0, 1])),
  );
  const certificatePem = makeCertificate({
    subject: "localhost",
    publicKey: publicKey.export({ type: "spki", format: "der" }),
    issuerKeyPem: authority.keyPem,
    extensions: [
      extension("2.5.29.17", names),
      extension("2.5.29.37", sequence(oid(SERVER_AUTHENTICATION))),
    ],
  });
  return {
    certificatePem,
    keyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function makeCertificate({ subject, publicKey, issuerKeyPem, extensions }: Wish): string {
  const now = Date.now();
  const issuerKey = createPublicKey(issuerKeyPem).export({ type: "spki", format: "der" });
  const identifiers = [
    extension("2.5.29.14", octets(keyId(publicKey))),
    extension("2.5.29.35", sequence(der(0x80, keyId(issuerKey)))),
  ];
  const toBeSigned = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(serialNumber()),
    ECDSA_WITH_SHA256,
    nameOf(AUTHORITY_NAME),
    sequence(time(new Date(now - EARLIER_MS)), time(new Date(now + YEARS_10_MS))),
    nameOf(subject),
    publicKey,
    der(0xa3, sequence(...extensions, ...identifiers)),
  );
  const signature = sign("sha256", toBeSigned, createPrivateKey(issuerKeyPem));
  return toPem(sequence(toBeSigned, ECDSA_WITH_SHA256, bits(signature)));
}

/** Neither negative nor with a zero in front, which DER would not allow. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes;
}

function keyId(publicKey: Buffer): Buffer {
  return createHash("sha1").update(publicKey).digest();
}

function nameOf(commonName: string): Buffer {
  return sequence(setOf(sequence(oid(COMMON_NAME), utf8(commonName))));
}

function extension(id: string, value: Buffer, isCritical = false): Buffer {
  return sequence(oid(id), isCritical ? TRUE : Buffer.alloc(0), octets(value));
}

function toPem(bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
