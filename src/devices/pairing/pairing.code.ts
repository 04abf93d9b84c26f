import { randomInt } from "node:crypto";

/** Without 0, O, 1, I and L, which people confuse when they read a code aloud or type it. */
const ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";
export const CODE_LENGTH = 6;

/** Without regard to case, and in ASCII only: the capital form of `ß` is `SS`. */
const CODE = new RegExp(`^[${ALPHABET}]{${CODE_LENGTH}}$`, "i");
/** Spaces and hyphens, with which people group what they type. */
const GROUPING = /[\s-]/g;

/** There are 31^6 codes, some 887 million. */
export function makeCode(random: (limit: number) => number = randomInt): string {
  return Array.from({ length: CODE_LENGTH }, () => ALPHABET[random(ALPHABET.length)]).join("");
}

/** The code that a person meant; undefined if the text cannot be one. */
export function readCode(text: string): string | undefined {
  const code = text.replace(GROUPING, "");
  return CODE.test(code) ? code.toUpperCase() : undefined;
}
