import { readFileSync } from "node:fs";
import { COMMON_WORDS } from "./administrator.common-words.ts";

const LIST = new URL("../../../vendor/zxcvbn/common-passwords.txt", import.meta.url);

/** Unicode takes these for letters of their own, not for others with an accent. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ħ: "h",
  ŧ: "t",
  ŋ: "n",
  ı: "i",
  ĸ: "k",
  ſ: "s",
};

/** What the alphabet offers to a lazy hand, and the keys of digits with the signs above them. */
const SEQUENCES = [
  "abcdefghijklmnopqrstuvwxyz",
  "абвгдежзийклмнопрстуфхцчшщъыьэюя",
  "0123456789",
  "!@#$%^&*()_+",
  '!"£$%^&*()_+',
  '!"§$%&/()=?',
];
/** The rows of letters of each keyboard, from above: English, Nordic and Spanish, Turkish, German, French, Russian. */
const KEYBOARDS = [
  ["qwertyuiop", "asdfghjkl", "zxcvbnm"],
  ["qwertyuiopå", "asdfghjklöä", "asdfghjklæø", "asdfghjkløæ", "asdfghjklñ"],
  ["qwertyuıopğü", "asdfghjklşi", "zxcvbnmöç"],
  ["qwertzuiopü", "asdfghjklöä", "yxcvbnm"],
  ["azertyuiop", "qsdfghjklm", "wxcvbn"],
  ["йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю"],
].map((rows) => rows.map(foldText));
const ROWS = [...SEQUENCES.map(foldText), ...KEYBOARDS.flat()];
const LINES = [...ROWS.map((row) => row + row), ...KEYBOARDS.map((rows) => rows.join(""))].flatMap(
  (line) => [line, [...line].reverse().join("")],
);
const RUN_CHARACTERS_MIN = 3;
/** From here on a row stays one whatever digits are behind it: `qwertz`, but not `hij`. */
const ROW_LETTERS_MIN = 5;

const LOOKALIKES: Readonly<Record<string, string>> = {
  "0": "o",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "8": "b",
  "9": "g",
  "@": "a",
  $: "s",
  "+": "t",
};
/** These stand for either letter. */
const LOOKALIKES_OF_TWO = /[1!|]/g;

/** Lower case and without accents, in the letters of a plain keyboard where there are such. */
export function foldText(text: string): string {
  const bare = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return bare.replace(/[ßæœøłđðþħŧŋıĸſ]/g, (letter) => PLAIN_LETTERS[letter] ?? letter);
}

/** With the letters that digits and signs stand for in `p4$$w0rd`; one way to read it, or two. */
export function readLookalikes(folded: string): string[] {
  const read = folded.replace(/[0345789@$+]/g, (sign) => LOOKALIKES[sign] ?? sign);
  return [read.replace(LOOKALIKES_OF_TWO, "i"), read.replace(LOOKALIKES_OF_TWO, "l")];
}

/**
 * Whether others would try it early: a common password as it is, in other letters, with something
 * at its ends or in between, said twice, or nothing but keys that lie side by side.
 */
export function isCommonPassword(password: string): boolean {
  const folded = foldText(password);
  if (isRowOfKeys(folded)) return true;
  const common = commonPasswords();
  return formsOf(folded).some((form) => common.has(form) || common.has(unitOf(form)));
}

function formsOf(folded: string): string[] {
  // Digits at the ends are an addition more often than letters in disguise; in `$unshine` they are not.
  const withoutEnd = folded.replace(/[^\p{L}]+$/u, "");
  const cores = [withoutEnd.replace(/^[^\p{L}]+/u, ""), withoutEnd, folded];
  const read = cores.flatMap((core) => [core, ...readLookalikes(core)]);
  return [folded, ...read.map((text) => text.replace(/[^\p{L}]/gu, ""))];
}

/** `abab` says no more than `ab`. */
function unitOf(text: string): string {
  const period = (text + text).indexOf(text, 1);
  return text.slice(0, period);
}

/** With or without the signs in it, and with digits at its ends. Emoji alone are no keys. */
function isRowOfKeys(folded: string): boolean {
  const keys = folded.replace(/[^\p{L}\p{N}]/gu, "");
  const letters = keys.replace(/^\p{N}+|\p{N}+$/gu, "");
  return (
    isMadeOfRuns(folded) ||
    isMadeOfRuns(keys) ||
    (letters.length >= ROW_LETTERS_MIN && isMadeOfRuns(letters))
  );
}

function isMadeOfRuns(text: string): boolean {
  if (text === "") return false;
  let at = 0;
  while (at < text.length) {
    let end = at + RUN_CHARACTERS_MIN;
    if (end > text.length || !isRun(text.slice(at, end))) return false;
    while (end < text.length && isRun(text.slice(at, end + 1))) end += 1;
    at = end;
  }
  return true;
}

function isRun(text: string): boolean {
  return LINES.some((line) => line.includes(text));
}

let known: ReadonlySet<string> | undefined;

/** Read when the first password is chosen: most processes never need it. */
export function commonPasswords(): ReadonlySet<string> {
  known ??= new Set([
    ...readFileSync(LIST, "utf8")
      .split("\n")
      .filter((line) => !line.startsWith("#"))
      .flatMap((line) => line.split(" "))
      .filter((word) => word !== ""),
    ...COMMON_WORDS.map(foldText),
  ]);
  return known;
}
