import type { Encoding } from "./encoding.ts";

const HEADER_CHARS_MAX = 4096;
const TAGS_MAX = 100;

const VERSION = /^[!#-~]{1,200}$/;
const LIST_ITEM = /[ \t,]*((?:W\/)?"[!#-~\u0080-\u00ff]*")[ \t]*(?:,|$)/y;
const LIST_REST = /^[ \t,]*$/;

/** The representations of a version besides JSON: other bytes that stand for the same version. */
export type Representation = "zip";

/**
 * Makes a strong entity tag. The version comes from our own rows, so a version that cannot stand in
 * a tag is a bug. The bytes of another representation differ, so each one of a version has its own tag.
 */
export function formatEtag(version: number | string, representation?: Representation): string {
  const text = String(version);
  if (!VERSION.test(text)) {
    throw new RangeError("An ETag version is 1 to 200 visible ASCII characters without quotes.");
  }
  return representation === undefined ? `"${text}"` : `"${text}+${representation}"`;
}

/**
 * Compressed bytes differ from uncompressed ones, so each encoding of a version has its own tag.
 */
export function packedEtag(etag: string, encoding: Encoding): string {
  return `${etag.slice(0, -1)}+${encoding}"`;
}

const ENCODED = /\+(?:gzip|br)"$/;
const REPRESENTED = /(?:\+zip)?(?:\+(?:gzip|br))?"$/;

/**
 * Evaluates If-Match: true if the request may go on, which includes a request without the header. A
 * weak tag never matches, because it does not promise the same bytes. A malformed header matches
 * nothing: the caller asked for protection, so the answer in doubt is 412. The tag of any representation
 * and encoding names its version. Pass `undefined` for a resource that does not exist.
 */
export function matchesEtag(header: string | undefined, etag: string | undefined): boolean {
  if (header === undefined) return true;
  if (etag === undefined) return false;
  if (header.trim() === "*") return true;
  return !etag.startsWith("W/") && readTags(header).some((tag) => namesVersion(tag, etag));
}

/** Whether `tag` names the version of `etag`, in any representation and encoding. */
function namesVersion(tag: string, etag: string): boolean {
  return tag === etag || tag.replace(REPRESENTED, '"') === etag;
}

/**
 * Evaluates the If-None-Match of a change: true if the request may go on, which includes a request
 * without the header. `*` allows the change only if the resource does not exist yet. As in If-Match, a
 * malformed header asks for protection, so the answer in doubt is 412. Pass `undefined` for a resource
 * that does not exist.
 */
export function matchesNone(header: string | undefined, etag: string | undefined): boolean {
  if (header === undefined || etag === undefined) return true;
  const tags = readTags(header);
  const wanted = opaquePart(etag);
  return tags.length > 0 && !tags.some((tag) => namesVersion(opaquePart(tag), wanted));
}

/**
 * Evaluates the If-None-Match of a read: finds the caller's tag of this version and representation, weak or
 * strong; the tag also shows the encoding of the caller's copy. Undefined if the caller needs the full answer. `*` is
 * the tag of any resource that exists. Pass `undefined` for a resource that does not exist.
 */
export function findMatch(
  header: string | undefined,
  etag: string | undefined,
): string | undefined {
  if (header === undefined || etag === undefined) return undefined;
  if (header.trim() === "*") return etag;
  const wanted = opaquePart(etag);
  return readTags(header)
    .map(opaquePart)
    .find((tag) => tag === wanted || tag.replace(ENCODED, '"') === wanted);
}

/** Reads a list of tags; gives no tags if any part is malformed or the list is too long. */
function readTags(header: string): readonly string[] {
  if (header.length > HEADER_CHARS_MAX) return [];
  const tags: string[] = [];
  let position = 0;
  while (tags.length <= TAGS_MAX) {
    LIST_ITEM.lastIndex = position;
    const tag = LIST_ITEM.exec(header)?.[1];
    if (tag === undefined) return LIST_REST.test(header.slice(position)) ? tags : [];
    tags.push(tag);
    position = LIST_ITEM.lastIndex;
  }
  return [];
}

function opaquePart(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}
