import type { RenderBudget } from "./budget.ts";
import { BUDGET, boundOutput, ROOTS, type Scope, sizeOf, toText } from "./scope.ts";

/**
 * Most texts of a pass are plain, or plain with outputs such as `{{ data.name }}` or
 * `{{ identifiers['loyalty.number'] }}`. These texts are compiled to closures here. All other texts
 * go to the engine. A property test checks that both give the same result.
 */

export type PlainPath = { readonly segments: readonly string[]; readonly index: number };
export type PlainText = {
  readonly paths: readonly PlainPath[];
  render(scope: Scope): string;
};

const BLANKS = " \t\r\n";
const ROOT = /[a-z]+/y;
const SEGMENT =
  /\.([A-Za-z_][A-Za-z0-9_]*)|\[(?:'([^'\\[\]]*)'|"([^"\\[\]]*)"|(0|[1-9][0-9]{0,8}))\]/y;
/** The engine computes these names if the value has no such member. */
const COMPUTED = new Set(["size", "first", "last"]);
/** The engine refuses these names, and reports the place and the reason. */
const REFUSED = new Set(["__proto__", "constructor", "prototype"]);
const knownRoots: ReadonlySet<string> = new Set(ROOTS);

/** Returns undefined if the text needs the engine. */
export function compilePlain(source: string): PlainText | undefined {
  if (!source.includes("{{") && !source.includes("{%")) {
    return {
      paths: [],
      render(scope) {
        begin(scope);
        return boundOutput(source);
      },
    };
  }
  const literals: string[] = [];
  const paths: PlainPath[] = [];
  let from = 0;
  for (;;) {
    const at = nextDelimiter(source, from);
    if (at === -1) break;
    const end = source.indexOf("}}", at);
    if (source[at + 1] !== "{" || end === -1) return undefined;
    let [first, last] = [at + 2, end];
    while (first < last && isBlank(source, first)) first += 1;
    while (first < last && isBlank(source, last - 1)) last -= 1;
    const segments = readPath(source.slice(first, last));
    if (segments === undefined) return undefined;
    literals.push(source.slice(from, at));
    paths.push({ segments, index: first });
    from = end + 2;
  }
  literals.push(source.slice(from));
  return { paths, render: renderer(literals, paths) };
}

function isBlank(source: string, at: number): boolean {
  return BLANKS.includes(source[at] ?? "x");
}

function nextDelimiter(source: string, from: number): number {
  const output = source.indexOf("{{", from);
  const tag = source.indexOf("{%", from);
  if (output === -1) return tag;
  return tag === -1 ? output : Math.min(output, tag);
}

function readPath(expression: string): string[] | undefined {
  ROOT.lastIndex = 0;
  const root = ROOT.exec(expression)?.[0];
  if (root === undefined || !knownRoots.has(root)) return undefined;
  const segments = [root];
  let at = root.length;
  while (at < expression.length) {
    SEGMENT.lastIndex = at;
    const match = SEGMENT.exec(expression);
    const name = match?.[1] ?? match?.[2] ?? match?.[3] ?? match?.[4];
    if (name === undefined || COMPUTED.has(name) || REFUSED.has(name)) return undefined;
    segments.push(name);
    at = SEGMENT.lastIndex;
  }
  return segments;
}

function renderer(literals: readonly string[], paths: readonly PlainPath[]) {
  const lookups = paths.map(({ segments }) => segments);
  return (scope: Scope): string => {
    const budget = begin(scope);
    let text = literals[0] ?? "";
    for (let at = 0; at < lookups.length; at += 1) {
      const value = lookUp(scope, lookups[at] ?? []);
      if (typeof value === "object") budget.use(sizeOf(value));
      text += toText(value) + (literals[at + 1] ?? "");
    }
    return boundOutput(text);
  };
}

function begin(scope: Scope): RenderBudget {
  const budget = scope[BUDGET];
  budget.beginText();
  budget.step();
  return budget;
}

function lookUp(scope: Scope, segments: readonly string[]): unknown {
  let value: unknown = scope;
  for (const segment of segments) {
    if (value === null || value === undefined) return undefined;
    value = Object.hasOwn(value, segment) ? (value as Record<string, unknown>)[segment] : undefined;
  }
  return value;
}
