import {
  createHash,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  type X509Certificate,
} from "node:crypto";
import { promisify } from "node:util";
import type { TenantContext } from "#kernel/context.ts";
import { issuerAmong } from "../../apple/apple.credential.ts";
import type { AppleSettings } from "../../apple/apple.schema.ts";
import { resumePushes } from "../../apple/push/push-queue.service.ts";
import { APPLE_FILE } from "../../apple/signing/apple-signer.ts";
import { preventsSigning } from "../../credential.findings.ts";
import { checkUpload, expectedIdentifiers, slotProblems } from "./certificate.checks.ts";
import { appleNextMissing, appleNextUnusable } from "./certificate.errors.ts";
import { buildSigningRequest } from "./certificate.request.ts";
import type {
  AppleCertificatePut,
  AppleCertificateStored,
  AppleRequest,
  AppleSlots,
  SlotName,
} from "./certificate.schema.ts";
import { fault, readUpload, type Upload } from "./certificate.upload.ts";
import {
  appleSettingsOf,
  readSlots,
  readSlotsForUpdate,
  type Slots,
  writeCurrent,
  writeNext,
  writeRequests,
} from "./slot.service.ts";
import {
  keyIn,
  type Material,
  presentSlot,
  type ReadSlot,
  readSlot,
  type SecretNames,
  type SlotTexts,
  textsOf,
} from "./slot.texts.ts";

const TARGET = "wallet:apple";
const KEY_BITS = 2_048;

/** Checks what was sent, and stores it only if passes can be signed with it. */
export async function putAppleCertificate(
  context: TenantContext,
  sent: AppleCertificatePut,
): Promise<AppleCertificateStored> {
  const upload = await readUpload(sent);
  const slots = await readSlots(context);
  const { leaf } = upload;
  const key = upload.key ?? keyFor(leaf, slots);
  if (key === undefined) {
    const message =
      "is needed: no private key was sent, and no request made here belongs to this certificate";
    throw fault("key", message);
  }
  const whole = { ...withKnownIssuer(upload, slots), key };
  const problems = await checkUpload(whole, slots.settings, context);
  const material: Material = { leaf, key, issuer: issuerAmong(leaf, whole.others) };
  return await context.transaction(async (tx) => {
    const known = await readSlotsForUpdate(context, tx, slots.settings);
    const slot = sent.slot ?? freeSlot(known, leaf);
    const before = readSlot((slot === "current" ? known.current : known.next) ?? {});
    if (slot === "current") {
      await writeCurrent(context, tx, known.names, material);
      await resumePushes(tx);
    } else await writeNext(context, tx, textsOf(material));
    const waiting = known.requests.filter((pem) => !isKeyOf(leaf, keyIn({ key: pem })));
    if (waiting.length < known.requests.length) await writeRequests(context, tx, waiting);
    const certificate = presentSlot(material, tx.now);
    const shown = before === undefined ? undefined : { slot, ...presentSlot(before, tx.now) };
    tx.audit({ target: TARGET, before: shown, after: { slot, ...certificate } });
    return { slot, certificate, problems, files: missingFiles(known, leaf) };
  });
}

/** A certificate that was requested here comes alone: its key waits, or is in one of the slots. */
function keyFor(leaf: X509Certificate, { requests, next, current }: Slots): KeyObject | undefined {
  const kept = [...requests.map((key): SlotTexts => ({ key })), next ?? {}, current];
  return kept.map(keyIn).find((key) => isKeyOf(leaf, key));
}

function isKeyOf(leaf: X509Certificate, key: KeyObject | undefined): boolean {
  return key !== undefined && leaf.checkPrivateKey(key);
}

/** A renewed certificate mostly has the issuer of the former one, which need not be sent again. */
function withKnownIssuer(upload: Upload, { next, current }: Slots): Upload {
  if (upload.others.length > 0) return upload;
  const known = [current, next ?? {}].flatMap((texts) => readSlot(texts)?.issuer ?? []);
  const issuer = issuerAmong(upload.leaf, known);
  if (issuer === undefined) return upload;
  return { ...upload, others: [issuer], fields: { ...upload.fields, others: "intermediate" } };
}

