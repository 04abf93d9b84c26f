import { createHash, type KeyObject, X509Certificate } from "node:crypto";
import type { TenantContext } from "#kernel/context.ts";
import type { SecretReader } from "#src/files/public.ts";
import { checkYaml, readYaml } from "#src/files/public.ts";
import { readSecret, secretsStampOf } from "#src/secrets/public.ts";
import { type Configuration, configurationOf } from "#src/tenants/public.ts";
import { credentialExpired, preventsSigning } from "../../credential.findings.ts";
import { readPrivateKey } from "../../credentials/pkcs12/private-key.ts";
import { appleCredentialFindings, certificatesIn, issuerAmong } from "../apple.credential.ts";
import { AppleSettings } from "../apple.schema.ts";
import { DEVELOPMENT_TEAM, developmentPassType } from "./authority.certificates.ts";
import { developmentIdentityOf } from "./authority.service.ts";
import { createDetachedSigner } from "./cms.ts";
import { appleNotConfigured, appleNotUsable } from "./signer.errors.ts";

/** Who signs the passes of a tenant for Apple Wallet. */
export type AppleSigner = {
  readonly passTypeIdentifier: string;
  readonly teamIdentifier: string;
  /**
   * True for the development authority: no real phone accepts its passes, and whoever shows them
   * must say so.
   */
  readonly isDevelopment: boolean;
  readonly certificatePem: string;
  /** The certificates that issued it, from the next one upwards, without the root. */
  readonly intermediatesPem: readonly string[];
  /** PKCS #8, without a passphrase: the certificate also opens connections to the push service. */
  readonly keyPem: string;
  /** Changes with the certificate, and with those that are sent along: both stand in signatures. */
  readonly fingerprint: string;
  readonly expiresAt: Date;
  /** Returns a detached signature (CMS, DER) over these bytes. */
  sign(content: Uint8Array, at: Date): Promise<Buffer>;
};

export const APPLE_FILE = "server/apple.yml";

type Kept = { readonly stamp: string; readonly signer: Promise<AppleSigner> };

/** One signer for each version of a tenant's files, until the secrets change. */
const kept = new WeakMap<Configuration, Kept>();

/**
 * Returns the signer in force for this call. Throws a problem in plain words if there is none that
 * works: in production without credentials, or with credentials that Apple Wallet would refuse.
 */
export async function appleSignerOf(context: TenantContext): Promise<AppleSigner> {
  const configuration = await configurationOf(context);
  const stamp = await secretsStampOf(context);
  let known = kept.get(configuration);
  if (known?.stamp !== stamp) {
    const forget = () => {
      if (kept.get(configuration)?.signer === signer) kept.delete(configuration);
    };
    const signer = makeSigner(context, configuration, forget);
    known = { stamp, signer };
    kept.set(configuration, known);
    // A failure is not kept, because its cause may pass.
    signer.catch(forget);
  }
  const signer = await known.signer;
  if (signer.expiresAt.getTime() <= context.clock.now().getTime()) throw expired(signer);
  return signer;
}

function expired({ expiresAt }: AppleSigner) {
  const date = expiresAt.toISOString().slice(0, "2026-01-01".length);
  const problems = [`Its certificate expired on ${date}.`, credentialExpired.hint];
  return appleNotUsable({ problems });
}

async function makeSigner(
  context: TenantContext,
  configuration: Configuration,
  forget: () => void,
): Promise<AppleSigner> {
  const settings = await readAppleSettings(configuration);
  const stored = settings === undefined ? undefined : await readStored(context, settings);
  if (settings === undefined || stored === undefined) {
    if (context.runtime.environment === "production") throw appleNotConfigured();
    return await developmentSigner(context, settings, forget);
  }
  const named = { path: APPLE_FILE, settings, places: {} };
  const findings = await appleCredentialFindings(named, readerOf(settings, stored), context.clock);
  const problems = findings
    .filter(preventsSigning)
    .map(({ message, hint }) => `${message} ${hint}`);
  if (problems.length > 0) throw appleNotUsable({ problems });
  return storedSigner(settings, stored);
}

/** Undefined if the tenant has no such file. */
export async function readAppleSettings(
  configuration: Configuration,
): Promise<AppleSettings | undefined> {
  const bytes = await configuration.read(APPLE_FILE);
  if (bytes === undefined) return undefined;
  const { file } = readYaml(APPLE_FILE, bytes);
  // A file that does not fit is refused before it is published.
  if (file === undefined || checkYaml(APPLE_FILE, file, AppleSettings).length > 0) return undefined;
  return file.value as AppleSettings;
}

/** The settings in force for this call; undefined if the tenant has none. */
export async function appleSettingsOf(context: TenantContext): Promise<AppleSettings | undefined> {
  const configuration = await configurationOf(context);
  return await configuration.derive("apple settings", () => readAppleSettings(configuration));
}

/**
 * The pass type of a tenant's passes, also while nothing can sign them. Undefined if passes have
 * none.
 */
