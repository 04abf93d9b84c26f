import type { Folder } from "#src/imports/public.ts";
import type { SentPath } from "../protocol/request.ts";

/** All that exists beside the root. */
export const FOLDERS: readonly Folder[] = ["inbox", "processed", "error"];

export type Place =
  | { readonly kind: "root" }
  | { readonly kind: "folder"; readonly folder: Folder }
  | { readonly kind: "file"; readonly folder: Folder; readonly name: string }
  | { readonly kind: "nowhere" };

const PATH_BYTES_MAX = 1_024;
const NOWHERE: Place = { kind: "nowhere" };

/**
 * The absolute path that a path means. Nothing is looked up: `..` takes away the part before it, and
 * nothing above the root. Undefined for what no path of ours can be.
 */
export function normalizePath(sent: SentPath): string | undefined {
  if (sent === undefined || Buffer.byteLength(sent) > PATH_BYTES_MAX) return undefined;
  const parts: string[] = [];
  for (const part of sent.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** What a path leads to, whether or not there is a file of that name. */
export function placeOf(sent: SentPath): Place {
  const path = normalizePath(sent);
  if (path === undefined) return NOWHERE;
  if (path === "/") return { kind: "root" };
  const [first, name, ...deeper] = path.slice(1).split("/");
  const folder = FOLDERS.find((known) => known === first);
  if (folder === undefined || deeper.length > 0) return NOWHERE;
  return name === undefined ? { kind: "folder", folder } : { kind: "file", folder, name };
}
