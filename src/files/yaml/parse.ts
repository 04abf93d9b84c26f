import { Composer, type CST, type Document, Parser, type YAMLParseError } from "yaml";

/** A screenful. Each one costs the parser a stack trace, and a file can have one for every character. */
const ERRORS_MAX = 20;

export type YamlParsing =
  | { readonly ok: true; readonly document: Document }
  | { readonly ok: false; readonly errors: readonly YAMLParseError[] };

/** `parseDocument` of the library for a text of one document, except that it gives up after some errors. */
export function parseYaml(text: string): YamlParsing {
  const composer = new Composer({
    schema: "core",
    stringKeys: true,
    // Compares each key with each other one; ours are compared with a set.
    uniqueKeys: false,
  });
  const { errors } = composer.streamInfo();
  limit(errors);
  try {
    const tokens = untilErrors(new Parser().parse(text));
    for (const document of composer.compose(tokens, true, text.length)) {
      if (document.errors.length > 0) return { ok: false, errors: document.errors };
      return { ok: true, document };
    }
  } catch (error) {
    if (!(error instanceof EnoughErrors)) throw error;
  }
  return { ok: false, errors };
}

class EnoughErrors extends Error {}

/** The composer has no way to be stopped, but it reports by pushing to this list. */
function limit(errors: YAMLParseError[]): void {
  const push = errors.push.bind(errors);
  errors.push = (...more) => {
    if (errors.length >= ERRORS_MAX) throw new EnoughErrors();
    return push(...more);
  };
}

/** What follows after that many stray tokens does not matter any more. */
function* untilErrors(tokens: Iterable<CST.Token>): Generator<CST.Token> {
  let errors = 0;
  for (const token of tokens) {
    if (token.type === "error") errors += 1;
    if (errors > ERRORS_MAX) return;
    yield token;
  }
}
