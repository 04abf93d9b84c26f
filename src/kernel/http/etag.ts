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

/**
 * If-Match: may the request go on? Yes without the header. A weak tag never matches, for it promises
 * less than "these exact bytes". A malformed header matches nothing: the caller asked for
 * protection, so doubt ends in 412. Pass `undefined` for a resource that does not exist.
 */
export function matchesEtag(header: string | undefined, etag: string | undefined): boolean {
  if (header === undefined) return true;
  if (etag === undefined) return false;
  if (header.trim() === "*") return true;
  return !etag.startsWith("W/") && readTags(header).includes(etag);
}

/**
 * If-None-Match: does the caller still need an answer? Yes without the header, and yes when no tag
 * matches, weak or strong. `*` means "only if there is none yet", so it holds for `undefined` alone.
 */
export function noneMatch(header: string | undefined, etag: string | undefined): boolean {
  if (header === undefined || etag === undefined) return true;
  if (header.trim() === "*") return false;
  return !readTags(header).some((tag) => opaquePart(tag) === opaquePart(etag));
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