function freeSlot({ current }: Slots, leaf: X509Certificate): SlotName {
  const known = readSlot(current);
  const isUsable = known?.key !== undefined;
  return isUsable && known.leaf.fingerprint256 !== leaf.fingerprint256 ? "next" : "current";
}

/** The file without which the secrets are not used. */
export function missingFiles(
  { settings, names }: Slots,
  leaf: X509Certificate,
): Readonly<Record<string, string>> {
  const identifiers = expectedIdentifiers(settings, leaf);
  if (settings !== undefined || identifiers === undefined) return {};
  const text = `passTypeIdentifier: ${identifiers.passTypeIdentifier}
teamIdentifier: ${identifiers.teamIdentifier}
secrets: { certificate: ${names.certificate}, key: ${names.key} }
`;
  return { [APPLE_FILE]: text };
}

/** Makes a key that stays here, and the request with which Apple gives a certificate for it. */
export async function createAppleRequest(
  context: TenantContext,
  commonName: string | undefined,
): Promise<AppleRequest> {
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: KEY_BITS });
  const request = buildSigningRequest(privateKey, commonName ?? context.tenantId);
  const spki = createPublicKey(privateKey).export({ type: "spki", format: "der" });
  const publicKeyFingerprint = createHash("sha256").update(spki).digest("hex");
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const settings = await appleSettingsOf(context);
  return await context.transaction(async (tx) => {
    const { requests } = await readSlotsForUpdate(context, tx, settings);
    await writeRequests(context, tx, [pem, ...requests]);
    tx.audit({ target: TARGET, after: { publicKeyFingerprint } });
    return { request, publicKeyFingerprint, createdAt: tx.now.toISOString() };
  });
}

/**
 * The certificate that waits is used from now on, and the former one waits: the same call switches
 * back.
 */
export async function rotateAppleCertificate(context: TenantContext): Promise<AppleSlots> {
  const settings = await appleSettingsOf(context);
  return await context.transaction(async (tx) => {
    const { names, current, next } = await readSlotsForUpdate(context, tx, settings);
    if (next === undefined) throw appleNextMissing();
    const material = await requireUsable(context, next, settings);
    await writeCurrent(context, tx, names, material);
    await writeNext(context, tx, current);
    await resumePushes(tx);
    const view = (slot: ReadSlot | undefined) =>
      slot === undefined ? null : presentSlot(slot, tx.now);
    const [was, waited] = [view(readSlot(current)), view(material)];
    tx.audit({
      target: TARGET,
      before: { current: was, next: waited },
      after: { current: waited, next: was },
    });
    return { current: waited, next: was };
  });
}

/** Checked again: time has passed since it was stored, and the tenant's file may have changed. */
async function requireUsable(
  context: TenantContext,
  texts: SlotTexts,
  settings: AppleSettings | undefined,
): Promise<Material> {
  const slot = readSlot(texts);
  const identifiers = slot === undefined ? undefined : expectedIdentifiers(settings, slot.leaf);
  if (slot?.key === undefined || identifiers === undefined) {
    const problems = ["The slot 'next' holds no certificate with its key that can be read."];
    throw appleNextUnusable({ problems });
  }
  const material = { ...slot, key: slot.key };
  const problems = await slotProblems(
    textsOf(material),
    { ...identifiers, secrets: nextNames(material) },
    context.clock,
  );
  const errors = problems.filter(preventsSigning);
  if (errors.length === 0) return material;
  throw appleNextUnusable({ problems: errors.map(({ message, hint }) => `${message} ${hint}`) });
}

/** What the parts of the waiting slot are called in sentences about them. */
export function nextNames({ issuer }: Pick<ReadSlot, "issuer">): SecretNames {
  const names = { certificate: "next", key: "next" };
  return issuer === undefined ? names : { ...names, intermediate: "next, intermediate" };
}
