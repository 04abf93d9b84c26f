import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** Certificates as a test needs them, of any age and for any name. Elliptic keys, as they are quick. */

type Name = Readonly<Record<"CN" | "OU" | "UID", string | undefined>>;

const OIDS = { CN: "2.5.4.3", OU: "2.5.4.11", UID: "0.9.2342.19200300.100.1.1" } as const;
const ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const size = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Buffer[]) => der(0x30, ...parts);
const set = (...parts: readonly Buffer[]) => der(0x31, ...parts);

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  const bytes = rest.flatMap((arc) => {
    const digits = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
    return digits;
  });
  return der(0x06, Buffer.from([first * 40 + second, ...bytes]));
}

function distinguished(name: Name): Buffer {
  const parts = (["UID", "CN", "OU"] as const).flatMap((key) => {
    const value = name[key];
    return value === undefined
      ? []
      : [set(sequence(oid(OIDS[key]), der(0x0c, Buffer.from(value))))];
  });
  return sequence(...parts);
}

function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]/g, "").slice(0, 14);
  return der(0x18, Buffer.from(`${digits}Z`));
}

export type Issued = {
  readonly name: Name;
  readonly certificate: string;
  readonly key: KeyObject;
  readonly keyPem: string;
};

export type CertificateWish = {
  readonly name: Partial<Name>;
  readonly from?: Date;
  readonly to?: Date;
  /** Signs itself where there is none. */
  readonly issuer?: Issued;
  /** For a key that is elsewhere, as behind a signing request; the key returned is then another. */
  readonly publicKey?: KeyObject;
};

const DAY_MS = 24 * 60 * 60 * 1_000;
export const daysFromNow = (days: number) => new Date(Date.now() + days * DAY_MS);

export function issueCertificate(wish: CertificateWish): Issued {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name: Name = { CN: undefined, OU: undefined, UID: undefined, ...wish.name };
  const algorithm = sequence(oid(ECDSA_WITH_SHA256));
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    distinguished(wish.issuer?.name ?? name),
    sequence(time(wish.from ?? daysFromNow(-1)), time(wish.to ?? daysFromNow(365))),
    distinguished(name),
    (wish.publicKey ?? publicKey).export({ type: "spki", format: "der" }),
  );
  const signature = sign("sha256", content, wish.issuer?.key ?? privateKey);
  const whole = sequence(content, algorithm, der(0x03, Buffer.from([0]), signature));
  const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
  return {
    name,
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
    key: privateKey,
    keyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}
