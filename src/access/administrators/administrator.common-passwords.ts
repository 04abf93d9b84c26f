import { readFileSync } from "node:fs";
import { COMMON_WORDS } from "./administrator.common-words.ts";

const LIST = new URL("../../../vendor/zxcvbn/common-passwords.txt", import.meta.url);

/** Letters that Unicode does not decompose into a plain letter and an accent. */
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

/** Alphabets, digits, and the signs above the digits on American, British and German keyboards. */
const SEQUENCES = [
  "abcdefghijklmnopqrstuvwxyz",
  "абвгдежзийклмнопрстуфхцчшщъыьэюя",
  "0123456789",
  "!@#$%^&*()_+",
  '!"£$%^&*()_+',
  '!"§$%&/()=?',
];
/** Rows of letters: English, Nordic and Spanish, Turkish, German, French, Russian keyboards. */
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
/** A row this long is refused with any digits around it: `qwertz`, but not `hij`. */
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
/** These characters may stand for `i` or for `l`. */
const LOOKALIKES_OF_TWO = /[1!|]/g;

/** Lower case without accents, with letters of an English keyboard where possible. */
export function foldText(text: string): string {
  const bare = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return bare.replace(/[ßæœøłđðþħŧŋıĸſ]/g, (letter) => PLAIN_LETTERS[letter] ?? letter);
}

/** Replaces digits and signs by the letters they look like, as in `p4$$w0rd`, in two readings. */
export function readLookalikes(folded: string): string[] {
  const read = folded.replace(/[0345789@$+]/g, (sign) => LOOKALIKES[sign] ?? sign);
  return [read.replace(LOOKALIKES_OF_TWO, "i"), read.replace(LOOKALIKES_OF_TWO, "l")];
}

/**
 * Whether attackers would try this password early: a common password with replaced characters, with
 * additions at its ends or between its letters, or repeated; or only adjacent keys.
 */
export function isCommonPassword(password: string): boolean {
  const folded = foldText(password);
  if (isRowOfKeys(folded)) return true;
  const common = commonPasswords();
  return formsOf(folded).some((form) => common.has(form) || common.has(unitOf(form)));
}

function formsOf(folded: string): string[] {
  // Digits and signs at the ends are additions, or stand for letters as in `$unshine`: try both.
  const withoutEnd = folded.replace(/[^\p{L}]+$/u, "");
  const cores = [withoutEnd.replace(/^[^\p{L}]+/u, ""), withoutEnd, folded];
  const read = cores.flatMap((core) => [core, ...readLookalikes(core)]);
  return [folded, ...read.map((text) => text.replace(/[^\p{L}]/gu, ""))];
}

/** Returns the part that a text repeats, such as `ab` for `abab`. */
function unitOf(text: string): string {
  const period = (text + text).indexOf(text, 1);
  return text.slice(0, period);
}

/** Ignores signs, and digits at the ends. A text of emoji only is not a row of keys. */
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

/** Loaded when the first password is chosen, because most processes never need the list. */
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
