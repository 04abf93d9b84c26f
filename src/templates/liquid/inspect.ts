import { type Liquid, type Template, Token, TokenKind, Value } from "liquidjs";
import { LOCALE_FILTERS } from "./filters.ts";
import type { TextProblem } from "./reading.ts";
import { type Translated, translatedBy } from "./translated.ts";

/**
 * Looks at every token of a parsed text for things that are not allowed: unknown filters, ranges
 * outside `for` (the library creates all their numbers, however many), members of something that is
 * not a variable, and a second value without an operator (the library ignores it silently).
 */
export type Inspection = {
  readonly usesLocaleFilter: boolean;
  readonly translated: Translated;
  readonly problems: readonly TextProblem[];
};

export function inspect(templates: readonly Template[], engine: Liquid): Inspection {
  const problems: TextProblem[] = [];
  const values: Value[] = [];
  let usesLocaleFilter = false;
  const seen = new Set<object>();
  const visit = (node: unknown, name: string, parent: object | undefined): void => {
    if (typeof node !== "object" || node === null || seen.has(node)) return;
    seen.add(node);
    if (node instanceof Token) {
      const problem = tokenProblem(node, name, parent, engine);
      if (problem !== undefined) problems.push(at(node, problem));
      if (node.kind === TokenKind.Filter && LOCALE_FILTERS.has(filterName(node)))
        usesLocaleFilter = true;
    }
    if (node instanceof Value) values.push(node);
    if (Array.isArray(node) && name === "postfix" && !isOneValue(node)) {
      const stray = node.find((item) => item instanceof Token);
      if (stray !== undefined) problems.push(at(stray, STRAY_VALUE));
    }
    for (const [key, child] of Object.entries(node)) {
      if (!NOT_PART.has(key)) visit(child, Array.isArray(node) ? name : key, node);
    }
  };
  for (const template of templates) visit(template, "", undefined);
  return { usesLocaleFilter, translated: translatedBy(values), problems };
}

/** Members of a node that are not part of the parsed text. */
const NOT_PART = new Set(["liquid", "tokenizer", "parser", "handler"]);

type Complaint = Pick<TextProblem, "code" | "message" | "hint">;

const STRAY_VALUE: Complaint = {
  code: "liquid-syntax",
  message: "has two values side by side",
  hint: "Join them with a filter, as in {{ a | append: b }}, or write two outputs.",
};

function at(token: Token, complaint: Complaint): TextProblem {
  return { ...complaint, index: token.begin };
}

function filterName(token: Token): string {
  return (token as unknown as { name: string }).name;
}

function tokenProblem(
  token: Token,
  name: string,
  parent: object | undefined,
  engine: Liquid,
): Complaint | undefined {
  if (token.kind === TokenKind.Filter && engine.filters[filterName(token)] === undefined) {
    return {
      code: "unknown-filter",
      message: `there is no filter '${filterName(token)}'`,
      hint: `Templates know ${Object.keys(engine.filters).sort().join(", ")}.`,
    };
  }
  const isLoop = name === "collection" && parent !== undefined && "elseTemplates" in parent;
  if (token.kind === TokenKind.Range && !isLoop) {
    return {
      code: "liquid-syntax",
      message: "has a range outside of 'for'",
      hint: "Write {% for i in (1..5) %} … {% endfor %}.",
    };
  }
  const isMember = token.kind === TokenKind.PropertyAccess;
  if (isMember && (token as unknown as { variable: unknown }).variable !== undefined) {
    return {
      code: "liquid-syntax",
      message: "asks for a member of something that is not a variable",
      hint: "Assign it to a variable first.",
    };
  }
  return undefined;
}

const OPERANDS_OF_UNARY = 1;

/**
 * In postfix order, every operator replaces its operands by one value. At the end, exactly one
 * value must be left.
 */
function isOneValue(postfix: readonly unknown[]): boolean {
  let values = 0;
  for (const token of postfix) {
    const { kind, operator } = token as { kind: number; operator?: string };
    if (kind !== TokenKind.Operator) values += 1;
    else values -= operator === "not" ? OPERANDS_OF_UNARY - 1 : 1;
    if (values < 1) return false;
  }
  return values === 1;
}
