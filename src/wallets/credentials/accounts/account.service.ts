import type { TenantContext } from "#kernel/context.ts";
import { ProblemError } from "#kernel/errors.ts";
import { readSecret, secretUnreadable, writeSecret } from "#src/secrets/public.ts";
import { googleCredentialFindings } from "../../google/google.credential.ts";
import { googleNotConfigured } from "../../google/google.errors.ts";
import type { GoogleSettings } from "../../google/google.schema.ts";
import {
  GOOGLE_FILE,
  type GoogleAccount,
  googleAccountOf,
  googleSettingsOf,
  isSimulated,
} from "../../google/google-account.ts";
import { resumeObjects } from "../../google/objects/object.service.ts";
import { googleAddressFindings } from "../../wallet.address.ts";
import { presentFinding } from "../certificates/certificate.checks.ts";
import type { CredentialProblem } from "../certificates/certificate.schema.ts";
import { fileMissing } from "../credential.problems.ts";
import {
  accountFound,
  accountMissing,
  addressSteps,
  checkOf,
  issuerSteps,
  tokenStep,
} from "./account.check.ts";
import { visitIssuer } from "./account.client.ts";
import { accountIn, presentAccount, requireAccount } from "./account.file.ts";
import type {
  GoogleAccountPut,
  GoogleAccountStored,
  GoogleAccountView,
  GoogleCheck,
} from "./account.schema.ts";

/** The name for a tenant without that file: that of its documented example. */
const DEFAULT_NAME = "GOOGLE-SERVICE-ACCOUNT";
const TARGET = "wallet:google";

/** Checks the file of a service account, and stores it only if it can act for an issuer. */
export async function putGoogleAccount(
  context: TenantContext,
  sent: GoogleAccountPut,
): Promise<GoogleAccountStored> {
  requireAccount(sent);
  const settings = await googleSettingsOf(context);
  const name = nameIn(settings);
  const before = accountIn(await readOrNothing(context, name));
  const account = presentAccount(sent);
  await context.transaction(async (tx) => {
    await writeSecret(tx, context.runtime.sealer, name, JSON.stringify(sent));
    await resumeObjects(tx);
    tx.audit({ target: TARGET, before, after: account });
  });
  const ofAddress = isSimulated(context.runtime, account) ? [] : googleAddress(context);
  const unused = settings === undefined ? [withoutFile()] : [];
  return { account, problems: [...unused, ...ofAddress] };
}

/** Goes the way of every request to Google, and names the first thing that is wrong on it. */
export async function checkGoogleAccount(context: TenantContext): Promise<GoogleCheck> {
  const account = await findAccount(context);
  if (typeof account === "string") {
    const unknown = { isDevelopment: false, issuerId: null, clientEmail: null };
    return checkOf([accountMissing(account)], unknown);
  }
  const { issuerId, clientEmail, isDemo } = account;
  const { token, issuer } = await visitIssuer(context.runtime, account);
  const steps = [accountFound(account), tokenStep(token, account)];
  if (issuer !== undefined) steps.push(...issuerSteps(issuer, account));
  // An administrator who has just been given access at Google checks it here: what waited is sent at once.
  const isGranted = steps.every(({ isOk }) => isOk);
  if (isGranted) await context.transaction(resumeObjects);
  // Last, because the address matters only once everything before it works.
  if (isGranted && !isDemo) steps.push(...addressSteps(googleAddress(context)));
  return checkOf(steps, { isDevelopment: isDemo, issuerId, clientEmail });
}

/** What is wrong with the address of this service for Google, if anything. */
export function googleAddress({ runtime }: TenantContext): CredentialProblem[] {
  return googleAddressFindings(runtime.baseUrl, { file: GOOGLE_FILE }).map(presentFinding);
}

/** Returns the reason in plain words if there is no account. */
async function findAccount(context: TenantContext): Promise<GoogleAccount | string> {
  try {
    return await googleAccountOf(context);
  } catch (error) {
    const known: readonly string[] = [googleNotConfigured.code, secretUnreadable.code];
    if (error instanceof ProblemError && known.includes(error.code)) return error.message;
    throw error;
  }
}

export type GoogleState = {
  readonly issuerId: string | null;
  readonly account: GoogleAccountView | undefined;
  readonly problems: readonly CredentialProblem[];
};

export async function readGoogleState(context: TenantContext): Promise<GoogleState> {
  const settings = await googleSettingsOf(context);
  const text = await readOrNothing(context, nameIn(settings));
  const account = accountIn(text);
  if (settings === undefined) {
    return { issuerId: null, account, problems: account === undefined ? [] : [withoutFile()] };
  }
  const named = { path: GOOGLE_FILE, settings, places: {} };
  const findings = await googleCredentialFindings(named, { read: async () => text });
  return { issuerId: settings.issuerId, account, problems: findings.map(presentFinding) };
}

function nameIn(settings: GoogleSettings | undefined): string {
  return settings?.secrets.serviceAccount ?? DEFAULT_NAME;
}

function withoutFile(): CredentialProblem {
  const text = `issuerId: "<number of your issuer account>", secrets: { serviceAccount: ${DEFAULT_NAME} }`;
  return fileMissing(GOOGLE_FILE, text);
}

/** A secret that was damaged outside of this service counts as empty. */
async function readOrNothing(context: TenantContext, name: string): Promise<string | undefined> {
  try {
    return await readSecret(context, name);
  } catch (error) {
    if (error instanceof ProblemError && error.code === secretUnreadable.code) return "";
    throw error;
  }
}
