import { createHmac, hash } from "node:crypto";
import type { TenantContext } from "#kernel/context.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import { contentKey, contentOf } from "#src/content/public.ts";
import type { Pass } from "#src/passes/public.ts";
import { findMessage, type PassMessage } from "../../messages/message.repository.ts";
import { isAppleReachable } from "../../wallet.address.ts";
import type { AppleIdentity } from "../apple.content.ts";
import { asksHolder } from "../enrolment/enrolment.files.ts";
import { type AppleSigner, appleSignerOf } from "../signing/apple-signer.ts";
import { archivePieces } from "./bundle.archive.ts";
import { type BundleInput, buildUnsigned, type SharedFiles, signBundle } from "./bundle.build.ts";
import { BundleCache, type KeptBundle } from "./bundle.cache.ts";
import {
  applePassesCount,
  applePassesSize,
  PASSES_BYTES_MAX,
  PASSES_MAX,
  PASSES_MIN,
} from "./bundle.errors.ts";
import { picturesOf } from "./picture.service.ts";

export const PKPASS_TYPE = "application/vnd.apple.pkpass";
export const PKPASSES_TYPE = "application/vnd.apple.pkpasses";

const CACHE_BYTES_MAX = 64 * 1024 * 1024;

/** A pass as Apple Wallet takes it (`.pkpass`). */
export type AppleBundle = {
  /** A new copy each time it is read. */
  readonly bytes: Buffer;
  /** The same without a copy: the pieces stay in memory once, and are not to be changed. */
  readonly pieces: readonly Buffer[];
  readonly sizeBytes: number;
  /** Changes exactly when the content changes, or the certificate that signs it. */
  readonly fingerprint: string;
  /** Whether a change of privileges may change the content. */
  readonly showsPrivileges: boolean;
};

const stateOf = perRuntime(() => ({
  cache: new BundleCache(CACHE_BYTES_MAX),
  underWay: new Map<string, Promise<KeptBundle>>(),
}));

export const bundleCacheOf = (runtime: TenantContext["runtime"]): BundleCache =>
  stateOf(runtime).cache;

/** The bundle of a pass, signed when its content has changed since it was last asked for. */
export async function appleBundleOf(context: TenantContext, pass: Pass): Promise<AppleBundle> {
  return await appleBundleWith(context, pass, await findMessage(context, pass.id));
}

/** The same for callers that have read the message already. */
export async function appleBundleWith(
  context: TenantContext,
  pass: Pass,
  message: PassMessage | undefined,
): Promise<AppleBundle> {
  const { cache, underWay } = stateOf(context.runtime);
  const { clearings } = cache;
  const signer = await appleSignerOf(context);
  const content = await contentOf(context, pass);
  const isVoided = isOver(context, pass);
  // The holder's answers come to the web service, so without one the pass asks for none.
  const asks = hasService(context, signer) && asksHolder({ ...content, data: pass.data, isVoided });
  const shared = await picturesOf(context, content.template, asks);
  const key = contentKey(context.tenantId, pass.id);
  const versions = [pass.version, content.configurationVersion, content.privilegesVersion];
  const stamp = [...versions, message?.id, isVoided, signer.fingerprint].join(" ");
  const known = cache.get(key);
  const { readsPrivileges } = content.template;
  if (known?.stamp === stamp) return present(shared, known, readsPrivileges);

  const identity = identityOf(context, pass, signer, isVoided);
  const { template, rendered } = content;
  const input = { template, rendered, identity, message, asks };
  const name = `${key} ${stamp}`;
  const making = underWay.get(name) ?? makeBundle(context, { shared, signer, input, stamp, known });
  underWay.set(name, making);
  try {
    const made = await making;
    cache.set(key, made, clearings);
    return present(shared, made, readsPrivileges);
  } finally {
    underWay.delete(name);
  }
}

/** Compared with the clock, because an expired pass keeps its status until the next sweep. */
export function isOver({ clock }: TenantContext, { status, expiresAt }: Pass): boolean {
  return status !== "active" || (expiresAt !== null && expiresAt <= clock.now());
}

