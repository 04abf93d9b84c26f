import type { KeyObject, X509Certificate } from "node:crypto";
import type { Clock } from "#kernel/clock.ts";
import type { TenantContext } from "#kernel/context.ts";
import { validationProblem } from "#kernel/errors.ts";
import { validatorFor } from "#kernel/http/validator.ts";
import type { Finding, Place } from "#src/files/public.ts";
import { appleCredentialFindings } from "../../apple/apple.credential.ts";
import { AppleSettings } from "../../apple/apple.schema.ts";
import {
  credentialChainMissing,
  credentialIdentifier,
  preventsSigning,
} from "../../credential.findings.ts";
import { appleAddressFindings } from "../../wallet.address.ts";
import type { CredentialProblem } from "./certificate.schema.ts";
import { fault, type Upload } from "./certificate.upload.ts";
import { identityOf, type SlotTexts } from "./slot.texts.ts";

type Identifiers = Pick<AppleSettings, "passTypeIdentifier" | "teamIdentifier">;

const { passTypeIdentifier: PassType, teamIdentifier: Team } = AppleSettings.properties;

/**
 * The identifiers that a certificate must have: those of the tenant's file or, without one, those
 * that it was issued for. Undefined if it was issued for something else than passes.
 */
export function expectedIdentifiers(
  settings: AppleSettings | undefined,
  leaf: X509Certificate,
): Identifiers | undefined {
  if (settings !== undefined) return settings;
  const { passTypeIdentifier = "", teamIdentifier = "" } = identityOf(leaf);
  const isForPasses =
    validatorFor(PassType).Check(passTypeIdentifier) && validatorFor(Team).Check(teamIdentifier);
  return isForPasses ? { passTypeIdentifier, teamIdentifier } : undefined;
}

/** Refuses an upload with a sentence for each fault, and returns what is worth a warning. */
export async function checkUpload(
  upload: Upload & { readonly key: KeyObject },
  settings: AppleSettings | undefined,
  { clock, runtime }: TenantContext,
): Promise<CredentialProblem[]> {
  const { leaf, key, others, fields } = upload;
  const identifiers = expectedIdentifiers(settings, leaf);
  if (identifiers === undefined) {
    const message =
      "is not a certificate for passes: its subject must name a pass type (UID=pass.…) and a team (OU)";
    throw fault(fields.leaf, message);
  }
  const texts = new Map<string, string>();
  const add = (field: string, text: string) => texts.set(field, `${texts.get(field) ?? ""}${text}`);
  add(fields.leaf, leaf.toString());
  for (const each of others) add(fields.others, each.toString());
  add(fields.key, key.export({ type: "pkcs8", format: "pem" }).toString());
  const secrets = {
    certificate: fields.leaf,
    key: fields.key,
    ...(fields.others === "intermediate" ? { intermediate: fields.others } : {}),
  };
  const findings = await findingsOf({ ...identifiers, secrets }, texts, clock);
  const errors: Record<string, string[]> = {};
  for (const finding of findings.filter(preventsSigning)) {
    const { field, message } = sentenceOf(finding, leaf, identifiers);
    const known = errors[field] ?? [];
    if (!known.includes(message)) errors[field] = [...known, message];
  }
  if (Object.keys(errors).length > 0) throw validationProblem(errors);
  const ofAddress = appleAddressFindings(runtime.baseUrl, { file: fields.leaf });
  return [...findings, ...ofAddress].map(presentFinding);
}

function sentenceOf(finding: Finding, leaf: X509Certificate, identifiers: Identifiers) {
  const { code, file: field, message, hint } = finding;
  if (code === credentialIdentifier.code) return { field, message: mismatch(leaf, identifiers) };
  if (code !== credentialChainMissing.code) return { field, message: `${message} ${hint}` };
  const advice = "Apple offers it for download as 'Worldwide Developer Relations'.";
  return { field: "intermediate", message: `is needed: ${message} ${advice}` };
}

function mismatch(leaf: X509Certificate, expected: Identifiers): string {
  const { passTypeIdentifier, teamIdentifier } = identityOf(leaf);
  const parts = [
    { what: "pass type", is: passTypeIdentifier, shall: expected.passTypeIdentifier },
    { what: "team", is: teamIdentifier, shall: expected.teamIdentifier },
  ];
  const sentences = parts
    .filter(({ is, shall }) => is !== shall)
    .map(({ what, is, shall }) =>
      is === undefined
        ? `The certificate names no ${what}, and server/apple.yml says '${shall}'.`
        : `The certificate was issued for the ${what} '${is}', and server/apple.yml says '${shall}'.`,
    );
  return sentences.join(" ");
}

/** Checks secrets that are at hand, under the names that the settings give them. */
export function findingsOf(
  settings: AppleSettings,
  texts: ReadonlyMap<string, string>,
  clock: Clock,
): Promise<Finding[]> {
  const members = { ...settings.secrets, passTypeIdentifier: "", teamIdentifier: "" };
  const places: Record<string, Place> = {};
  for (const [member, name] of Object.entries(members)) {
    places[member] = { file: name === "" ? settings.secrets.certificate : name };
  }
  const named = { path: settings.secrets.certificate, settings, places };
  return appleCredentialFindings(named, { read: async (name) => texts.get(name) }, clock);
}

/** What is wrong with a slot, if anything; its parts are called by the names given. */
export async function slotProblems(
  texts: SlotTexts,
  settings: AppleSettings,
  clock: Clock,
): Promise<CredentialProblem[]> {
  const known = new Map<string, string>();
  for (const role of ["certificate", "key", "passphrase", "intermediate"] as const) {
    const [name, text] = [settings.secrets[role], texts[role]];
    if (name !== undefined && text !== undefined) {
      known.set(name, `${known.get(name) ?? ""}${text}`);
    }
  }
  return (await findingsOf(settings, known, clock)).map(presentFinding);
}

export function presentFinding({ severity, code, message, hint }: Finding): CredentialProblem {
  return { severity, code, message, hint };
}
