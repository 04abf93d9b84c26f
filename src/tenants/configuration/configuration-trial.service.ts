import type { TenantContext } from "#kernel/context.ts";
import { contentHash } from "#kernel/crypto/content-hash.ts";
import { type FileSet, type Finding, fileSetProblems, isYaml } from "#src/files/public.ts";
import type { SettingsFacts } from "../settings/settings.facts.ts";
import { readOwnFile } from "./configuration.checks.ts";
import { configurationRefused } from "./configuration.errors.ts";
import { type FileEntry, findContentOf, listWorkingEntries } from "./configuration.repository.ts";
import { holdFiles } from "./configuration.room.ts";

/** A file that is null is left out. */
export type TriedChanges = ReadonlyMap<string, Buffer | null>;

/** The files of a tenant with changes that are stored nowhere. */
export type TriedFiles = {
  readonly entries: ReadonlyMap<string, FileEntry>;
  /** All YAML files. Pictures are read one by one, because they are large and few are needed. */
  readonly texts: FileSet;
  /** What `tenant.yml` says, and what is wrong with it. */
  readonly tenant: SettingsFacts;
  readonly findings: readonly Finding[];
  read(path: string): Promise<Buffer | undefined>;
};

/**
 * Runs work on the files of the draft, or of the version in force if there is no draft, with these
 * changes over them. Nothing is stored.
 */
export async function withTriedFiles<Result>(
  context: TenantContext,
  changes: TriedChanges,
  work: (files: TriedFiles) => Promise<Result>,
): Promise<Result> {
  const entries = await changedEntries(context, changes);
  const read = async (path: string): Promise<Buffer | undefined> => {
    const [changed, entry] = [changes.get(path), entries.get(path)];
    if (changed !== undefined) return changed ?? undefined;
    if (entry === undefined) return undefined;
    return await findContentOf(context.runtime, context.tenantId, entry.hash);
  };
  const yaml = [...entries.values()].filter(({ path }) => isYaml(path));
  const bytes = yaml.reduce((total, { size }) => total + size, 0);
  return await holdFiles(context, bytes, async () => {
    const texts = new Map<string, Buffer>();
    for (const { path } of yaml) {
      const content = await read(path);
      if (content !== undefined) texts.set(path, content);
    }
    const { facts: tenant, findings } = await readOwnFile(context, texts);
    return await work({ entries, texts, tenant, findings, read });
  });
}

async function changedEntries(
  context: TenantContext,
  changes: TriedChanges,
): Promise<Map<string, FileEntry>> {
  const stored = await listWorkingEntries(context);
  const entries = new Map(stored.map((entry) => [entry.path, entry]));
  for (const [path, content] of changes) {
    entries.delete(path);
    if (content === null) continue;
    entries.set(path, { path, hash: await contentHash(content), size: content.length });
  }
  const sizes = [...entries.values()].map(({ path, size }) => ({ path, sizeBytes: size }));
  const problems = fileSetProblems(sizes, "files");
  if (problems !== undefined) throw configurationRefused(problems);
  return entries;
}
