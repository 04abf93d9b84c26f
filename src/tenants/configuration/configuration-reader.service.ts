import type { TenantContext } from "#kernel/context.ts";
import { tenantNotFound } from "#kernel/tenant.errors.ts";
import type { FileSet, Finding } from "#src/files/public.ts";
import * as tenants from "../tenant.repository.ts";
import { checkConfiguration } from "./configuration.checks.ts";
import { diffFiles } from "./configuration.diff.ts";
import {
  configurationDraftNotFound,
  configurationVersionNotFound,
} from "./configuration.errors.ts";
import * as files from "./configuration.repository.ts";
import { holdFiles } from "./configuration.room.ts";
import { DRAFT_VERSION, textOf } from "./configuration.schema.ts";

export type LoadedConfiguration = {
  readonly version: number;
  /** What the ETag is made of: a draft changes, and all drafts have the version 0. */
  readonly tag: number | string;
  readonly files: FileSet;
};

/**
 * Loads the wanted version and passes it to `present`. Without a wanted version, the version in
 * force is loaded; 0 is the draft.
 */
export async function readConfiguration<Result>(
  context: TenantContext,
  wanted: number | undefined,
  present: (loaded: LoadedConfiguration) => Promise<Result>,
): Promise<Result> {
  const version = await resolveVersion(context, wanted);
  const bytes = await files.sumSizes(context, version);
  // Twice the size, because the files and the answer made of them are in memory together.
  return await holdFiles(context, 2 * bytes, async () => {
    // The wait for memory may take seconds, in which the tenant or the version may be deleted.
    await resolveVersion(context, version);
    return present(await getConfiguration(context, version));
  });
}

async function getConfiguration(
  context: TenantContext,
  version: number,
): Promise<LoadedConfiguration> {
  if (version !== DRAFT_VERSION) {
    return { version, tag: version, files: await files.loadFiles(context, version) };
  }
  const loaded = await files.loadDraft(context);
  if (loaded === undefined) throw configurationDraftNotFound();
  return { version, tag: files.draftTag(loaded.draft), files: loaded.files };
}

type Tested = { readonly version: number; readonly findings: readonly Finding[] };

/** Checks the draft if there is one, because the draft is what the tenant is working on. */
export async function testConfiguration(context: TenantContext): Promise<Tested> {
  return await holdFiles(context, await files.sumSizes(context), () => checkCurrent(context));
}

async function checkCurrent(context: TenantContext): Promise<Tested> {
  const draft = await files.loadDraft(context);
  const loaded =
    draft === undefined
      ? await getConfiguration(context, await resolveVersion(context, undefined))
      : { version: DRAFT_VERSION, files: draft.files };
  const { findings } = await checkConfiguration(context, loaded.files);
  return { version: loaded.version, findings };
}

const SIDE_BYTES_MAX = 64 * 1024;
const SIDES_BYTES_MAX = 8 * 1024 * 1024;

/** Lists what changed between two versions. Texts that are too long, or not texts, are left out. */
export async function diffConfigurations(context: TenantContext, from: number, to?: number) {
  const [oldVersion, newVersion] = [
    await resolveVersion(context, from),
    await resolveVersion(context, to),
  ];
  const [before, after] = await Promise.all([
    entriesByPath(context, oldVersion),
    entriesByPath(context, newVersion),
  ]);
  let budget = SIDES_BYTES_MAX;
  const side = async (entry: files.FileEntry | undefined): Promise<string | null> => {
    if (entry === undefined || entry.size > SIDE_BYTES_MAX || entry.size > budget) return null;
    budget -= entry.size;
    const content = await files.findContentOf(context.runtime, context.tenantId, entry.hash);
    return content === undefined ? null : (textOf(content) ?? null);
  };
  const changes = [];
  for (const change of diffFiles(hashes(before), hashes(after))) {
    const [old, current] = [before.get(change.path), after.get(change.path)];
    changes.push({ ...change, before: await side(old), after: await side(current) });
  }
  return { from: oldVersion, to: newVersion, changes };
}

async function resolveVersion(context: TenantContext, wanted: number | undefined): Promise<number> {
  if (wanted === DRAFT_VERSION) {
    if ((await files.findDraft(context)) === undefined) throw configurationDraftNotFound();
    return wanted;
  }
  if (wanted === undefined) {
    const tenant = await tenants.findTenant(context);
    if (tenant === undefined) throw tenantNotFound(context);
    return tenant.version;
  }
  if (!(await files.hasVersion(context, wanted)))
    throw configurationVersionNotFound({ version: wanted });
  return wanted;
}

async function entriesByPath(
  context: TenantContext,
  version: number,
): Promise<Map<string, files.FileEntry>> {
  const entries = await files.listEntries(context, version);
  return new Map(entries.map((entry) => [entry.path, entry]));
}

function hashes(entries: ReadonlyMap<string, files.FileEntry>): Map<string, Buffer> {
  return new Map([...entries].map(([path, { hash }]) => [path, hash]));
}
