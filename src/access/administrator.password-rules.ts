import { foldText, isCommonPassword, readLookalikes } from "./administrator.common-passwords.ts";

export const PASSWORD_CHARACTERS_MIN = 12;
const PASSWORD_CHARACTERS_MAX = 200;
const DIFFERENT_CHARACTERS_MIN = 5;
/** Shorter parts of a name are in too many words: `Ada` in `Canada`. */
const PART_LETTERS_MIN = 4;

export type PasswordOwner = { readonly name: string; readonly email: string };

/**
 * What is wrong with a password somebody wants to use; undefined when nothing is. Length and what
 * others would guess count; signs and capitals are not asked for, they only lead to `Password1!`.
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
  const localPart = email.slice(0, email.lastIndexOf("@"));
  const parts: OwnPart[] = [
    ...partsOf(name).map((text) => ({ text, of: "name" as const })),
    ...[email, ...partsOf(localPart)].map((text) => ({ text, of: "e-mail address" as const })),
  ];
  return parts.find(({ text }) => {
    const own = foldText(text);
    return own !== "" && readings.some((reading) => reading.includes(own));
  });
}

/** The whole, with and without what stands between its words, and each word of some length. */
function partsOf(text: string): string[] {
  const words = text.split(/[^\p{L}\p{M}]+/u);
  return [text, words.join(""), ...words].filter(
    (part) => [...part.normalize("NFC")].length >= PART_LETTERS_MIN,
  );
}
