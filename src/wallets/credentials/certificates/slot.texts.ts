import { type KeyObject, randomBytes, type X509Certificate } from "node:crypto";
import { certificatesIn, issuerAmong } from "../../apple/apple.credential.ts";
import type { AppleSettings } from "../../apple/apple.schema.ts";
import { readPrivateKey } from "../pkcs12/private-key.ts";
import type { CertificateView } from "./certificate.schema.ts";

/** What a slot holds, as the texts of its secrets. */
export type SlotTexts = {
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  readonly passphrase?: string | undefined;
  readonly intermediate?: string | undefined;
};

export type SecretNames = AppleSettings["secrets"];

/** The names for a tenant without `server/apple.yml`: those of its documented example. */
export const DEFAULT_NAMES: SecretNames = { certificate: "APPLE-CERTIFICATE", key: "APPLE-KEY" };

/** A certificate that can sign, with its key in plain and the certificate of its issuer. */
export type Material = {
  readonly leaf: X509Certificate;
  readonly key: KeyObject;
  readonly issuer: X509Certificate | undefined;
};

export function textsOf({ leaf, key, issuer }: Material): SlotTexts {
  const texts = {
    certificate: leaf.toString(),
    key: key.export({ type: "pkcs8", format: "pem" }).toString(),
  };
  return issuer === undefined ? texts : { ...texts, intermediate: issuer.toString() };
}

/** What can be read of a slot; parts that cannot are missing. */
export type ReadSlot = {
  readonly leaf: X509Certificate;
  readonly key: KeyObject | undefined;
  readonly issuer: X509Certificate | undefined;
};

/** Undefined if the slot holds no certificate that can be read. */
export function readSlot(texts: SlotTexts): ReadSlot | undefined {
  const [leaf, ...chain] = certificatesIn(texts.certificate ?? "");
  if (leaf === undefined) return undefined;
  const candidates = [...certificatesIn(texts.intermediate ?? ""), ...chain];
  const key = keyIn(texts);
  return {
    leaf,
    key: key !== undefined && leaf.checkPrivateKey(key) ? key : undefined,
    issuer: issuerAmong(leaf, candidates),
  };
}

export function keyIn({ key, passphrase }: SlotTexts): KeyObject | undefined {
  const found = key === undefined ? undefined : readPrivateKey(key, passphrase || undefined);
  return found === "encrypted" ? undefined : found;
}

const PASSPHRASE_BYTES = 24;

/**
 * The values of the secrets that a file names, by those names; undefined for one that must go, so
 * that nothing of the former certificate stays beside the new one.
 */
export function valuesFor(names: SecretNames, material: Material): Map<string, string | undefined> {
  const { certificate, key, intermediate } = textsOf(material);
  const values = new Map<string, string | undefined>();
  if (names.intermediate === undefined) {
    values.set(names.certificate, `${certificate}${intermediate ?? ""}`);
  } else {
    values.set(names.certificate, certificate);
    values.set(names.intermediate, intermediate);
  }
  if (names.passphrase === undefined) values.set(names.key, key);
  else {
    const passphrase = randomBytes(PASSPHRASE_BYTES).toString("base64url");
    const cipher = { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase } as const;
    values.set(names.passphrase, passphrase);
    values.set(names.key, material.key.export(cipher).toString());
  }
  return values;
}

const DAY_MS = 86_400_000;

/** Whole days until then; negative afterwards. */
export function daysUntil(then: Date, now: Date): number {
  return Math.floor((then.getTime() - now.getTime()) / DAY_MS);
}

export type Identity = {
  readonly passTypeIdentifier: string | undefined;
  readonly teamIdentifier: string | undefined;
};

/** In Apple's certificates, the subject has the pass type as UID and the team as OU. */
export function identityOf({ subject }: X509Certificate): Identity {
  return {
    passTypeIdentifier: partOfName(subject, "UID"),
    teamIdentifier: partOfName(subject, "OU"),
  };
}

function partOfName(name: string, part: string): string | undefined {
  const line = name.split("\n").find((each) => each.startsWith(`${part}=`));
  return line?.slice(part.length + 1);
}

/** The parts of a name, which Node gives in lines. */
export function nameOnOneLine(name: string): string {
  return name.split("\n").join(", ");
}

export function presentSlot({ leaf, key, issuer }: ReadSlot, now: Date): CertificateView {
  const { passTypeIdentifier = null, teamIdentifier = null } = identityOf(leaf);
  return {
    subject: nameOnOneLine(leaf.subject),
    serialNumber: leaf.serialNumber,
    fingerprint: leaf.fingerprint256,
    notBefore: leaf.validFromDate.toISOString(),
    notAfter: leaf.validToDate.toISOString(),
    daysLeft: daysUntil(leaf.validToDate, now),
    passTypeIdentifier,
    teamIdentifier,
    issuer: nameOnOneLine(leaf.issuer),
    isIssuedByApple: partOfName(leaf.issuer, "O") === "Apple Inc.",
    hasKey: key !== undefined,
    isChainComplete: issuer !== undefined,
    intermediate:
      issuer === undefined
        ? null
        : { subject: nameOnOneLine(issuer.subject), notAfter: issuer.validToDate.toISOString() },
  };
}
