import { closest } from "#src/files/public.ts";
import { hasMembers, wordsOf } from "../resources/resource.members.ts";

/** A text whose whole is known only when it is rendered for a pass. */
export const isLiquid = (value: unknown): boolean =>
  typeof value === "string" && /\{\{|\{%/.test(value);

/**
 * Whether Google takes a value for a type without members. JSON may hold numbers and truth values as
 * texts too, which is all that Liquid can give.
 */
export function fitsType(type: string, value: unknown): boolean {
  switch (type) {
    case "string":
      return typeof value === "string";
    case "boolean":
      return [true, false, "true", "false"].includes(value as boolean);
    case "double":
      return isNumber(value) && Number.isFinite(Number(value));
    case "int32":
      return (
        isNumber(value) && Number.isInteger(Number(value)) && Math.abs(Number(value)) < 2 ** 31
      );
    case "int64":
      return isNumber(value) && /^-?\d{1,19}$/.test(String(value));
    default:
      // Google takes the number of a word, too.
      return typeof value === "string" || Number.isInteger(value);
  }
}

function isNumber(value: unknown): boolean {
  return typeof value === "number" || (typeof value === "string" && /^-?[\d.]+$/.test(value));
}

const WANTED: Readonly<Record<string, string>> = {
  string: "a text: a number or a truth value needs quotes",
  boolean: "true or false",
  double: "a number",
  int32: "a whole number",
  int64: "a whole number",
};

/** What to write for a type, as the end of a sentence. */
export function wantedFor(type: string): string {
  return (
    WANTED[type] ??
    (hasMembers(type) ? `an object with the members of ${type}` : "one of Google's words")
  );
}

/** Says what to write instead of a word that Google does not know; undefined if it knows it. */
export function adviceOnWord(type: string, word: string): string | undefined {
  const { values = [], aliases = [] } = wordsOf(type) ?? {};
  if ([...values, ...aliases].includes(word)) return undefined;
  const meant = closest(word, values);
  if (meant !== undefined) return `Did you mean ${meant}?`;
  return `Write one of ${values.filter((each) => !/_UNSPECIFIED$/.test(each)).join(", ")}.`;
}

const HTTPS = "https://";

/** True for an address of a picture that cannot be right with any values that Liquid may put into it. */
export function isUnfetchable(text: string): boolean {
  if (!isLiquid(text)) return !URL.canParse(text) || !text.startsWith(HTTPS);
  const [known = ""] = text.trimStart().split(/\{\{|\{%/, 1);
  return !known.startsWith(HTTPS) && !HTTPS.startsWith(known);
}
