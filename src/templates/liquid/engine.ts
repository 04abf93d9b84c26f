import {
  analyzeSync,
  Context,
  Liquid,
  LiquidError,
  Parser,
  TagToken,
  type Template,
  Tokenizer,
  type TopLevelToken,
  toValueSync,
} from "liquidjs";
import { TextError } from "./failure.ts";
import { installFilters } from "./filters.ts";
import { inspect } from "./inspect.ts";
import type { Reference, TextProblem } from "./reading.ts";
import { BUDGET, ROOTS, type Scope } from "./scope.ts";
import { BoundedEmitter, installTags, OPERATORS } from "./tags.ts";
import { NOTHING_TRANSLATED, type Translated } from "./translated.ts";

/**
 * The Liquid library with limits around it. The limits of the library measure time, so that the
 * same template may succeed once and fail once. Here steps and characters are counted instead, and
 * the result is always the same.
 */

const NESTING_MAX = 16;

const engine = new Liquid({
  ownPropertyOnly: true,
  // An empty set of templates replaces the file system, so that no file can be read.
  templates: {},
  relativeReference: false,
  dynamicPartials: false,
  strictFilters: false,
  strictVariables: false,
  cache: false,
  operators: OPERATORS,
});
installTags(engine);
installFilters(engine);

const RENDER_OPTIONS = { sync: true, ownPropertyOnly: true } as const;

/**
 * Has the shape of the library's own limiters, because the library reports steps and memory to
 * them.
 */
function limitsOf(scope: Scope) {
  const budget = scope[BUDGET];
  budget.beginText();
  const renderLimit = { check: () => budget.step(), use: () => budget.step() };
  const memoryLimit = { check: () => undefined, use: (units: number) => budget.use(units) };
  return { renderLimit: renderLimit as never, memoryLimit: memoryLimit as never, liquid: engine };
}

export type EngineText = {
  readonly references: readonly Reference[];
  readonly usesLocale: boolean;
  /** Nothing if there are problems: then nothing is rendered. */
  readonly translated: Translated;
  readonly problems: readonly TextProblem[];
  render(scope: Scope): string;
};

export function compileWithEngine(source: string): EngineText {
  let templates: Template[];
  try {
    const tokens = tokensOf(source);
    const depth = nestingOf(tokens);
    if (depth > NESTING_MAX) throw new Error(`tags are nested more than ${NESTING_MAX} deep`);
    templates = new Parser(engine).parseTokens(tokens);
  } catch (error) {
    return {
      references: [],
      usesLocale: false,
      translated: NOTHING_TRANSLATED,
      problems: [parseProblem(error)],
      render: refuse,
    };
  }
  const { usesLocaleFilter, translated, problems: refused } = inspect(templates, engine);
  const references = referencesIn(templates, source);
  const problems =
    refused.length > 0 ? refused : [...unknownRoots(references), ...forbiddenNames(references)];
  return {
    references,
    usesLocale: usesLocaleFilter || references.some(({ segments }) => segments[0] === "locale"),
    translated: problems.length === 0 ? translated : NOTHING_TRANSLATED,
    problems,
    render: problems.length === 0 ? (scope) => render(templates, scope) : refuse,
  };
}

function refuse(): never {
  throw new TextError("render-failed", "is not valid Liquid");
}

function render(templates: Template[], scope: Scope): string {
  const context = new Context(scope, engine.options, RENDER_OPTIONS, limitsOf(scope));
  const emitter = new BoundedEmitter(scope[BUDGET]);
  try {
    toValueSync(engine.renderer.renderTemplates(templates, context, emitter));
  } catch (error) {
    throw renderError(error);
  }
  return emitter.buffer;
}

function renderError(error: unknown): TextError {
  const cause = causeOf(error);
  if (cause instanceof TextError) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  return new TextError("render-failed", `cannot be rendered: ${withoutPosition(message)}`);
}

