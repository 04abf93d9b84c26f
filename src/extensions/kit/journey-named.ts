import { idOf, inGroups, isMembers, type Members } from "./journey-read.ts";

/** Whom a call names, whether or not the rest of it can be understood. */
export type Named = {
  readonly identifiers: Readonly<Record<string, string | null>>;
  readonly passId?: string | undefined;
};

export function namedIn(sent: Members): Named {
  const { identifiers, passId } = inGroups(sent);
  const named = Object.entries(isMembers(identifiers) ? identifiers : {}).flatMap(
    ([name, value]) => {
      const id = idOf(value);
      return typeof id === "string" ? [[name, id] as const] : [];
    },
  );
  const id = idOf(passId);
  return {
    identifiers: Object.fromEntries(named),
    ...(typeof id === "string" ? { passId: id } : {}),
  };
}

const PAIR = /"([\w.-]{1,300})"\s{0,20}:\s{0,20}(?:"([^"\\]{1,300})"|(\d{1,40}))/g;
const PAIRS_MAX = 100;

/**
 * The pairs of a name and a value in a text that is no JSON, such as one with a comma too many. Names of
 * identifiers have a dot.
 */
export function pairsIn(text: string): Members {
  const pairs = text
    .matchAll(PAIR)
    .take(PAIRS_MAX)
    .map(([, name = "", quoted, digits]) => [name, quoted ?? digits] as const)
    .toArray();
  const identifiers = pairs
    .filter(([name]) => name.includes("."))
    .map(([name, value]) => [name.replace(/^identifiers\./, ""), value] as const);
  const passId = pairs.find(([name]) => name === "passId")?.[1];
  return { identifiers: Object.fromEntries(identifiers), passId };
}