/** Put together when the bytes are read, because some callers need only the fingerprint. */
function present(
  shared: SharedFiles,
  { rest, fingerprint }: KeptBundle,
  showsPrivileges: boolean,
): AppleBundle {
  const pieces = [shared.start.records, rest];
  return {
    fingerprint,
    showsPrivileges,
    pieces,
    sizeBytes: shared.start.records.length + rest.length,
    get bytes() {
      return Buffer.concat(pieces);
    },
  };
}

/**
 * iOS refuses a whole pass for the address of a service that it does not accept, so such a pass has none and
 * gets no updates. The phone of the simulator takes any address.
 */
function hasService(
  { runtime }: Pick<TenantContext, "runtime">,
  { isDevelopment }: Pick<AppleSigner, "isDevelopment">,
): boolean {
  return isDevelopment || isAppleReachable(runtime.baseUrl);
}

function identityOf(
  context: TenantContext,
  pass: Pass,
  signer: AppleSigner,
  isVoided: boolean,
): AppleIdentity {
  const { passTypeIdentifier, teamIdentifier } = signer;
  const names = { passTypeIdentifier, teamIdentifier, isVoided };
  if (!hasService(context, signer)) return names;
  const url = `${context.runtime.baseUrl}/.well-known/wallet/${context.tenantId}`;
  return { ...names, service: { url, authenticationToken: appleTokenOf(pass) } };
}

type Ingredients = {
  readonly shared: SharedFiles;
  readonly signer: AppleSigner;
  readonly input: BundleInput;
  readonly stamp: string;
  readonly known: KeptBundle | undefined;
};

/** A new version of a pass with the same content keeps its bytes, and is not signed again. */
async function makeBundle(
  { clock }: TenantContext,
  { shared, signer, input, stamp, known }: Ingredients,
): Promise<KeptBundle> {
  const unsigned = buildUnsigned(shared, input);
  const fingerprint = hash("sha256", `${signer.fingerprint} ${unsigned.manifest}`, "base64url");
  if (known?.fingerprint === fingerprint) return { ...known, stamp };
  const rest = await signBundle(shared, unsigned, signer.sign, clock.now());
  return { stamp, fingerprint, rest, sizeBytes: rest.length };
}

const TOKEN_LABEL = "apple authentication token";

/** Proves to the web service that a device holds the pass. Never changes for a pass. */
export function appleTokenOf({ secret }: Pick<Pass, "secret">): string {
  return createHmac("sha256", secret).update(TOKEN_LABEL).digest("base64url");
}

/** Several passes in one file (`.pkpasses`), which the phone adds at once. */
export type ApplePasses = {
  readonly bundles: readonly { readonly pass: Pass; readonly bundle: AppleBundle }[];
  /** Changes exactly when one of the bundles does. */
  readonly fingerprint: string;
  /**
   * The file in pieces. Those of the pictures are shared with every other file that has them: a file
   * may be large, and anybody with a link may ask for many at once.
   */
  readonly pieces: () => Buffer[];
};

export async function applePassesOf(
  context: TenantContext,
  passes: readonly Pass[],
): Promise<ApplePasses> {
  const count = new Set(passes.map(({ id }) => id)).size;
  if (count !== passes.length || count < PASSES_MIN || count > PASSES_MAX) {
    throw applePassesCount({ count });
  }
  const bundles: { pass: Pass; bundle: AppleBundle }[] = [];
  for (const pass of passes) bundles.push({ pass, bundle: await appleBundleOf(context, pass) });
  const sizeBytes = bundles.reduce((total, { bundle }) => total + bundle.sizeBytes, 0);
  if (sizeBytes > PASSES_BYTES_MAX) throw applePassesSize();
  const fingerprints = bundles.map(({ bundle }) => bundle.fingerprint).join(" ");
  return {
    bundles,
    fingerprint: hash("sha256", fingerprints, "base64url"),
    pieces: () =>
      archivePieces(
        bundles.map(({ pass, bundle }) => ({ name: `${pass.id}.pkpass`, pieces: bundle.pieces })),
      ),
  };
}
