import { setImmediate as nextTurn } from "node:timers/promises";
import { isAllowed, PLATFORM_SCOPE } from "#kernel/actor.ts";
import type { TenantContext } from "#kernel/context.ts";
import { contentHash } from "#kernel/crypto/content-hash.ts";
import { violatedUnique } from "#kernel/db/failures.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { missingRight } from "#kernel/http/right-missing.ts";
import { isTenantNotFound, tenantNotFound } from "#kernel/tenant.errors.ts";
import {
  type FileSet,
  type Finding,
  fileSetProblems,
  hasError,
  toFileSet,
} from "#src/files/public.ts";
import type { TenantSettings } from "../settings/tenant.settings.ts";
import { tenantBeingErased, tenantCreationForbidden, tenantIdReserved } from "../tenant.errors.ts";
import { configurationPublished } from "../tenant.events.ts";
import * as tenants from "../tenant.repository.ts";
import { RESERVED_TENANT_IDS } from "../tenant.reserved.ts";
import type { Tenant } from "../tenant.schema.ts";
import { TENANT_SIGNAL } from "../tenant.signal.ts";
import { type CheckedConfiguration, checkConfiguration } from "./configuration.checks.ts";
import { diffFiles } from "./configuration.diff.ts";
import {
  configurationChangedMeanwhile,
  configurationDomainTaken,
  configurationDraftNotFound,
  configurationDraftOutdated,
  configurationHasErrors,
  configurationRefused,
  configurationVersionNotFound,
} from "./configuration.errors.ts";
import * as files from "./configuration.repository.ts";
import { holdFiles } from "./configuration.room.ts";
import {
  type ConfigurationPublished,
  DRAFT_VERSION,
  type FileChange,
} from "./configuration.schema.ts";
import { nextConfiguration, type StoredFiles, storedFiles } from "./configuration.snapshot.ts";
import { preparePublication } from "./configuration.steps.ts";

/** An edit of files. A file that is null is deleted. */
export type FileEdit = {
  readonly replaces: boolean;
  readonly files: ReadonlyMap<string, Buffer | null>;
  readonly message: string | null;
  /** The version that the caller has decided by; if another one is in force by now, nothing happens. */
  readonly decidedBy?: number;
  /**
   * Runs in the transaction that publishes, for what must change together with the files. `isChange`
   * is false if the files are those in force already: then nothing else is written, nor audited.
   */
  alongside?(tx: TenantTx, isChange: boolean): Promise<void>;
};

export type Published = ConfigurationPublished & { readonly created: boolean };

/**
 * Publishes an edit as the next version. The check takes time and holds no lock. If another
 * publication commits meanwhile, this one is refused and changes nothing.
 */
export async function publishConfiguration(
  context: TenantContext,
  edit: FileEdit,
): Promise<Published> {
  const base = await findBase(context, edit);
  if (edit.decidedBy !== undefined && edit.decidedBy !== base?.version) {
    throw configurationChangedMeanwhile();
  }
  const before =
    edit.replaces || base === undefined ? new Map() : await files.loadFiles(context, base.version);
  const next = applyEdit(before, edit);
  return await publish(context, base, next, edit.message, edit);
}

/**
 * Stores an edit that has no effect yet. A draft may have errors: `GET …/test` lists them, and the
 * answer here has the warnings only.
 */
