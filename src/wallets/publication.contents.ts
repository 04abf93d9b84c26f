import { setImmediate as nextTurn } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { isObject } from "#kernel/json.ts";
import { readYaml, type YamlFile } from "#src/files/public.ts";
import { changedTexts, LOCALE_PATH } from "#src/templates/public.ts";
import { SETTINGS_FILE, type StoredFiles } from "#src/tenants/public.ts";

/** What passes show of a file whose content has changed. When in doubt, they show it. */

/**
 * Larger files count as changed. To read one of so many bytes takes the event loop 12 ms if it has ordinary texts,
 * and 75 ms if it has as many values as it can hold.
 */
const FILE_BYTES_MAX = 32 * 1024;
/** Of both contents of all files; others count as changed. A publication takes a tenth of a second longer then. */
const COMPARED_BYTES_MAX = 256 * 1024;

/** A file counts as changed, too, if more of its texts have another translation, or a longer text has. */
const TEXTS_MAX = 100;
const TEXT_LENGTH_MAX = 200;

/** Prefix of an entry that stands for one changed text, not for a file. No path has a '*'. */
export const TEXT_PREFIX = "locales/*#";

/**
 * By file: the members that no pass shows. A member that is added to the file later counts until it stands here.
 * The names of secrets stay: with others, passes may be signed by another authority.
 */
const NOT_SHOWN: ReadonlyMap<string, readonly string[]> = new Map([
  [SETTINGS_FILE, ["rateLimits", "sftp", "gates", "retention"]],
  ["server/apple.yml", ["push"]],
]);

/**
 * By path of a changed file whose contents say more than that it has changed: the entries to note in its place, which
 * are none, or the texts that have another translation.
 */
export async function compareContents(
  before: StoredFiles,
  after: StoredFiles,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const compared = new Map<string, readonly string[]>();
  let bytesLeft = COMPARED_BYTES_MAX;
  for (const { path, hash, size } of after.entries.values()) {
    if (!NOT_SHOWN.has(path) && !LOCALE_PATH.test(path)) continue;
    const old = before.entries.get(path);
    if (old === undefined || old.hash.equals(hash)) continue;
    if (Math.max(old.size, size) > FILE_BYTES_MAX || old.size + size > bytesLeft) continue;
    bytesLeft -= old.size + size;
    const entries = changedEntries(path, await readFrom(before, path), await readFrom(after, path));
    if (entries !== undefined) compared.set(path, entries);
  }
  return compared;
}

async function readFrom(files: StoredFiles, path: string): Promise<YamlFile | undefined> {
  const content = await files.read(path);
  // A publication may change many files.
  await nextTurn();
  return content && readYaml(path, content).file;
}

/** Undefined if the whole file counts as changed. */
function changedEntries(
  path: string,
  before: YamlFile | undefined,
  after: YamlFile | undefined,
): readonly string[] | undefined {
  if (before === undefined || after === undefined) return undefined;
  const hidden = NOT_SHOWN.get(path);
  if (hidden !== undefined) {
    const [old, now] = [without(before.value, hidden), without(after.value, hidden)];
    return isDeepStrictEqual(old, now) ? [] : undefined;
  }
  const texts = changedTexts(before.value, after.value);
  const isNoted = (text: string) => text.length <= TEXT_LENGTH_MAX;
  if (texts.length > TEXTS_MAX || !texts.every(isNoted)) return undefined;
  return texts.map((text) => `${TEXT_PREFIX}${text}`);
}

function without(value: unknown, hidden: readonly string[]): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !hidden.includes(name)));
}
