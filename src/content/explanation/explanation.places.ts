import type { RenderedPass } from "#src/templates/public.ts";
import type { PassText } from "./explanation.texts.ts";

type Build = (pass: RenderedPass) => Readonly<Record<string, unknown>>;
type Leaf = { readonly path: string; readonly value: unknown };

/** Every value of a document that is no object and no list, with its path. */
export function leavesOf(node: unknown, path = ""): Leaf[] {
  if (typeof node !== "object" || node === null) return [{ path, value: node }];
  return Object.entries(node).flatMap(([name, child]) => {
    const step = Array.isArray(node) ? `[${name}]` : `${path === "" ? "" : "."}${name}`;
    return leavesOf(child, `${path}${step}`);
  });
}

/** Control characters that no template has a use for; wallets take them as text, not as space. */
const [OPEN, CLOSE] = ["\u0091", "\u0092"];
const MARK = new RegExp(`${OPEN}(\\d+)${CLOSE}`, "g");

/**
 * Finds where in a document each text of a pass goes, without knowing the wallet: all texts are
 * marked at once, and the marks are looked for. Texts that a wallet reads as a time or an amount
 * lose their mark; those few are changed one by one, and the documents are compared.
 */
export function placesOf(
  texts: readonly PassText[],
  pass: RenderedPass,
  build: Build,
): ReadonlyMap<PassText, readonly string[]> {
  const plain = build(pass);
  const own = new Map(leavesOf(plain).map(({ path, value }) => [path, value]));
  let marked = pass;
  for (const [at, text] of texts.entries()) {
    if (text.text !== "") marked = text.with(marked, `${text.text}${OPEN}${at}${CLOSE}`);
  }
  const found = new Map<number, string[]>();
  for (const { path, value } of leavesOf(build(marked))) {
    if (typeof value !== "string" || !own.has(path)) continue;
    for (const [, at] of value.matchAll(MARK)) {
      found.set(Number(at), [...(found.get(Number(at)) ?? []), path]);
    }
  }
  return new Map(
    texts.map((text, at) => {
      if (text.text === "") return [text, []];
      return [text, found.get(at) ?? changedPaths(own, build(text.with(pass, OTHER)))];
    }),
  );
}

/** Neither a time nor an amount, so that members made of one disappear. */
const OTHER = `${OPEN}${CLOSE}`;

/** Ids follow from other texts and are no place of their own. */
const ID = /(?:^|\.)(?:id|classId)$/;

function changedPaths(own: ReadonlyMap<string, unknown>, document: unknown): string[] {
  const other = new Map(leavesOf(document).map(({ path, value }) => [path, value]));
  return [...own]
    .filter(([path, value]) => !ID.test(path) && other.get(path) !== value)
    .map(([path]) => path);
}
