import { X509Certificate } from "node:crypto";
import type { Clock } from "#kernel/clock.ts";
import type { Finding, NamedSecrets, Place, SecretReader } from "#src/files/public.ts";
import {
  credentialChainBroken,
  credentialChainMissing,
  credentialExpired,
  credentialExpiresSoon,
  credentialIdentifier,
  credentialKeyMismatch,
  credentialMissing,
  credentialNotYetValid,
  credentialPassphrase,
  credentialUnreadable,
} from "../credential.findings.ts";
import { readPrivateKey } from "../credentials/pkcs12/private-key.ts";
import type { AppleSettings } from "./apple.schema.ts";

type Named = NamedSecrets<AppleSettings>;
type SecretRole = keyof AppleSettings["secrets"];

/** Checks whether the stored secrets can sign passes that Apple Wallet accepts. */
export async function appleCredentialFindings(
  named: Named,
  secrets: SecretReader,
  clock: Clock,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const read = async (role: SecretRole): Promise<string | undefined> => {
    const secret = named.settings.secrets[role];
    if (secret === undefined) return undefined;
    const value = await secrets.read(secret);
    if (value === undefined) findings.push(credentialMissing(placeOf(named, role), { secret }));
    return value;
  };
  const pem = {
    certificate: await read("certificate"),
    key: await read("key"),
    passphrase: await read("passphrase"),
    intermediate: await read("intermediate"),
  };
  if (pem.certificate === undefined) return findings;
  const [leaf, ...chain] = certificatesIn(pem.certificate);
  if (leaf === undefined) return [...findings, unreadable(named, "certificate", "a certificate")];
  return [
    ...findings,
    ...validity(leaf, named, "certificate", clock),
    ...identifiers(leaf, named),
    ...chainFindings(leaf, chain, pem.intermediate, named, clock),
    ...keyFindings(leaf, pem, named),
  ];
}

function placeOf({ places, path }: Named, name: string): Place {
  return places[name] ?? { file: path };
}

function secretOf({ settings }: Named, role: SecretRole): string {
  return settings.secrets[role] ?? "";
}

function unreadable(named: Named, role: SecretRole, expected: string): Finding {
  const secret = secretOf(named, role);
  return credentialUnreadable(placeOf(named, role), { secret, expected });
}

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const CHAIN_MAX = 5;

/** Returns the leaf certificate first. Returns none if one of the certificates cannot be read. */
export function certificatesIn(text: string): X509Certificate[] {
  try {
    return (text.match(PEM) ?? []).slice(0, CHAIN_MAX).map((pem) => new X509Certificate(pem));
  } catch {
    return [];
  }
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const SOON_DAYS = 60;

function validity(
  { validFromDate, validToDate }: X509Certificate,
  named: Named,
  role: SecretRole,
  clock: Clock,
): Finding[] {
  const at = placeOf(named, role);
  const secret = secretOf(named, role);
  const now = clock.now().getTime();
  const dayOf = (date: Date) => date.toISOString().slice(0, "2026-01-01".length);
  if (validToDate.getTime() <= now) {
    return [credentialExpired(at, { secret, date: dayOf(validToDate) })];
  }
  if (validFromDate.getTime() > now) {
    return [credentialNotYetValid(at, { secret, date: dayOf(validFromDate) })];
  }
  const days = Math.floor((validToDate.getTime() - now) / DAY_MS);
  if (days >= SOON_DAYS) return [];
  return [credentialExpiresSoon(at, { secret, date: dayOf(validToDate), days })];
}

/** In Apple's certificates, the subject has the pass type as UID and the team as OU. */
function identifiers(leaf: X509Certificate, named: Named): Finding[] {
  const subject = partsOf(leaf.subject);
  const expected = [
    ["passTypeIdentifier", "UID"],
    ["teamIdentifier", "OU"],
  ] as const;
  return expected
    .filter(([member, name]) => subject.get(name) !== named.settings[member])
    .map(([member, name]) => {
      const secret = secretOf(named, "certificate");
      const found = subject.get(name)?.slice(0, SHOWN_LENGTH_MAX);
      return credentialIdentifier(placeOf(named, member), { member, secret, found });
    });
}

/** Whoever made the certificate chose the names in it. */
const SHOWN_LENGTH_MAX = 100;

function partsOf(name: string): Map<string, string> {
  return new Map(
    name.split("\n").map((line) => {
      const at = line.indexOf("=");
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
}

function chainFindings(
  leaf: X509Certificate,
  chain: readonly X509Certificate[],
  separate: string | undefined,
  named: Named,
  clock: Clock,
): Finding[] {
  const role = separate === undefined ? "certificate" : "intermediate";
  const at = placeOf(named, role);
  const secret = secretOf(named, role);
  const candidates = separate === undefined ? chain : certificatesIn(separate);
  const issuer = issuerOf(leaf);
  if (candidates.length === 0) {
    if (separate !== undefined) return [unreadable(named, role, "a certificate")];
    // A secret that is named but not stored has been reported already.
    const isNamed = named.settings.secrets.intermediate !== undefined;
    return isNamed ? [] : [credentialChainMissing(at, { secret, issuer })];
  }
  const parent = issuerAmong(leaf, candidates);
  if (parent === undefined) return [credentialChainBroken(at, { secret, issuer })];
  return validity(parent, named, role, clock).filter(({ severity }) => severity === "error");
}

/** The certificate whose key really signed this one: names alone prove nothing. */
export function issuerAmong(
  issued: X509Certificate,
  candidates: readonly X509Certificate[],
): X509Certificate | undefined {
  return candidates.find((each) => issued.checkIssued(each) && issued.verify(each.publicKey));
}

function issuerOf({ issuer }: X509Certificate): string {
  const parts = partsOf(issuer);
  const unit = parts.get("OU");
  return `'${parts.get("CN") ?? "unknown"}'${unit === undefined ? "" : ` (${unit})`}`;
}

type Pem = { readonly key: string | undefined; readonly passphrase: string | undefined };

function keyFindings(leaf: X509Certificate, { key: pem, passphrase }: Pem, named: Named) {
  if (pem === undefined) return [];
  const at = placeOf(named, "key");
  const secret = secretOf(named, "key");
  const key = readPrivateKey(pem, passphrase);
  if (key === "encrypted") return [credentialPassphrase(at, { secret })];
  if (key === undefined) return [unreadable(named, "key", "a private key")];
  return leaf.checkPrivateKey(key) ? [] : [credentialKeyMismatch(at, { secret })];
}
