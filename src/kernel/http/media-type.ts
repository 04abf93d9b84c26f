export type MediaType = {
  /** The type, the subtype and the parameter names are in lower case. `*` in a media range. */
  type: string;
  subtype: string;
  parameters: ReadonlyMap<string, string>;
};

export type JsonMediaType = "application/json" | "text/json" | "text/plain";
export type ProblemMediaType = JsonMediaType | "application/problem+json";
export type JsonBodyType = "json" | "unsupported-type" | "unsupported-charset";

/** The types that `isJsonMediaType` accepts, as text for people. */
export const JSON_BODY_TYPES = ["application/json", "text/json", "application/*+json"] as const;

const HEADER_CHARS_MAX = 1024;
const RANGES_MAX = 20;

const ESSENCE = /[ \t]*([!#$%&'*+.^_`|~\w-]+)\/([!#$%&'*+.^_`|~\w-]+)/y;
const PARAMETER =
  /[ \t]*;[ \t]*(?:([!#$%&'*+.^_`|~\w-]+)=(?:([!#$%&'*+.^_`|~\w-]+)|"((?:[^"\\]|\\.)*)"))?/y;
const REST = /[ \t]*(?:$|,)/y;
const QUALITY = /^(?:0(?:\.[0-9]*)?|1(?:\.0*)?)$/;

/**
 * Reads one media type, as in Content-Type; undefined if it is malformed or repeats a parameter.
 */
export function parseMediaType(header: string): MediaType | undefined {
  if (header.length > HEADER_CHARS_MAX) return undefined;
  const read = readMediaType(header, 0);
  return read !== undefined && read.end >= header.length && !header.endsWith(",")
    ? read.mediaType
    : undefined;
}

/** Whether a request body of this Content-Type is JSON in UTF-8, the only encoding RFC 8259 allows. */
export const isJsonMediaType: (header: string | undefined) => JsonBodyType = remember((header) => {
  const mediaType = header === undefined ? undefined : parseMediaType(header);
  if (mediaType === undefined || !isJson(mediaType)) return "unsupported-type";
  const charset = mediaType.parameters.get("charset");
  return charset === undefined || charset.toLowerCase() === "utf-8"
    ? "json"
    : "unsupported-charset";
});

/**
 * The media type of an answer. If Accept allows none of ours, JSON is sent: it is more useful than
 * a 406.
 */
export const negotiateJson: (accept: string | undefined) => JsonMediaType = remember((accept) =>
  negotiate(accept, ["application/json", "text/json", "text/plain"]),
);

/**
 * The media type of an error. `application/problem+json` is sent only to callers that name it: they
 * want it for errors, while a caller that sends a wildcard may not know it.
 */
export const negotiateProblem: (accept: string | undefined) => ProblemMediaType = remember(
  (accept) =>
    negotiate(
      accept,
      ["application/problem+json", "application/json", "text/json", "text/plain"],
      "application/json",
    ),
);

/**
 * The offer that the caller prefers; our first one if the caller has no preference or accepts none.
 * The package `negotiator` is not used, because it puts equal offers in the caller's order: here a
 * caller that lists `text/plain, application/json` without a preference gets JSON, and
 * `application/problem+json` goes only to callers that name it.
 */
export function negotiate<Offer extends string>(
  accept: string | undefined,
  offers: readonly [Offer, ...Offer[]],
  ours: Offer = offers[0],
): Offer {
  const ranges = accept === undefined ? [] : readRanges(accept);
  let best = ours;
  let bestGrade: Grade = { quality: 0, specificity: 0 };
  for (const offer of offers) {
    const grade = gradeOffer(offer, ranges);
    if (isBetter(grade, bestGrade)) [best, bestGrade] = [offer, grade];
  }
  return best;
}

function isJson({ type, subtype }: MediaType): boolean {
  if (subtype === "json") return type === "application" || type === "text";
  return type === "application" && subtype.length > "+json".length && subtype.endsWith("+json");
}

type Range = MediaType & { quality: number };
type Grade = { quality: number; specificity: number };

/**
 * RFC 9110, 12.5.1: the most specific range that fits an offer decides its quality; the best quality
 * wins, then the offer named more exactly, then our own order.
 */
function isBetter(left: Grade, right: Grade): boolean {
  if (left.quality !== right.quality) return left.quality > right.quality;
  return left.quality > 0 && left.specificity > right.specificity;
}

function gradeOffer(offer: string, ranges: readonly Range[]): Grade {
  let grade: Grade = { quality: 0, specificity: 0 };
  for (const range of ranges) {
    const specificity = specificityFor(offer, range);
    if (specificity > grade.specificity) grade = { quality: range.quality, specificity };
  }
  return grade;
}

// 0: the range does not cover the offer; 1: `*/*`; 2: `type/*`; 3: the exact type; 4: also the
// charset.
function specificityFor(offer: string, range: Range): number {
  const isNamed = offer === `${range.type}/${range.subtype}`;
  for (const [name, value] of range.parameters) {
    if (name === "q") break;
    // All our answers are UTF-8 and have no other parameter, so a range with another one cannot
    // match.
    if (!isNamed || name !== "charset" || value.toLowerCase() !== "utf-8") return 0;
  }
  if (isNamed) return range.parameters.has("charset") ? 4 : 3;
  if (offer === "application/problem+json" || range.subtype !== "*") return 0;
  if (range.type === "*") return 1;
  return offer.startsWith(`${range.type}/`) ? 2 : 0;
}

/** A range that cannot be parsed is skipped; everything beyond the size limits is ignored. */
function readRanges(accept: string): readonly Range[] {
  const header =
    accept.length <= HEADER_CHARS_MAX
      ? accept
      : accept.slice(0, Math.max(0, accept.lastIndexOf(",", HEADER_CHARS_MAX)));
  const ranges: Range[] = [];
  let position = 0;
  for (let count = 0; count < RANGES_MAX && position < header.length; count += 1) {
    const read = readMediaType(header, position);
    if (read === undefined) {
      const comma = header.indexOf(",", position);
      position = comma === -1 ? header.length : comma + 1;
    } else {
      position = read.end;
      const quality = read.mediaType.parameters.get("q") ?? "1";
      if (QUALITY.test(quality)) ranges.push({ ...read.mediaType, quality: Number(quality) });
    }
  }
  return ranges;
}

/**
 * Reads one media type, which ends at a comma or at the end of the header; `end` is behind the
 * comma.
 */
function readMediaType(
  header: string,
  start: number,
): { mediaType: MediaType; end: number } | undefined {
  ESSENCE.lastIndex = start;
  const [, type, subtype] = ESSENCE.exec(header) ?? [];
  if (type === undefined || subtype === undefined) return undefined;
  const parameters = new Map<string, string>();
  let position = ESSENCE.lastIndex;
  for (;;) {
    PARAMETER.lastIndex = position;
    const match = PARAMETER.exec(header);
    if (match === null) break;
    position = PARAMETER.lastIndex;
    const [, name, token, quoted] = match;
    if (name === undefined) continue;
    // With two charsets or two qualities, another program might choose the other one, so both are
    // refused.
    if (parameters.has(name.toLowerCase())) return undefined;
    parameters.set(name.toLowerCase(), token ?? quoted?.replace(/\\(.)/g, "$1") ?? "");
  }
  REST.lastIndex = position;
  if (!REST.test(header)) return undefined;
  const mediaType = { type: type.toLowerCase(), subtype: subtype.toLowerCase(), parameters };
  return { mediaType, end: REST.lastIndex };
}

/**
 * Caches the results of reading a header, because a service gets the same few values millions of
 * times. The cache is small and is emptied when full: unusual values sent on purpose cost one parse
 * each and cannot make it grow.
 */
export function remember<Result>(
  read: (header: string | undefined) => Result,
): (header: string | undefined) => Result {
  const known = new Map<string | undefined, Result>();
  return (header) => {
    const before = known.get(header);
    if (before !== undefined) return before;
    const result = read(header);
    if (header !== undefined && header.length > 200) return result;
    if (known.size >= 200) known.clear();
    known.set(header, result);
    return result;
  };
}