export async function applePassTypeOf(context: TenantContext): Promise<string | undefined> {
  const settings = await appleSettingsOf(context);
  if (settings !== undefined) return settings.passTypeIdentifier;
  const isProduction = context.runtime.environment === "production";
  return isProduction ? undefined : developmentPassType(context.tenantId);
}

type Stored = Readonly<Record<keyof AppleSettings["secrets"], string | undefined>>;

/** Undefined if neither the certificate nor the key is stored: the tenant has only prepared them. */
async function readStored(
  context: TenantContext,
  { secrets }: AppleSettings,
): Promise<Stored | undefined> {
  const read = async (name: string | undefined) =>
    name === undefined ? undefined : await readSecret(context, name);
  const certificate = await read(secrets.certificate);
  const key = await read(secrets.key);
  if (certificate === undefined && key === undefined) return undefined;
  const passphrase = await read(secrets.passphrase);
  return { certificate, key, passphrase, intermediate: await read(secrets.intermediate) };
}

/** Reads again what was read: a secret that changes meanwhile is not signed with unchecked. */
function readerOf({ secrets }: AppleSettings, stored: Stored): SecretReader {
  const values = new Map(
    (Object.keys(stored) as (keyof Stored)[]).map((role) => [secrets[role], stored[role]]),
  );
  return { read: async (name) => values.get(name) };
}

function storedSigner(settings: AppleSettings, stored: Stored): AppleSigner {
  const [leaf, ...chain] = certificatesIn(stored.certificate ?? "");
  const key = readPrivateKey(stored.key ?? "", stored.passphrase);
  if (leaf === undefined || key === undefined || key === "encrypted") {
    throw appleNotUsable({ problems: ["The certificate or its key cannot be read."] });
  }
  if (!leaf.checkPrivateKey(key)) {
    throw appleNotUsable({ problems: ["The key does not belong to the certificate."] });
  }
  const candidates = [...chain, ...certificatesIn(stored.intermediate ?? "")];
  return createAppleSigner({
    passTypeIdentifier: settings.passTypeIdentifier,
    teamIdentifier: settings.teamIdentifier,
    isDevelopment: false,
    leaf,
    intermediates: chainAbove(leaf, candidates),
    key,
  });
}

/**
 * Follows the issuers from the leaf upwards. The root is left out, because whoever checks has it,
 * unless it issued the leaf itself: the certificate that did is always sent.
 */
export function chainAbove(
  leaf: X509Certificate,
  candidates: readonly X509Certificate[],
): X509Certificate[] {
  const above: X509Certificate[] = [];
  for (let last = leaf; above.length < candidates.length; ) {
    const next = issuerAmong(last, candidates);
    if (next === undefined || above.includes(next)) break;
    if (above.length > 0 && next.checkIssued(next)) break;
    above.push(next);
    last = next;
  }
  return above;
}

async function developmentSigner(
  context: TenantContext,
  settings: AppleSettings | undefined,
  forget: () => void,
): Promise<AppleSigner> {
  const passTypeIdentifier = settings?.passTypeIdentifier ?? developmentPassType(context.tenantId);
  const { authority, leaf, isNew } = await developmentIdentityOf(context, passTypeIdentifier);
  // The next call reads what is stored: the transaction of this one may still be undone.
  if (isNew) forget();
  const key = readPrivateKey(leaf.keyPem, undefined);
  if (key === undefined || key === "encrypted") throw new Error("A development key is damaged.");
  return createAppleSigner({
    passTypeIdentifier,
    teamIdentifier: DEVELOPMENT_TEAM,
    isDevelopment: true,
    leaf: new X509Certificate(leaf.certificatePem),
    intermediates: [new X509Certificate(authority.intermediatePem)],
    key,
  });
}

type SignerParts = {
  readonly passTypeIdentifier: string;
  readonly teamIdentifier: string;
  readonly isDevelopment: boolean;
  readonly leaf: X509Certificate;
  readonly intermediates: readonly X509Certificate[];
  readonly key: KeyObject;
};

const CURVE = "prime256v1";

export function createAppleSigner({
  leaf,
  intermediates,
  key,
  ...names
}: SignerParts): AppleSigner {
  const isCurve = key.asymmetricKeyDetails?.namedCurve === CURVE;
  if (key.asymmetricKeyType !== "rsa" && !isCurve) {
    throw appleNotUsable({ problems: ["Its key must be RSA, or elliptic on the curve P-256."] });
  }
  return {
    ...names,
    certificatePem: leaf.toString(),
    intermediatesPem: intermediates.map((certificate) => certificate.toString()),
    keyPem: key.export({ type: "pkcs8", format: "pem" }).toString(),
    fingerprint: fingerprintOf([leaf, ...intermediates]),
    expiresAt: leaf.validToDate,
    sign: createDetachedSigner(leaf, intermediates, key),
  };
}

function fingerprintOf(certificates: readonly X509Certificate[]): string {
  const digest = createHash("sha256");
  for (const { raw } of certificates) digest.update(raw);
  return digest.digest("hex");
}
