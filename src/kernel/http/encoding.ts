import { remember } from "./media-type.ts";

/** The forms that answers are sent in: packed, or as they are. */
export type Encoding = "br" | "gzip" | "identity";

const HEADER_CHARS_MAX = 1_024;
const CODING = /^(\*|[a-z0-9-]+)(?:\s*;\s*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?$/;
/** Without being named, the plain form is good enough for everyone, and nobody's favourite. */
const IDENTITY_QUALITY = 0.0001;

/** The form that the caller likes best (RFC 9110, 12.5.3); of those it likes equally, the smallest. */
export const chooseEncoding: (header: string | undefined) => Encoding = remember((header) => {
  if (header === undefined || header.length > HEADER_CHARS_MAX) return "identity";
  const qualities = readQualities(header);
  const others = qualities.get("*");
  const offers = [
    ["br", qualities.get("br") ?? others ?? 0],
    ["gzip", qualities.get("gzip") ?? qualities.get("x-gzip") ?? others ?? 0],
    ["identity", qualities.get("identity") ?? IDENTITY_QUALITY],
  ] as const;
  // Whoever refuses everything is better served by the plain form than by a 406.
  const [best] = offers
    .filter(([, quality]) => quality > 0)
    .toSorted(([, left], [, right]) => right - left);
  return best?.[0] ?? "identity";
});

/** A coding that cannot be read is not looked at. */
function readQualities(header: string): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>();
  for (const part of header.toLowerCase().split(",")) {
    const [, coding, quality = "1"] = CODING.exec(part.trim()) ?? [];
    if (coding !== undefined) qualities.set(coding, Number(quality));
  }
  return qualities;
}