function causeOf(error: unknown): unknown {
  let cause = error;
  while (LiquidError.is(cause) && cause.originalError !== undefined) cause = cause.originalError;
  return cause;
}

function parseProblem(error: unknown): TextProblem {
  const index = LiquidError.is(error) ? error.token.begin : 0;
  const message = error instanceof Error ? withoutPosition(error.message) : "cannot be read";
  const unknownTag = /^tag "(.*)" not found$/.exec(message)?.[1];
  if (unknownTag === undefined) {
    return {
      code: "liquid-syntax",
      message,
      hint: "Check the braces, quotes and closing tags.",
      index,
    };
  }
  const isOrphan = /^(end|else|elsif|when)/.test(unknownTag);
  return {
    code: isOrphan ? "liquid-syntax" : "unknown-tag",
    message: isOrphan ? `'${unknownTag}' has nothing to close` : `there is no tag '${unknownTag}'`,
    hint: isOrphan
      ? "Every end tag needs its beginning before it."
      : "Templates know if, unless, case, for, assign, capture, comment, raw and echo.",
    index,
  };
}

/** Removes the position that the library adds to its messages, such as `, line:1, col:4`. */
function withoutPosition(message: string): string {
  return message.replace(/, (file:[^,]*, )?line:\d+, col:\d+$/, "");
}

function tokensOf(source: string): TopLevelToken[] {
  return new Tokenizer(source, engine.options.operators).readTopLevelTokens(engine.options);
}

const NESTING_TAGS = new Set(["if", "unless", "case", "for", "capture", "comment", "raw"]);

/**
 * The library parses nested tags recursively, so their depth is limited before it parses. The
 * tokens of the library are counted, because braces in `raw` or in a quoted text are no tags.
 */
function nestingOf(tokens: readonly TopLevelToken[]): number {
  const open: string[] = [];
  let deepest = 0;
  for (const token of tokens) {
    if (!(token instanceof TagToken)) continue;
    const { name } = token;
    // The library skips all tags in a comment up to the first `endcomment`.
    if (open.at(-1) === "comment" && name !== "endcomment") continue;
    if (NESTING_TAGS.has(name)) open.push(name);
    else if (name.startsWith("end")) open.pop();
    deepest = Math.max(deepest, open.length);
  }
  return deepest;
}

function referencesIn(templates: Template[], source: string): Reference[] {
  const { globals } = analyzeSync(templates, { partials: false });
  return Object.values(globals).flatMap((variables) =>
    variables.map(({ segments, location }) => ({
      segments: segments.map((segment) => (typeof segment === "object" ? "*" : String(segment))),
      index: indexOf(source, location),
    })),
  );
}

const FORBIDDEN_NAMES: ReadonlySet<unknown> = new Set(["__proto__", "constructor", "prototype"]);

function unknownRoots(references: readonly Reference[]): TextProblem[] {
  const known: readonly string[] = ROOTS;
  return references
    .filter(({ segments }) => !known.includes(segments[0] ?? ""))
    .map(({ segments, index }) => ({
      code: "unknown-variable",
      message: `there is no variable '${segments[0]}'`,
      hint: `Templates know ${ROOTS.join(", ")}.`,
      index,
    }));
}

/** These names never give a value, but a text that uses them is an attack or a mistake. */
function forbiddenNames(references: readonly Reference[]): TextProblem[] {
  return references.flatMap(({ segments, index }) => {
    const name = segments.find((segment) => FORBIDDEN_NAMES.has(segment));
    if (name === undefined) return [];
    const message = `there is no member '${name}'`;
    return [{ code: "unknown-variable", message, hint: "Remove it.", index }];
  });
}

function indexOf(source: string, { row, col }: { row: number; col: number }): number {
  let lineStart = 0;
  for (let line = 1; line < row; line += 1) lineStart = source.indexOf("\n", lineStart) + 1;
  return lineStart + col - 1;
}
