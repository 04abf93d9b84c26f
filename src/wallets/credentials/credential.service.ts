import type { Clock } from "#kernel/clock.ts";
import type { TenantContext } from "#kernel/context.ts";
import { templatesOf } from "#src/templates/public.ts";
import { findPushRefusal } from "../apple/push/push-queue.service.ts";
import { APPLE_FILE } from "../apple/signing/apple-signer.ts";
import { developmentRootOf } from "../apple/signing/authority.service.ts";
import { preventsSigning } from "../credential.findings.ts";
import { isSimulated } from "../google/google-account.ts";
import { findRefusal } from "../google/halts/halt.repository.ts";
import { countUnemptied } from "../google/objects/object.repository.ts";
import { appleAddressFindings } from "../wallet.address.ts";
import { googleAddress, readGoogleState } from "./accounts/account.service.ts";
import {
  expectedIdentifiers,
  presentFinding,
  slotProblems,
} from "./certificates/certificate.checks.ts";
import type { CredentialProblem } from "./certificates/certificate.schema.ts";
import { missingFiles, nextNames } from "./certificates/certificate.service.ts";
import { readSlots, type Slots } from "./certificates/slot.service.ts";
import { presentSlot, type ReadSlot, readSlot } from "./certificates/slot.texts.ts";
import {
  accountRefused,
  erasureIncomplete,
  fileMissing,
  nfcNotCertified,
  noCredential,
  notIssuedByApple,
  pushesRefused,
} from "./credential.problems.ts";
import type { AppleHealth, GoogleHealth, WalletHealth } from "./credential.schema.ts";

/** Whether passes can be made for each wallet and, if not, why. Shows no part of a secret. */
export async function getWalletHealth(context: TenantContext): Promise<WalletHealth> {
  return { apple: await appleHealth(context), google: await googleHealth(context) };
}

async function appleHealth(context: TenantContext): Promise<AppleHealth> {
  const { clock, runtime } = context;
  const slots = await readSlots(context);
  const { settings } = slots;
  const current = readSlot(slots.current);
  const next = readSlot(slots.next ?? {});
  const found = await currentProblems(slots, current, clock);
  const isStaging = runtime.environment === "staging";
  // As the signer sees it: what is stored and cannot be used is not replaced by anything.
  const isThere = [slots.current.certificate, slots.current.key].some((it) => it !== undefined);
  const isNamed = settings !== undefined && isThere;
  const isConfigured = isNamed && current?.key !== undefined && !found.some(preventsSigning);
  const standIn = isStaging && !isNamed ? "development" : null;
  const inUse = isConfigured ? "current" : standIn;
  const none = isThere ? [] : [noCredential("Apple", isStaging)];
  const view = (slot: ReadSlot | undefined) =>
    slot === undefined ? null : presentSlot(slot, clock.now());
  return {
    isConfigured,
    isDevelopment: inUse === "development",
    inUse,
    passTypeIdentifier: settings?.passTypeIdentifier ?? null,
    teamIdentifier: settings?.teamIdentifier ?? null,
    developmentRootPem: inUse === "development" ? await developmentRootOf(context) : null,
    current: view(current),
    next: view(next),
    openRequests: slots.requests.length,
    problems: [
      ...none,
      ...found,
      ...(isConfigured ? appleAddress(context) : []),
      ...(inUse === null ? [] : await pushProblems(context)),
      ...(await nfcProblems(context, current)),
      ...(await nextProblems(slots, next, clock)),
    ],
  };
}

/** Not without a credential that signs: then nothing is pushed, and the other problems say why. */
async function pushProblems(context: TenantContext): Promise<CredentialProblem[]> {
  const refusal = await findPushRefusal(context);
  return refusal === undefined ? [] : [pushesRefused(refusal)];
}

function appleAddress({ runtime }: TenantContext): CredentialProblem[] {
  return appleAddressFindings(runtime.baseUrl, { file: APPLE_FILE }).map(presentFinding);
}

const SHOWN_TYPES_MAX = 5;

/** Apple issues certificates for NFC on request alone, and says so in their name. */
async function nfcProblems(
  context: TenantContext,
  current: ReadSlot | undefined,
): Promise<CredentialProblem[]> {
  if (current === undefined || /\bNFC\b/.test(current.leaf.subject)) return [];
  const { templates } = await templatesOf(context);
  const passTypes = [...templates.values()]
    .filter(({ template: { nfc } }) => nfc?.encryptionPublicKey !== undefined)
    .map(({ passType }) => passType);
  return passTypes.length === 0 ? [] : [nfcNotCertified(passTypes.slice(0, SHOWN_TYPES_MAX))];
}

async function currentProblems(
  slots: Slots,
  current: ReadSlot | undefined,
  clock: Clock,
): Promise<CredentialProblem[]> {
  const { settings } = slots;
  const strange =
    current === undefined || presentSlot(current, clock.now()).isIssuedByApple
      ? []
      : [notIssuedByApple()];
  if (settings !== undefined) {
    return [...(await slotProblems(slots.current, settings, clock)), ...strange];
  }
  if (current === undefined) return [];
  const lines = Object.values(missingFiles(slots, current.leaf)).join("").trim().split("\n");
  return [fileMissing(APPLE_FILE, lines.join(", ")), ...strange];
}

async function nextProblems(
  { settings, next: texts }: Slots,
  next: ReadSlot | undefined,
  clock: Clock,
): Promise<CredentialProblem[]> {
  const identifiers = next && expectedIdentifiers(settings, next.leaf);
  if (texts === undefined || next === undefined || identifiers === undefined) return [];
  const settingsOfNext = { ...identifiers, secrets: nextNames(next) };
  const intermediate = next.issuer?.toString();
  return await slotProblems({ ...texts, intermediate }, settingsOfNext, clock);
}

async function googleHealth(context: TenantContext): Promise<GoogleHealth> {
  const { issuerId, account, problems } = await readGoogleState(context);
  const isConfigured =
    issuerId !== null && account !== undefined && !problems.some(preventsSigning);
  const isStaging = context.runtime.environment === "staging";
  const isOfSimulator = account !== undefined && isSimulated(context.runtime, account);
  const isDevelopment = isStaging && (issuerId === null || isOfSimulator);
  const none = account === undefined ? [noCredential("Google", isStaging)] : [];
  // Without an account nothing is sent, and the other problems say why.
  const refusal = isConfigured || isDevelopment ? await findRefusal(context) : undefined;
  return {
    isConfigured,
    isDevelopment,
    issuerId,
    account: account ?? null,
    problems: [
      ...none,
      ...problems,
      ...(isConfigured && !isOfSimulator ? googleAddress(context) : []),
      ...(refusal === undefined ? [] : [accountRefused(refusal)]),
      ...(await erasureProblems(context)),
    ],
  };
}

async function erasureProblems(context: TenantContext): Promise<CredentialProblem[]> {
  const count = await countUnemptied(context);
  return count === 0 ? [] : [erasureIncomplete(count)];
}
