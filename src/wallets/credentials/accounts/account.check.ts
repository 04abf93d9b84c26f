import { isObject } from "#kernel/json.ts";
import { type GoogleFailure, reasonsIn } from "../../google/api/api.outcome.ts";
import type { CredentialProblem } from "../certificates/certificate.schema.ts";
import type { GoogleCheck, GoogleCheckNote, GoogleCheckStep } from "./account.schema.ts";

/** What came of asking Google: an answer with its status, or none. */
export type Asked =
  | { readonly kind: "answered"; readonly status: number; readonly body: unknown }
  | { readonly kind: "failed"; readonly failure: GoogleFailure };

export type Subject = { readonly issuerId: string; readonly clientEmail: string };

type Name = GoogleCheckStep["step"];

const good = (step: Name, message: string): GoogleCheckStep => ({
  step,
  isOk: true,
  message,
  hint: null,
});
const bad = (step: Name, message: string, hint: string): GoogleCheckStep => ({
  step,
  isOk: false,
  message,
  hint,
});

export function accountMissing(reason: string): GoogleCheckStep {
  return bad("account", reason, "Store the service account here, and publish server/google.yml.");
}

export function accountFound({ clientEmail }: Subject): GoogleCheckStep {
  return good("account", `The service account is '${clientEmail}'.`);
}

const AGAIN = "Try again shortly.";

export function tokenStep(
  failure: GoogleFailure | undefined,
  { clientEmail }: Subject,
): GoogleCheckStep {
  if (failure === undefined) return good("token", "Google accepts its key.");
  if (failure.kind !== "denied") return bad("token", failure.message, AGAIN);
  return bad(
    "token",
    `Google refuses the key of '${clientEmail}': ${failure.message}`,
    "The account or its key was deleted or disabled, or the clock of this machine is wrong. Make a new key of type JSON and store it here.",
  );
}

/** The answer to a list of classes: the least that a user of the issuer may ask for. */
export function issuerSteps(asked: Asked, subject: Subject): GoogleCheckStep[] {
  const { issuerId, clientEmail } = subject;
  const enabled = good("api", "The Google Wallet API is enabled.");
  if (asked.kind === "failed") return [bad("api", asked.failure.message, AGAIN)];
  const { status, body } = asked;
  if (status >= 200 && status < 300) {
    return [enabled, good("issuer", `The account may act for the issuer ${issuerId}.`)];
  }
  if (status === 401) {
    const hint = "Make a new key of type JSON for the service account and store it here.";
    return [bad("api", "Google does not accept the access token of the account.", hint)];
  }
  if (status === 403 && isNotEnabled(body)) {
    const message = "The Google Wallet API is not enabled in the project of the service account.";
    const hint =
      "Enable 'Google Wallet API' in the Google Cloud console, in the project of the account, and wait some minutes.";
    return [bad("api", message, hint)];
  }
  if (status === 403) {
    const message = `'${clientEmail}' is not a user of the issuer ${issuerId}.`;
    const hint =
      "Invite this address as a developer in the Google Pay & Wallet console of the issuer, under 'Users'.";
    return [enabled, bad("issuer", message, hint)];
  }
  if (status === 400 || status === 404) {
    const message = `Google does not know the issuer ${issuerId}.`;
    const hint = "Correct issuerId in server/google.yml: the console shows it under 'Issuer ID'.";
    return [enabled, bad("issuer", message, hint)];
  }
  const message =
    status === 429 ? "Google was asked too often." : `Google answered with status ${status}.`;
  return [bad("api", message, AGAIN)];
}

export function addressSteps(problems: readonly CredentialProblem[]): GoogleCheckStep[] {
  if (problems.length > 0)
    return problems.map(({ message, hint }) => bad("address", message, hint));
  return [good("address", "Google can reach the address of this service.")];
}

/** Google tells this by a reason, and in the sentence beside it. */
function isNotEnabled(body: unknown): boolean {
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  return (
    reasonsIn(body).some((one) => one === "SERVICE_DISABLED" || one === "accessNotConfigured") ||
    /has not been used in project|it is disabled/.test(String(error.message))
  );
}

/** Google's API works in demo mode as it does later, and no member of its answers shows the mode. */
const DEMO_MODE: GoogleCheckNote = {
  code: "demo-mode",
  message:
    "Google does not say here whether the issuer is still in demo mode, as each new one is: then passes are marked [TEST ONLY], and only users of the issuer and its test accounts can save them. The Google Pay & Wallet console shows it under 'Google Wallet API'; ask for publishing access there before you go live.",
};

export function checkOf(
  steps: readonly GoogleCheckStep[],
  more: Pick<GoogleCheck, "isDevelopment" | "issuerId" | "clientEmail">,
): GoogleCheck {
  const isOk = steps.every((step) => step.isOk);
  const notes = isOk && !more.isDevelopment ? [DEMO_MODE] : [];
  return { isOk, ...more, steps: [...steps], notes };
}