export async function draftConfiguration(
  context: TenantContext,
  edit: FileEdit,
): Promise<{ readonly tag: string; readonly reply: ConfigurationPublished }> {
  const base = await findTenant(context);
  if (base === undefined) throw tenantNotFound(context);
  const { draft, before } = await readGround(context, base, edit.replaces);
  context.requireMatch(tagOf(base, draft));
  const next = applyEdit(before, edit);
  const warnings = warningsOf((await checkConfiguration(context, next)).findings);
  const hashes = await hashAll(next);
  const changes = diffFiles(hashesOf(await storedFiles(context, base.version)), hashes);
  const tag = await context.transaction(async (tx) => {
    await requireUnchanged(tx, base);
    await requireSameDraft(tx, draft);
    await files.deleteFiles(tx, DRAFT_VERSION);
    await files.insertFiles(tx, DRAFT_VERSION, { files: next, hashes });
    const drafted = {
      baseVersion: base.version,
      revision: (draft?.revision ?? 0) + 1,
      author: context.actor.id,
      message: edit.message,
      updatedAt: tx.now,
    };
    await files.upsertDraft(tx, drafted);
    tx.audit({ target: `tenant:${context.tenantId}`, after: { draft: true, ...summary(changes) } });
    return files.draftTag(drafted);
  });
  const { tenantId } = context;
  return { tag, reply: { tenantId, version: base.version, draft: true, changes, warnings } };
}

function warningsOf(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ severity }) => severity === "warning");
}

/**
 * An edit changes the draft, or the version in force if there is no draft. An edit that replaces
 * all files needs neither.
 */
async function readGround(
  context: TenantContext,
  base: Tenant,
  replaces: boolean,
): Promise<{ draft?: files.Draft | undefined; before: FileSet }> {
  if (replaces) return { draft: await files.findDraft(context), before: new Map() };
  const loaded = await files.loadDraft(context);
  if (loaded === undefined) return { before: await files.loadFiles(context, base.version) };
  requireCurrent(loaded.draft, base);
  return { draft: loaded.draft, before: loaded.files };
}

export async function publishDraft(
  context: TenantContext,
  message: string | null,
): Promise<Published> {
  const bytes = await files.sumSizes(context, DRAFT_VERSION);
  return await holdFiles(context, bytes, () => publishLoadedDraft(context, message));
}

async function publishLoadedDraft(
  context: TenantContext,
  message: string | null,
): Promise<Published> {
  const [base, loaded] = await Promise.all([findTenant(context), files.loadDraft(context)]);
  if (loaded === undefined || base === undefined) throw configurationDraftNotFound();
  const { draft } = loaded;
  context.requireMatch(tagOf(base, draft));
  requireCurrent(draft, base);
  return await publish(context, base, loaded.files, message ?? draft.message, { draft });
}

export async function discardDraft(context: TenantContext): Promise<void> {
  await context.transaction(async (tx) => {
    const draft = await files.findDraftForUpdate(tx);
    if (draft === undefined) throw configurationDraftNotFound();
    context.requireMatch(files.draftTag(draft));
    await files.deleteDraft(tx);
    tx.audit({ target: `tenant:${context.tenantId}`, before: { draft: true } });
  });
}

/** Publishes the files of an older version as a new version, because history is never rewritten. */
export async function rollBackConfiguration(
  context: TenantContext,
  version: number,
  message: string | null,
): Promise<Published> {
  const base = await findBase(context);
  if (base === undefined) throw tenantNotFound(context);
  if (!(await files.hasVersion(context, version))) throw configurationVersionNotFound({ version });
  return await holdFiles(context, await files.sumSizes(context, version), async () => {
    const { next, checked } = await checkOldVersion(context, version);
    return await publish(context, base, next, message ?? `Back to version ${version}`, { checked });
  });
}

type OldVersion = { readonly next: FileSet; readonly checked: CheckedConfiguration };
type Checking = Pick<TenantContext, "runtime" | "tenantId"> & {
  readonly version: number;
  readonly checked: Promise<OldVersion>;
};

const checking = new Set<Checking>();

/** Requests for a version that is already being checked share that check. */
async function checkOldVersion(context: TenantContext, version: number): Promise<OldVersion> {
  const { runtime, tenantId } = context;
  const isSame = (other: Checking) =>
    other.runtime === runtime && other.tenantId === tenantId && other.version === version;
  const known = [...checking].find(isSame);
  if (known !== undefined) return await known.checked;
  const check = async () => {
    const next = await files.loadFiles(context, version);
    return { next, checked: await checkConfiguration(context, next) };
  };
  const added = { runtime, tenantId, version, checked: check() };
  checking.add(added);
  try {
    return await added.checked;
  } finally {
    checking.delete(added);
  }
}

