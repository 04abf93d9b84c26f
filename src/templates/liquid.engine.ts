import { analyzeSync, Context, Liquid, LiquidError, type Template, toValueSync } from "liquidjs";
import { installFilters } from "./liquid.filters.ts";
import { inspect } from "./liquid.inspect.ts";
import { ROOTS, type Scope, STEPS, type StepBudget, TextError } from "./liquid.scope.ts";
import { BoundedEmitter, installTags, OPERATORS } from "./liquid.tags.ts";
import type { Reference, TextProblem } from "./liquid.ts";

/**
 * The library, shut in. Its own limits look at the clock, so that the same template may pass once
 * and fail once: turns and characters are counted instead, and the outcome is always the same.
 */

/** Tags, outputs and pieces of text visited in one render: some milliseconds of work. */
const STEPS_MAX = 5_000;
/** Characters and list members handled in one render. */
const MEMORY_UNITS_MAX = 250_000;
const NESTING_MAX = 16;

const engine = new Liquid({
  ownPropertyOnly: true,
  // An empty set of templates in memory takes the place of the file system.
  templates: {},
  relativeReference: false,
  dynamicPartials: false,
  strictFilters: false,
  strictVariables: false,
  cache: false,
  operators: OPERATORS,
  memoryLimit: MEMORY_UNITS_MAX,
});
installTags(engine);
installFilters(engine);

const RENDER_OPTIONS = { sync: true, ownPropertyOnly: true } as const;

/** Has the shape of the library's own limiter, and counts the visits it reports. */
class StepLimiter {
  readonly #budget: StepBudget;
  #steps = 0;

  constructor(budget: StepBudget) {
    this.#budget = budget;
  }

  check(): void {
    this.#steps += 1;
    this.#budget.left -= 1;
    if (this.#steps > STEPS_MAX) {
      throw new TextError("too-slow", `needs more than ${STEPS_MAX} steps`);
    }
    if (this.#budget.left < 0) {
      throw new TextError(
        "too-slow",
        "needs more steps than all texts of a pass may take together",
      );
    }
  }

  use(): void {
    this.check();
  }
}

export type EngineText = {
  readonly references: readonly Reference[];
  readonly usesLocale: boolean;
  readonly problems: readonly TextProblem[];
  render(scope: Scope): string;
};

export function compileWithEngine(source: string): EngineText {
  let templates: Template[];
  try {
    const depth = nestingOf(source);
    if (depth > NESTING_MAX) throw new Error(`tags are nested more than ${NESTING_MAX} deep`);
    templates = engine.parse(source);
  } catch (error) {
    return {
      references: [],
      usesLocale: false,
      problems: [parseProblem(error)],
      render: refuse,
    };
  }
  const { usesLocaleFilter, problems: refused } = inspect(templates, engine);
  const references = referencesIn(templates, source);
  const problems =
    refused.length > 0 ? refused : [...unknownRoots(references), ...forbiddenNames(references)];
  return {
    references,
    usesLocale: usesLocaleFilter || references.some(({ segments }) => segments[0] === "locale"),
    problems,
    render: problems.length === 0 ? (scope) => render(templates, scope) : refuse,
  };
}

function refuse(): never {
  throw new TextError("render-failed", "is not valid Liquid");
}

function render(templates: Template[], scope: Scope): string {
  const limits = { renderLimit: new StepLimiter(scope[STEPS]) as never, liquid: engine };
  const context = new Context(scope, engine.options, RENDER_OPTIONS, limits);
  const emitter = new BoundedEmitter();
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
  if (/memory alloc limit exceeded/.test(message)) {
    return new TextError("too-large", "handles too much text");
  }
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

/** The library adds `, line:1, col:4` and the file to its sentences. */
function withoutPosition(message: string): string {
  return message.replace(/, (file:[^,]*, )?line:\d+, col:\d+$/, "");
}

/** The library reads nested tags by calling itself: counted before it starts. */
function nestingOf(source: string): number {
  let [depth, deepest] = [0, 0];
  for (const [, end, name = ""] of source.matchAll(/\{%-?\s*(end)?([a-z]+)/g)) {
    if (end !== undefined) depth -= 1;
    else if (/^(if|unless|case|for|capture|comment|raw)$/.test(name)) depth += 1;
    deepest = Math.max(deepest, depth);
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

/** Nothing is there to be read, but whoever writes this means harm or is mistaken. */
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
