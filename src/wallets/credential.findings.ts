import { defineFinding, type Finding, type FindingKind } from "#src/files/public.ts";

/** Findings about the secrets that files name. No finding shows any part of a secret's value. */

type Secret = { readonly secret: string };

export const credentialMissing = defineFinding<Secret>({
  code: "credential.missing",
  severity: "warning",
  summary: "A file names a secret that does not exist.",
  hint: "Store the secret, or correct its name. Until then passes are signed for testing only.",
  message: ({ secret }) => `There is no secret '${secret}'.`,
});

export const credentialUnreadable = defineFinding<Secret & { readonly expected: string }>({
  code: "credential.unreadable",
  severity: "error",
  summary: "A secret does not hold what it is named for.",
  hint: "Store the secret again, as a text in the form PEM; for Google, the JSON file as it came.",
  message: ({ secret, expected }) => `The secret '${secret}' does not hold ${expected}.`,
});

export const credentialPassphrase = defineFinding<Secret>({
  code: "credential.passphrase",
  severity: "error",
  summary: "A key is encrypted, and the passphrase is missing or wrong.",
  hint: "Name the secret with the passphrase under secrets.passphrase, or store the key without one.",
  message: ({ secret }) =>
    `The key in '${secret}' is encrypted, and its passphrase is missing or wrong.`,
});

type Dated = Secret & { readonly date: string };

export const credentialExpired = defineFinding<Dated>({
  code: "credential.expired",
  severity: "error",
  summary: "A certificate has expired: Apple Wallet refuses what it signs.",
  hint: "Renew the certificate in Apple's developer portal and store it again.",
  message: ({ secret, date }) => `The certificate in '${secret}' expired on ${date}.`,
});

export const credentialNotYetValid = defineFinding<Dated>({
  code: "credential.not-yet-valid",
  severity: "error",
  summary: "A certificate is not valid yet.",
  hint: "Check the clock of this machine, or wait.",
  message: ({ secret, date }) => `The certificate in '${secret}' is valid from ${date}.`,
});

export const credentialExpiresSoon = defineFinding<Dated & { readonly days: number }>({
  code: "credential.expires-soon",
  severity: "warning",
  summary: "A certificate expires within 60 days.",
  hint: "Renew the certificate in Apple's developer portal and store it again.",
  message: ({ secret, date, days }) =>
    `The certificate in '${secret}' expires on ${date}, in ${days} ${days === 1 ? "day" : "days"}.`,
  advice: ({ days }) =>
    days > URGENT_DAYS
      ? undefined
      : "Renew it now: from that day on no pass can be made or updated for Apple Wallet.",
});
const URGENT_DAYS = 7;

export const credentialIdentifier = defineFinding<{
  readonly member: string;
  readonly secret: string;
  /** What the certificate says in its place. */
  readonly found: string | undefined;
}>({
  code: "credential.identifier-mismatch",
  severity: "error",
  summary: "The certificate was issued for another identifier than the file says.",
  hint: "Use the identifiers of the certificate, or store the certificate that belongs to them.",
  message: ({ member, secret, found }) =>
    `The certificate in '${secret}' was not issued for this '${member}'${found === undefined ? "" : `, but for '${found}'`}.`,
});

export const credentialKeyMismatch = defineFinding<Secret>({
  code: "credential.key-mismatch",
  severity: "error",
  summary: "The key does not belong to the certificate.",
  hint: "Store the key that the certificate was requested with.",
  message: ({ secret }) => `The key in '${secret}' does not belong to the certificate.`,
});

type Chain = Secret & { readonly issuer: string };

export const credentialChainMissing = defineFinding<Chain>({
  code: "credential.chain-missing",
  severity: "warning",
  summary: "The intermediate certificate is missing: Apple Wallet refuses passes without it.",
  hint: "Add Apple's intermediate certificate to the secret, or name it under secrets.intermediate.",
  message: ({ secret, issuer }) => `'${secret}' comes without its intermediate, ${issuer}.`,
});

export const credentialChainBroken = defineFinding<Chain>({
  code: "credential.chain-broken",
  severity: "error",
  summary: "The intermediate certificate is not the one that issued the certificate.",
  hint: "Use the generation of Apple's intermediate that the certificate names as its issuer.",
  message: ({ secret, issuer }) =>
    `The intermediate in '${secret}' did not issue the certificate; that was ${issuer}.`,
});

export const credentialFindings: readonly FindingKind[] = [
  credentialMissing,
  credentialUnreadable,
  credentialPassphrase,
  credentialExpired,
  credentialNotYetValid,
  credentialExpiresSoon,
  credentialIdentifier,
  credentialKeyMismatch,
  credentialChainMissing,
  credentialChainBroken,
];

/** Only warnings when files are checked, but no pass can be signed with a part of the credential missing. */
const ALSO_PREVENT: ReadonlySet<string> = new Set([
  credentialMissing.code,
  credentialChainMissing.code,
]);

export function preventsSigning({ severity, code }: Pick<Finding, "severity" | "code">): boolean {
  return severity === "error" || ALSO_PREVENT.has(code);
}