/**
 * What a change of the draft replaces: the draft, or the version in force if there is none. A caller who
 * knows only the version that a draft is made from has not read the draft.
 */
function tagOf(base: Tenant, draft: files.Draft | undefined): number | string {
  return draft === undefined ? base.version : files.draftTag(draft);
}

async function findTenant(context: TenantContext): Promise<Tenant | undefined> {
  const { tenantId } = context;
  if (RESERVED_TENANT_IDS.has(tenantId)) throw tenantIdReserved({ tenantId });
  const tenant = await tenants.findTenant(context);
  if (tenant === undefined) requireCreator(context);
  return tenant;
}

async function findBase(context: TenantContext, edit?: FileEdit): Promise<Tenant | undefined> {
  const base = await findTenant(context);
  context.requireMatch((await isThere(context, base, edit)) ? base?.version : undefined);
  return base;
}

/**
 * Whether the resource exists that the conditions of the request are about: the tenant, or the files of
 * an edit that changes more alongside, which stand for settings with an address of their own. Without the
 * difference, `If-None-Match: *` could create no settings in a tenant that exists.
 */
async function isThere(
  context: TenantContext,
  base: Tenant | undefined,
  edit: FileEdit | undefined,
): Promise<boolean> {
  if (base === undefined || edit?.alongside === undefined) return base !== undefined;
  const entries = await files.listEntries(context, base.version);
  return entries.some(({ path }) => edit.files.has(path));
}

/** Only the platform may create a tenant: a tenant that does not exist has no users of its own. */
function requireCreator({ actor, tenantId }: TenantContext): void {
  if (isAllowed(actor, PLATFORM_SCOPE, tenantId)) return;
  throw tenantCreationForbidden(missingRight(actor, PLATFORM_SCOPE, tenantId));
}

function applyEdit(before: FileSet, edit: FileEdit): FileSet {
  const next = new Map(before);
  for (const [path, content] of edit.files) {
    if (content === null) next.delete(path);
    else next.set(path, content);
  }
  const sizes = [...next].map(([path, content]) => ({ path, sizeBytes: content.length }));
  const problems = fileSetProblems(sizes, "files");
  if (problems !== undefined) throw configurationRefused(problems);
  return toFileSet(next);
}

type PublishOptions = {
  /** The draft that the files come from. It is deleted in the transaction that publishes. */
  readonly draft?: files.Draft;
  /** The result of the check, if the caller has checked the files already. */
  readonly checked?: CheckedConfiguration;
  readonly alongside?: FileEdit["alongside"];
};

