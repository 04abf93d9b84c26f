import { createPrivateKey, generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import { utf8 } from "../../der/der.write.ts";
import {
  authorityOver,
  type CertificateName,
  extension,
  noAuthority,
  purposes,
  signsCertificates,
  signsContent,
  writeCertificate,
} from "./x509.ts";

/**
 * The development authority of a tenant: it signs passes as Apple's authority does, and no phone
 * trusts it.
 */
export type Authority = {
  readonly rootPem: string;
  readonly intermediatePem: string;
  /** PKCS #8. The key of the root is not kept: nothing is issued by it again. */
  readonly intermediateKeyPem: string;
};

/** The certificate that signs passes of one pass type identifier, and its key. */
export type Leaf = { readonly certificatePem: string; readonly keyPem: string };

/** No team at Apple has this name, because theirs are letters and digits by chance. */
export const DEVELOPMENT_TEAM = "BILLFOLDDV";

export function developmentPassType(tenantId: string): string {
  return `pass.dev.billfold.${tenantId}`;
}

const ORGANIZATION = "Billfold development, trusted by no phone";
const INTERMEDIATE: CertificateName = { CN: "Billfold Development Intermediate", O: ORGANIZATION };
const ROOT: CertificateName = { CN: "Billfold Development Root", O: ORGANIZATION };

const CLIENT_AUTHENTICATION = "1.3.6.1.5.5.7.3.2";
/** Apple's own identifiers: the purpose "signs passes", and the extension that names the passes. */
const SIGNS_PASSES = "1.2.840.113635.100.4.14";
const PASS_TYPE = "1.2.840.113635.100.6.1.16";

const DAY_MS = 24 * 60 * 60 * 1_000;
const YEAR_DAYS = 365;
const AUTHORITY_YEARS = 20;
const LEAF_YEARS = 10;

/** From yesterday on, because the clocks of two machines differ. */
function validity(now: Date, years: number): { from: Date; to: Date } {
  const at = (days: number) => new Date(now.getTime() + days * DAY_MS);
  return { from: at(-1), to: at(years * YEAR_DAYS) };
}

const makeKeys = promisify(generateKeyPair);

export async function makeAuthority(now: Date): Promise<Authority> {
  const root = await makeKeys("ec", { namedCurve: "P-256" });
  const intermediate = await makeKeys("ec", { namedCurve: "P-256" });
  const issued = {
    issuer: ROOT,
    issuerKey: root.privateKey,
    issuerPublicKey: root.publicKey,
    ...validity(now, AUTHORITY_YEARS),
  };
  return {
    rootPem: writeCertificate({
      ...issued,
      subject: ROOT,
      publicKey: root.publicKey,
      extensions: [authorityOver(1), signsCertificates],
    }),
    intermediatePem: writeCertificate({
      ...issued,
      subject: INTERMEDIATE,
      publicKey: intermediate.publicKey,
      extensions: [authorityOver(0), signsCertificates],
    }),
    intermediateKeyPem: keyToPem(intermediate.privateKey),
  };
}

/** RSA with 2048 bits, as all certificates that Apple issues for passes. */
export async function issueLeaf(
  authority: Authority,
  issuerPublicKey: KeyObject,
  passTypeIdentifier: string,
  now: Date,
): Promise<Leaf> {
  const keys = await makeKeys("rsa", { modulusLength: 2048 });
  const certificatePem = writeCertificate({
    subject: {
      UID: passTypeIdentifier,
      CN: `Pass Type ID: ${passTypeIdentifier}`,
      OU: DEVELOPMENT_TEAM,
      O: ORGANIZATION,
    },
    issuer: INTERMEDIATE,
    issuerKey: createPrivateKey(authority.intermediateKeyPem),
    issuerPublicKey,
    publicKey: keys.publicKey,
    ...validity(now, LEAF_YEARS),
    extensions: [
      noAuthority,
      signsContent,
      purposes(CLIENT_AUTHENTICATION, SIGNS_PASSES),
      extension(PASS_TYPE, utf8(passTypeIdentifier)),
    ],
  });
  return { certificatePem, keyPem: keyToPem(keys.privateKey) };
}

function keyToPem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}
