import { createHash, type KeyObject, randomBytes, sign } from "node:crypto";
import {
  bits,
  integer,
  nothing,
  octets,
  oid,
  sequence,
  setOf,
  tagged,
  time,
  utf8,
  yes,
} from "../../der/der.write.ts";
import { toPem } from "../../der/pem.ts";

/** Writes certificates (RFC 5280, version 3) for the development authority. */

const ATTRIBUTES = {
  UID: oid("0.9.2342.19200300.100.1.1"),
  CN: oid("2.5.4.3"),
  OU: oid("2.5.4.11"),
  O: oid("2.5.4.10"),
} as const;

export type CertificateName = Readonly<Partial<Record<keyof typeof ATTRIBUTES, string>>>;

const RSA_WITH_SHA_256 = sequence(oid("1.2.840.113549.1.1.11"), nothing);
const ECDSA_WITH_SHA_256 = sequence(oid("1.2.840.10045.4.3.2"));

export type CertificateRequest = {
  readonly subject: CertificateName;
  readonly issuer: CertificateName;
  readonly from: Date;
  readonly to: Date;
  readonly publicKey: KeyObject;
  /** The public key of the issuer, by which a reader finds the certificate above. */
  readonly issuerPublicKey: KeyObject;
  readonly issuerKey: KeyObject;
  readonly extensions: readonly Buffer[];
};

const SERIAL_BYTES = 16;

/** Returns the certificate in PEM. */
export function writeCertificate(request: CertificateRequest): string {
  const { issuerKey } = request;
  const algorithm = issuerKey.asymmetricKeyType === "ec" ? ECDSA_WITH_SHA_256 : RSA_WITH_SHA_256;
  const content = sequence(
    tagged(0, integer(2)),
    integer(serialNumber()),
    algorithm,
    nameOf(request.issuer),
    sequence(time(request.from), time(request.to)),
    nameOf(request.subject),
    spki(request.publicKey),
    tagged(
      3,
      sequence(
        ...request.extensions,
        subjectKeyId(request.publicKey),
        authorityKeyId(request.issuerPublicKey),
      ),
    ),
  );
  const signature = sign("sha256", content, issuerKey);
  return toPem("CERTIFICATE", sequence(content, algorithm, bits(signature)));
}

/** Never zero, and never with the bit of the sign. */
function serialNumber(): Buffer {
  const bytes = randomBytes(SERIAL_BYTES);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes;
}

function nameOf(name: CertificateName): Buffer {
  const parts = (Object.keys(ATTRIBUTES) as (keyof typeof ATTRIBUTES)[]).flatMap((attribute) => {
    const text = name[attribute];
    return text === undefined ? [] : [setOf(sequence(ATTRIBUTES[attribute], utf8(text)))];
  });
  return sequence(...parts);
}

function spki(key: KeyObject): Buffer {
  return key.export({ type: "spki", format: "der" });
}

/** The content of an extension is DER in a string of octets. */
export function extension(id: string, content: Buffer, isCritical = false): Buffer {
  return sequence(oid(id), ...(isCritical ? [yes] : []), octets(content));
}

/** `paths`: how many authorities may follow below this one. */
export const authorityOver = (paths: number): Buffer =>
  extension("2.5.29.19", sequence(yes, integer(paths)), true);

export const noAuthority: Buffer = extension("2.5.29.19", sequence(), true);

const KEY_USAGE = "2.5.29.15";
export const signsContent: Buffer = extension(KEY_USAGE, bits(Buffer.from([0x80]), 7), true);
export const signsCertificates: Buffer = extension(KEY_USAGE, bits(Buffer.from([0x06]), 1), true);

export const purposes = (...ids: readonly string[]): Buffer =>
  extension("2.5.29.37", sequence(...ids.map(oid)));

function keyId(key: KeyObject): Buffer {
  return createHash("sha1").update(spki(key)).digest();
}

const subjectKeyId = (key: KeyObject): Buffer => extension("2.5.29.14", octets(keyId(key)));

function authorityKeyId(key: KeyObject): Buffer {
  const id = octets(keyId(key));
  // The same bytes under the tag [0] of a plain value.
  id[0] = 0x80;
  return extension("2.5.29.35", sequence(id));
}
