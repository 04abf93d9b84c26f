import { remember } from "./media-type.ts";

/** The encodings in which answers are sent: compressed, or `identity`, which is uncompressed. */
export type Encoding = "br" | "gzip" | "identity";

const HEADER_CHARS_MAX = 1_024;
const CODING = /^(\*|[a-z0-9-]+)(?:\s*;\s*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?$/;
/**
 * A header that does not name `identity` still allows it, but only after all the encodings it
 * names.
 */
const IDENTITY_QUALITY = 0.0001;

/**
 * Chooses the encoding that the caller prefers (RFC 9110, 12.5.3); among equally preferred
 * encodings, the smallest. The package `negotiator` is not used: its types do not declare its own
 * preference order, it does not know `x-gzip`, and it would parse the same few headers again and
 * again.
 */
export const chooseEncoding: (header: string | undefined) => Encoding = remember((header) => {
  if (header === undefined || header.length > HEADER_CHARS_MAX) return "identity";
  const qualities = readQualities(header);
  const others = qualities.get("*");
  const offers = [
    ["br", qualities.get("br") ?? others ?? 0],
    ["gzip", qualities.get("gzip") ?? qualities.get("x-gzip") ?? others ?? 0],
    ["identity", qualities.get("identity") ?? IDENTITY_QUALITY],
  ] as const;
  // A caller that refuses every encoding gets `identity`, which is more useful than a 406.
  const [best] = offers
    .filter(([, quality]) => quality > 0)
    .toSorted(([, left], [, right]) => right - left);
  return best?.[0] ?? "identity";
});

/** A coding that cannot be parsed is ignored. */
function readQualities(header: string): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>();
  for (const part of header.toLowerCase().split(",")) {
    const [, coding, quality = "1"] = CODING.exec(part.trim()) ?? [];
    if (coding !== undefined) qualities.set(coding, Number(quality));
  }
  return qualities;
}
