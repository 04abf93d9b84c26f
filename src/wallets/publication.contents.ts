import { setImmediate as nextTurn } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { isObject } from "#kernel/json.ts";
import { readYaml, type YamlFile } from "#src/files/public.ts";
import { changedTexts, LOCALE_PATH } from "#src/templates/public.ts";
import { SETTINGS_FILE } from "#src/tenants/public.ts";

/** What passes show of a file whose content has changed. When in doubt, they show it. */

export type Contents = { readonly before: Buffer; readonly after: Buffer };

/**
 * Larger files count as changed, and so do those beyond the first: to read one of so many bytes takes the event loop
 * 20 ms, and a publication is a transaction.
 */
export const COMPARED_BYTES_MAX = 32 * 1024;
export const COMPARED_MAX = 20;

/** More texts of one file count as the file. */
const TEXTS_MAX = 100;

/** Before a text that has another translation, in the place of the path of a file. */
export const TEXT_ENTRY = "locales/*#";

/**
 * By file: the members that no pass shows. A member that is added to the file later counts until it stands here.
 * The names of secrets stay: with others, passes may be signed by another authority.
 */
const NOT_SHOWN: ReadonlyMap<string, readonly string[]> = new Map([
  [SETTINGS_FILE, ["rateLimits", "sftp", "gates", "retention"]],
  ["server/apple.yml", ["push"]],
]);

/** Whether the contents of a file say more than that it has changed. */
export function isCompared(path: string): boolean {
  return NOT_SHOWN.has(path) || LOCALE_PATH.test(path);
}

/** What to note of a file that was changed: nothing, its path, or the texts that have another translation. */
export async function affectedEntries(
  path: string,
  contents: Contents,
): Promise<readonly string[]> {
  const [before, after] = [await read(path, contents.before), await read(path, contents.after)];
  if (before === undefined || after === undefined) return [path];
  const hidden = NOT_SHOWN.get(path);
  if (hidden !== undefined) {
    const [old, now] = [without(before.value, hidden), without(after.value, hidden)];
    return isDeepStrictEqual(old, now) ? [] : [path];
  }
  if (!LOCALE_PATH.test(path)) return [path];
  const texts = changedTexts(before.value, after.value);
  return texts.length > TEXTS_MAX ? [path] : texts.map((text) => `${TEXT_ENTRY}${text}`);
}

async function read(path: string, content: Buffer): Promise<YamlFile | undefined> {
  // A publication may change many files, and each takes some milliseconds.
  await nextTurn();
  return readYaml(path, content).file;
}

function without(value: unknown, hidden: readonly string[]): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !hidden.includes(name)));
}
