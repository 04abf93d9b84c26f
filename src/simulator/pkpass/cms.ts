import { createHash, verify, X509Certificate } from "node:crypto";
import { der, type Element, inside, readElements, readOid } from "../certificates/der.ts";

/** Who signed, by the certificate. */
export type Signer = {
  readonly passTypeIdentifier: string | undefined;
  readonly teamIdentifier: string | undefined;
  /** The name of the authority that issued the certificate. */
  readonly issuer: string;
};

const SIGNED_DATA = "1.2.840.113549.1.7.2";
const DATA = "1.2.840.113549.1.7.1";
const CONTENT_TYPE = "1.2.840.113549.1.9.3";
const MESSAGE_DIGEST = "1.2.840.113549.1.9.4";
const SIGNING_TIME = "1.2.840.113549.1.9.5";
const DIGESTS: Readonly<Record<string, string>> = {
  "1.3.14.3.2.26": "sha1",
  "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
};
const [SEQUENCE, SET, CONTEXT_0, KEY_ID] = [0x30, 0x31, 0xa0, 0x80];

/**
 * Checks a detached CMS signature (RFC 5652) over this content, as Wallet does except for one
 * thing: any authority will do, because in development it is not Apple. Throws a sentence that says
 * what is wrong.
 */
export function checkSignature(signature: Buffer, content: Buffer, what = "manifest"): Signer {
  const [contentInfo] = readElements(signature);
  const [type, wrapped] = inside(contentInfo, SEQUENCE);
  if (readOid(type) !== SIGNED_DATA) throw new Error("The signature is not CMS signed data.");
  const [signedData] = inside(wrapped, CONTEXT_0);
  const [, , encapsulated, ...rest] = inside(signedData, SEQUENCE);
  const [contentType, inner] = inside(encapsulated, SEQUENCE);
  if (readOid(contentType) !== DATA) throw new Error("The signature is not over data.");
  if (inner !== undefined) throw new Error("The signature must not hold what it signs.");
  const certificates = inside(
    rest.find(({ tag }) => tag === CONTEXT_0),
    CONTEXT_0,
  ).map(({ raw }) => new X509Certificate(raw));
  const [signerInfo, ...others] = inside(rest.at(-1), SET);
  if (signerInfo === undefined || others.length > 0) throw new Error("One signer is expected.");
  const leaf = checkSigner(inside(signerInfo, SEQUENCE), certificates, content, what);
  requireIntermediate(leaf, certificates);
  return describe(leaf);
}

function checkSigner(
  parts: readonly Element[],
  certificates: readonly X509Certificate[],
  content: Buffer,
  what: string,
): X509Certificate {
  const [, signerId, digestAlgorithm, attributes, , signature] = parts;
  const leaf = certificates.find((certificate) => isMeant(certificate, signerId));
  if (leaf === undefined) throw new Error("The certificate of the signer is missing.");
  const digest = DIGESTS[readOid(inside(digestAlgorithm, SEQUENCE)[0])];
  if (digest === undefined) throw new Error("The digest of the signature is not known.");
  const signed = readAttributes(attributes);
  if (signed.get(CONTENT_TYPE) === undefined) throw new Error("The content type is not signed.");
  if (signed.get(SIGNING_TIME) === undefined) throw new Error("The signing time is not signed.");
  const hash = createHash(digest).update(content).digest();
  if (signed.get(MESSAGE_DIGEST)?.content.equals(hash) !== true) {
    throw new Error(`The signature is of another ${what}.`);
  }
  // The attributes are signed as the set that they are, not with the tag that they stand under.
  const bytes = der(SET, attributes?.content ?? Buffer.alloc(0));
  if (!verify(digest, bytes, leaf.publicKey, signature?.content ?? Buffer.alloc(0))) {
    throw new Error("The signature does not belong to the certificate.");
  }
  return leaf;
}

/** The first value of each signed attribute, by its identifier. */
function readAttributes(attributes: Element | undefined): Map<string, Element | undefined> {
  const found = new Map<string, Element | undefined>();
  for (const attribute of inside(attributes, CONTEXT_0)) {
    const [id, values] = inside(attribute, SEQUENCE);
    found.set(readOid(id), inside(values, SET)[0]);
  }
  return found;
}

/** A signer is named by the issuer and serial number of its certificate, or by the id of its key. */
function isMeant(certificate: X509Certificate, signerId: Element | undefined): boolean {
  if (signerId?.tag === KEY_ID) {
    return certificate.raw.includes(signerId.content);
  }
  const [, serial] = inside(signerId, SEQUENCE);
  const known = certificate.serialNumber.toLowerCase().replace(/^(00)+/, "");
  return serial?.content.toString("hex").replace(/^(00)+/, "") === known;
}

/** Without the certificate that issued the signer's, Wallet refuses the pass. */
function requireIntermediate(leaf: X509Certificate, all: readonly X509Certificate[]): void {
  const others = all.filter((certificate) => certificate !== leaf);
  const issuer = others.find((certificate) => leaf.checkIssued(certificate));
  if (issuer === undefined) throw new Error("The certificate that issued the signer's is missing.");
  if (!leaf.verify(issuer.publicKey)) throw new Error("The certificate of the signer is forged.");
}

function describe({ subject, issuer }: X509Certificate): Signer {
  const part = (text: string, name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(text)?.[1];
  return {
    passTypeIdentifier: part(subject, "UID"),
    teamIdentifier: part(subject, "OU"),
    issuer: part(issuer, "CN") ?? issuer,
  };
}
