import { createHash, createPrivateKey, randomBytes, sign, X509Certificate } from "node:crypto";
import { crc32, deflateRawSync } from "node:zlib";
import { der, integer, octets, oid, sequence, setOf } from "#src/simulator/certificates/der.ts";
import { type Issued, issueCertificate } from "./certificates.ts";

/** A .pkpass file made for a test, by nothing that the product or the simulator makes or reads. */

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

export type Signing = { readonly authority: Issued; readonly leaf: Issued };

export function makeSigning(passTypeIdentifier: string, teamIdentifier: string): Signing {
  const authority = issueCertificate({ name: { CN: "Test authority" } });
  const name = { UID: passTypeIdentifier, OU: teamIdentifier, CN: "Pass Type ID" };
  return { authority, leaf: issueCertificate({ name, issuer: authority }) };
}

type Change = {
  /** More files, which the manifest lists. */
  readonly files?: Readonly<Record<string, string>>;
  /** Files that are changed after the manifest was signed; undefined takes one away. */
  readonly after?: Readonly<Record<string, string | undefined>>;
  readonly withoutIntermediate?: boolean;
  /** Signs this instead of the manifest. */
  readonly signs?: string;
};

export function makeBundle(
  pass: object,
  signing: Signing,
  strings: Readonly<Record<string, string>> = {},
  change: Change = {},
): Buffer {
  const files = new Map<string, Buffer>([
    ["pass.json", Buffer.from(JSON.stringify(pass))],
    ["icon.png", PNG],
    ["logo@2x.png", PNG],
    ...Object.entries(strings).map(
      ([language, text]) => [`${language}.lproj/pass.strings`, Buffer.from(text)] as const,
    ),
    ...Object.entries(change.files ?? {}).map(([name, text]) => [name, Buffer.from(text)] as const),
  ]);
  const hashes = [...files].map(([name, bytes]) => [
    name,
    createHash("sha1").update(bytes).digest("hex"),
  ]);
  const manifest = Buffer.from(JSON.stringify(Object.fromEntries(hashes)));
  files.set("manifest.json", manifest);
  files.set("signature", signDetached(Buffer.from(change.signs ?? manifest), signing, change));
  for (const [name, text] of Object.entries(change.after ?? {})) {
    if (text === undefined) files.delete(name);
    else files.set(name, Buffer.from(text));
  }
  return zip(files);
}

export function signDetached(
  content: Buffer,
  { authority, leaf }: Signing,
  change: Change = {},
): Buffer {
  const sha256 = sequence(oid("2.16.840.1.101.3.4.2.1"));
  const digest = createHash("sha256").update(content).digest();
  const time = der(0x17, Buffer.from("260101000000Z"));
  const attributes = [
    sequence(oid("1.2.840.113549.1.9.3"), setOf(oid("1.2.840.113549.1.7.1"))),
    sequence(oid("1.2.840.113549.1.9.5"), setOf(time)),
    sequence(oid("1.2.840.113549.1.9.4"), setOf(octets(digest))),
  ];
  const signature = sign("sha256", setOf(...attributes), createPrivateKey(leaf.keyPem));
  const certificate = new X509Certificate(leaf.certificate);
  const serial = integer(Buffer.from(certificate.serialNumber, "hex"));
  const signer = sequence(
    integer(Buffer.from([1])),
    sequence(sequence(), serial),
    sha256,
    der(0xa0, ...attributes),
    sequence(oid("1.2.840.10045.4.3.2")),
    octets(signature),
  );
  const chain = change.withoutIntermediate ? [leaf] : [leaf, authority];
  const signedData = sequence(
    integer(Buffer.from([1])),
    setOf(sha256),
    sequence(oid("1.2.840.113549.1.7.1")),
    der(0xa0, ...chain.map((one) => new X509Certificate(one.certificate).raw)),
    setOf(signer),
  );
  return sequence(oid("1.2.840.113549.1.7.2"), der(0xa0, signedData));
}

function zip(files: ReadonlyMap<string, Buffer>): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const [name, content] of files) {
    const packed = deflateRawSync(content);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(8, 4);
    facts.writeUInt32LE(crc32(content), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(content.length, 18);
    facts.writeUInt16LE(Buffer.byteLength(name), 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), facts, Buffer.from(name), packed]);
    entries.push(Buffer.from("PK\x01\x02\x14\x00"), facts, place, Buffer.from(name));
    locals.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.size, 4);
  end.writeUInt16LE(files.size, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...locals, directory, Buffer.from("PK\x05\x06"), end]);
}

export const randomToken = (): string => randomBytes(24).toString("base64url");
