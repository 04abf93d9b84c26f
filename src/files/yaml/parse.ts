import { Composer, type CST, type Document, Parser, type YAMLParseError } from "yaml";

/** More errors are of no use. Each costs a stack trace, and a file can have one per character. */
const ERRORS_MAX = 20;

export type YamlParsing =
  | { readonly ok: true; readonly document: Document }
  | { readonly ok: false; readonly errors: readonly YAMLParseError[] };

/** Like `parseDocument` of the library for a single document, but it stops after some errors. */
export function parseYaml(text: string): YamlParsing {
  const composer = new Composer({
    schema: "core",
    stringKeys: true,
    // The library compares every key with every other one. `YamlValues` uses a map instead.
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

/** The composer cannot be stopped, so an error is thrown when it adds to its list of errors. */
function limit(errors: YAMLParseError[]): void {
  const push = errors.push.bind(errors);
  errors.push = (...more) => {
    if (errors.length >= ERRORS_MAX) throw new EnoughErrors();
    return push(...more);
  };
}

/** Ends after too many error tokens: the rest of the text does not matter then. */
function* untilErrors(tokens: Iterable<CST.Token>): Generator<CST.Token> {
  let errors = 0;
  for (const token of tokens) {
    if (token.type === "error") errors += 1;
    if (errors > ERRORS_MAX) return;
    yield token;
  }
}