async function publish(
  context: TenantContext,
  base: Tenant | undefined,
  next: FileSet,
  message: string | null,
  { draft, checked: known, alongside }: PublishOptions = {},
): Promise<Published> {
  const { findings, settings } = known ?? (await checkConfiguration(context, next));
  if (hasError(findings) || settings === undefined) throw configurationHasErrors(findings);
  const before = base && (await storedFiles(context, base.version));
  const hashes = await hashAll(next);
  const changes = diffFiles(hashesOf(before), hashes);
  const { tenantId } = context;
  const warnings = warningsOf(findings);
  if (base !== undefined && changes.length === 0) {
    await context.transaction(async (tx) => {
      await requireUnchanged(tx, base);
      await alongside?.(tx, false);
      if (draft === undefined) return;
      await closeDraft(tx, draft);
      const after = { version: base.version, ...summary(changes), message };
      tx.audit({ target: `tenant:${tenantId}`, before: { draft: true }, after });
    });
    return { tenantId, version: base.version, changes, warnings, created: false };
  }
  const version = (base?.version ?? 0) + 1;
  const set = { files: next, hashes };
  const upcoming = nextConfiguration({ tenantId, version, settings }, set);
  const runSteps = await preparePublication(context, upcoming, before);
  const createsTenant = base === undefined;
  const work = async (tx: TenantTx) => {
    await runSteps(tx);
    await openVersion(tx, base, settings, version);
    await files.insertFiles(tx, version, set);
    await files.insertVersion(tx, { version, author: context.actor.id, message, changes });
    if (draft !== undefined) await closeDraft(tx, draft);
    await alongside?.(tx, true);
    tx.emit(configurationPublished, {
      tenantId,
      version,
      ...summary(changes),
      message,
      author: context.actor.id,
    });
    tx.audit({ target: `tenant:${tenantId}`, after: { version, ...summary(changes), message } });
    tx.signal(TENANT_SIGNAL, tenantId);
  };
  try {
    await context.transaction(work, { createsTenant });
  } catch (error) {
    if (createsTenant && isTenantNotFound(error)) throw tenantBeingErased({ tenantId });
    throw violatedUnique(error) === "tenant_custom_domain_key" ? configurationDomainTaken() : error;
  }
  return { tenantId, version, changes, warnings, created: version === 1 };
}

/** Locks the tenant until the commit. Throws if another request has changed it meanwhile. */
async function openVersion(
  tx: TenantTx,
  base: Tenant | undefined,
  settings: TenantSettings,
  version: number,
): Promise<void> {
  if (base !== undefined) {
    await requireUnchanged(tx, base);
    await tenants.updateTenant(tx, settings, version);
    return;
  }
  if (!(await tenants.insertTenant(tx, settings))) throw configurationChangedMeanwhile();
}

/** Refuses an outdated draft: publishing or editing it would undo versions published since. */
function requireCurrent({ baseVersion }: files.Draft, { version }: Tenant): void {
  if (baseVersion === version) return;
  throw configurationDraftOutdated({ base: baseVersion, current: version });
}

async function requireSameDraft(tx: TenantTx, known: files.Draft | undefined): Promise<void> {
  const current = await files.findDraftForUpdate(tx);
  // Revisions alone are not enough: a draft that was discarded and begun again starts at one.
  const isSame =
    current?.revision === known?.revision &&
    current?.updatedAt.getTime() === known?.updatedAt.getTime();
  if (!isSame) throw configurationChangedMeanwhile();
}

async function closeDraft(tx: TenantTx, draft: files.Draft): Promise<void> {
  await requireSameDraft(tx, draft);
  await files.deleteDraft(tx);
}

/** Files up to 256 KiB are hashed on the event loop. After so many, other requests are served. */
const HASHED_PER_TURN = 20;
const CHANGES_TOLD_MAX = 200;

/** Limits the changes in an event, so that it stays small. The history lists all changes. */
function summary(changes: readonly FileChange[]) {
  return { changes: changes.slice(0, CHANGES_TOLD_MAX), changeCount: changes.length };
}

async function requireUnchanged(tx: TenantTx, base: Tenant): Promise<void> {
  const tenant = await tenants.findTenantForUpdate(tx);
  if (tenant === undefined || tenant.isDeleted) throw tenantNotFound({ tenantId: tx.tenantId });
  if (tenant.version !== base.version) throw configurationChangedMeanwhile();
}

function hashesOf(stored: StoredFiles | undefined): Map<string, Buffer> {
  return new Map([...(stored?.entries.values() ?? [])].map(({ path, hash }) => [path, hash]));
}

/** Called before the transaction, because a transaction holds a connection and must be short. */
async function hashAll(set: FileSet): Promise<Map<string, Buffer>> {
  const hashes = new Map<string, Buffer>();
  for (const [path, content] of set) {
    if (hashes.size % HASHED_PER_TURN === HASHED_PER_TURN - 1) await nextTurn();
    hashes.set(path, await contentHash(content));
  }
  return hashes;
}
