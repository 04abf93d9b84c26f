import { foldText, isCommonPassword, readLookalikes } from "./administrator.common-passwords.ts";

export const PASSWORD_CHARACTERS_MIN = 12;
const PASSWORD_CHARACTERS_MAX = 200;
const DIFFERENT_CHARACTERS_MIN = 5;
/** Shorter parts of a name occur inside too many words, such as `Ana` in `banana`. */
const PART_LETTERS_MIN = 4;
/** A name of this length counts only as a separate word, as in `ana-rocks-1234`. */
const SHORT_NAME_LETTERS = 3;

export type PasswordOwner = { readonly name: string; readonly email: string };

/**
 * Returns why a new password is refused, or undefined if it is accepted. Special characters and
 * capitals are not required, because such rules lead to passwords like `Password1!`.
 */
export function passwordProblem(password: string, owner: PasswordOwner): string | undefined {
  const length = [...password].length;
  if (length < PASSWORD_CHARACTERS_MIN) {
    return `Use at least ${PASSWORD_CHARACTERS_MIN} characters. A few words in a row are fine.`;
  }
  if (length > PASSWORD_CHARACTERS_MAX) {
    return `Use at most ${PASSWORD_CHARACTERS_MAX} characters.`;
  }
  if (new Set(password.toLowerCase()).size < DIFFERENT_CHARACTERS_MIN) {
    return "That repeats too few characters. Choose something harder to guess.";
  }
  const part = findOwnPart(password, owner);
  if (part !== undefined) {
    return `That contains “${part.text}”, a part of your ${part.of}, which others would try first. Choose something else.`;
  }
  if (isCommonPassword(password)) {
    return "That is a common password, or one with a little added, which others would try first. A few words in a row are better.";
  }
  return undefined;
}

type OwnPart = { readonly text: string; readonly of: "name" | "e-mail address" };

function findOwnPart(password: string, { name, email }: PasswordOwner): OwnPart | undefined {
  const folded = foldText(password);
  const readings = [folded, ...readLookalikes(folded)];
  const at = email.lastIndexOf("@");
  const ofEmail = [
    email,
    ...partsOf(email.slice(0, Math.max(at, 0))),
    ...labelsOf(email.slice(at + 1)),
  ];
  const parts: OwnPart[] = [
    ...partsOf(name).map((text) => ({ text, of: "name" as const })),
    ...ofEmail.map((text) => ({ text, of: "e-mail address" as const })),
  ];
  return parts.find(({ text }) =>
    [foldText(text), foldText(spellOut(text))].some((own) =>
      readings.some((reading) => holds(reading, own)),
    ),
  );
}

/** True if `own` occurs unchanged, or as whole words with other signs between its letters. */
function holds(reading: string, own: string): boolean {
  const letters = own.match(/\p{L}/gu) ?? [];
  const isShort = letters.length <= SHORT_NAME_LETTERS;
  if ([...own].length >= PART_LETTERS_MIN && reading.includes(own)) return true;
  if (letters.length < SHORT_NAME_LETTERS) return false;
  // The letters of a short name must be adjacent: with gaps, `Ina` would match `once in a while`.
  const between = isShort ? "" : "\\P{L}*";
  return new RegExp(`(?<!\\p{L})${letters.join(between)}(?!\\p{L})`, "u").test(reading);
}

/** Replaces letters that many keyboards lack by their usual spelling, such as `ü` by `ue`. */
function spellOut(text: string): string {
  const composed = text.normalize("NFC").toLowerCase();
  return composed.replace(/[äöøü]/g, (letter) => SPELT_OUT[letter] ?? letter).replaceAll("å", "aa");
}

const SPELT_OUT: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ø: "oe", ü: "ue" };

/** Returns the whole text, the text without separators, and each word that is long enough. */
function partsOf(text: string): string[] {
  const words = text.split(/[^\p{L}\p{M}]+/u);
  const isLong = text.length >= PART_LETTERS_MIN;
  const parts = [words.join(""), ...words].filter(
    (part) => countLetters(part) >= SHORT_NAME_LETTERS,
  );
  return isLong ? [text, ...parts] : parts;
}

/** Leaves out the last label and short ones: `cafe-lune.co.uk` gives only `cafe-lune`. */
function labelsOf(domain: string): string[] {
  const own = domain.split(".").slice(0, -1);
  return own.filter((label) => countLetters(label) >= PART_LETTERS_MIN);
}

function countLetters(text: string): number {
  return text.normalize("NFC").match(/\p{L}/gu)?.length ?? 0;
}
