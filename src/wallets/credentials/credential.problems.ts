import type { CredentialProblem } from "./certificates/certificate.schema.ts";

/** Problems of credentials that no check of a file can find, because the file is not there. */

export function fileMissing(path: string, content: string): CredentialProblem {
  return {
    severity: "warning",
    code: "credential.not-used",
    message: `The credential is stored, and no published file '${path}' names it: it is not used.`,
    hint: `Publish ${path} with ${content}.`,
  };
}

export function noCredential(wallet: string, isStaging: boolean): CredentialProblem {
  return {
    severity: isStaging ? "info" : "error",
    code: "credential.none",
    message: isStaging
      ? `There is no credential for ${wallet}: passes are made for testing only, and no real phone takes them.`
      : `There is no credential for ${wallet}: no pass can be made for it.`,
    hint: "Store one here, and publish the file that names it.",
  };
}

export function nfcNotCertified(passTypes: readonly string[]): CredentialProblem {
  const named = passTypes.map((passType) => `'${passType}'`).join(", ");
  return {
    severity: "warning",
    code: "credential.no-nfc",
    message: `The certificate is not for NFC, and the template of ${named} has 'nfc': real phones may refuse such passes.`,
    hint: "Ask Apple for a Pass Type ID certificate with NFC, or remove 'nfc.encryptionPublicKey'.",
  };
}

/** `since` and `reason` as Apple's push service said it. Passes can be made all the while. */
export function pushesRefused({
  since,
  reason,
}: {
  since: Date;
  reason: string;
}): CredentialProblem {
  return {
    severity: "warning",
    code: "credential.pushes-refused",
    message: `Apple's push service has refused the certificate since ${minuteOf(since)} (${reason}): phones are not told of changes. Pushes wait, and one is tried every quarter of an hour.`,
    hint: "Renew the certificate at Apple if it was revoked or is not for this pass type, and store it here: what waits is pushed at once.",
  };
}

/** `since` and `problem` as Google said it. */
export function accountRefused({
  since,
  problem,
}: {
  since: Date;
  problem: string;
}): CredentialProblem {
  return {
    severity: "error",
    code: "credential.account-refused",
    message: `Google has refused the account since ${minuteOf(since)}: passes are neither made nor changed there. They wait, and one is tried every five minutes. Google said: ${problem}`,
    hint: "Let the service account act for the issuer in the Google Pay & Wallet Console, and check the connection here: what waits is sent at once.",
  };
}

function minuteOf(at: Date): string {
  return `${at.toISOString().slice(0, "2026-01-31T09:30".length).replace("T", " ")} UTC`;
}

export function notIssuedByApple(): CredentialProblem {
  return {
    severity: "warning",
    code: "credential.not-apple",
    message: "The certificate was not issued by Apple: no real phone takes what it signs.",
    hint: "Use a Pass Type ID certificate from Apple's developer portal.",
  };
}

export function erasureIncomplete(count: number): CredentialProblem {
  const passes = count === 1 ? "1 erased pass is" : `${count} erased passes are`;
  return {
    severity: "warning",
    code: "google.erasure-incomplete",
    message: `${passes} not empty at Google so far, and emptied again later: Google refused that, or still shows members of the pass.`,
    hint: "Look into the log for 'an erased pass is not empty at Google', which names the object and what is left.",
  };
}
