import type { Encoding } from "./encoding.ts";

const HEADER_CHARS_MAX = 4096;
const TAGS_MAX = 100;

const VERSION = /^[!#-~]{1,200}$/;
const LIST_ITEM = /[ \t,]*((?:W\/)?"[!#-~\u0080-\u00ff]*")[ \t]*(?:,|$)/y;
const LIST_REST = /^[ \t,]*$/;

/** A strong entity tag. The version comes from our own rows; one that cannot stand in a tag is a bug. */
export function formatEtag(version: number | string): string {
  const text = String(version);
  if (!VERSION.test(text)) {
    throw new RangeError("An ETag version is 1 to 200 visible ASCII characters without quotes.");
  }
  return `"${text}"`;
}

/** Packed bytes are others than plain ones, so their tag is another one of the same version. */
export function packedEtag(etag: string, encoding: Encoding): string {
  return `${etag.slice(0, -1)}+${encoding}"`;
}

/** The tag of the same version as it is without being packed. */
function plainTag(tag: string): string {
  return tag.replace(/\+(?:gzip|br)"$/, '"');
}

/**
 * If-Match: may the request go on? Yes without the header. A weak tag never matches, for it promises
 * less than "these exact bytes". A malformed header matches nothing: the caller asked for
 * protection, so doubt ends in 412. Pass `undefined` for a resource that does not exist.
 */
export function matchesEtag(header: string | undefined, etag: string | undefined): boolean {
  if (header === undefined) return true;
  if (etag === undefined) return false;
  if (header.trim() === "*") return true;
  return !etag.startsWith("W/") && readTags(header).some((tag) => isForm(tag, etag));
}

/** Whether a caller got this tag with the version that the other one names, in whichever form. */
function isForm(tag: string, etag: string): boolean {
  return tag === etag || plainTag(tag) === etag;
}

/**
 * If-None-Match: does the caller still need an answer? Yes without the header, and yes when no tag
 * matches, weak or strong. `*` means "only if there is none yet", so it holds for `undefined` alone.
 */
export function noneMatch(header: string | undefined, etag: string | undefined): boolean {
  return findMatch(header, etag) === undefined;
}

/** The tag that the caller has of this version, which tells the form that it has it in. */
export function findMatch(
  header: string | undefined,
  etag: string | undefined,
): string | undefined {
  if (header === undefined || etag === undefined) return undefined;
  if (header.trim() === "*") return etag;
  const wanted = opaquePart(etag);
  return readTags(header)
    .map(opaquePart)
    .find((tag) => isForm(tag, wanted));
}

/** The tags of a list; none at all when any of it is malformed or the list is absurdly long. */
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
