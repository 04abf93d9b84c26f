import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import keys from "./file-keys.json" with { type: "json" };

/** What may stand at a place of a file. Generated from the schemas: `npm run generate`. */
export type KeyTree = {
  readonly about?: string;
  readonly values?: readonly string[];
  readonly keys?: Readonly<Record<string, KeyTree>>;
  readonly items?: KeyTree;
  readonly isLiquid?: boolean;
};
export type FileKind = {
  readonly path: string;
  readonly about: string;
  readonly example: string;
  readonly tree?: KeyTree;
};

export const FILE_KINDS = keys as readonly FileKind[];

const FILTERS = ["t", "money", "number", "date", "default", "append", "upcase", "strip", "join"];

/** The kind of a file, by its path. */
export function kindOf(path: string): FileKind | undefined {
  return FILE_KINDS.find((kind) => {
    const escaped = kind.path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return new RegExp(`^${escaped.replace(/<[^>]+>/g, "[^/]+")}$`).test(path);
  });
}

/** Completes variables within `{{ }}`, and keys and values everywhere else. */
export function complete(
  path: string,
  variables: () => readonly string[],
): (context: CompletionContext) => CompletionResult | null {
  const kind = kindOf(path);
  return (context) => {
    const line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    const liquid = /\{[{%]([^}%]*)$/.exec(before);
    if (liquid !== null) return inLiquid(context, liquid[1] ?? "", variables());
    if (kind?.tree === undefined) return null;
    const above: string[] = [];
    for (let at = 1; at < line.number; at += 1) above.push(context.state.doc.line(at).text);
    return inYaml(context, kind.tree, above, before);
  };
}

function inLiquid(
  context: CompletionContext,
  text: string,
  variables: readonly string[],
): CompletionResult | null {
  const isFilter = /\|\s*\w*$/.test(text);
  const word = context.matchBefore(isFilter ? /\w*/ : /[\w.'[\]-]*/);
  if (word === null || (word.from === word.to && !context.explicit && !/[{|]\s$/.test(text))) {
    if (text.trim() !== "" && !isFilter) return null;
  }
  const names = isFilter ? FILTERS : variables;
  const type = isFilter ? "function" : "variable";
  return {
    from: word?.from ?? context.pos,
    options: names.map((label): Completion => ({ label, type })),
    validFor: isFilter ? /^\w*$/ : /^[\w.'[\]-]*$/,
  };
}

const KEY = /^([\w.-]+|"[^"]*"|'[^']*')\s*:(?:\s|$)/;

type Step = { readonly indent: number; readonly name: string };

/**
 * Where a line stands, from the lines above it: the keys that it is indented below. A dash is a step
 * into a list. Good enough to help, not to judge: that is done by the service.
 */
export function pathAt(above: readonly string[], indent: number): string[] {
  const steps: Step[] = [];
  for (const text of above) {
    if (/^\s*(#|$)/.test(text)) continue;
    let own = text.search(/\S/);
    let rest = text.slice(own);
    while (steps.length > 0 && (steps.at(-1)?.indent ?? 0) >= own) steps.pop();
    while (/^-(\s|$)/.test(rest)) {
      steps.push({ indent: own, name: "-" });
      const moved = rest.length - rest.slice(1).trimStart().length;
      own += moved;
      rest = rest.slice(moved);
    }
    const name = KEY.exec(rest)?.[1];
    if (name !== undefined) steps.push({ indent: own, name: name.replace(/^["']|["']$/g, "") });
  }
  while (steps.length > 0 && (steps.at(-1)?.indent ?? 0) >= indent) steps.pop();
  return steps.map(({ name }) => name);
}

export function treeAt(tree: KeyTree, path: readonly string[]): KeyTree | undefined {
  let place: KeyTree | undefined = tree;
  for (const name of path) {
    place = name === "-" ? place?.items : (place?.keys?.[name] ?? place?.keys?.["*"]);
  }
  return place;
}

function inYaml(
  context: CompletionContext,
  tree: KeyTree,
  above: readonly string[],
  before: string,
): CompletionResult | null {
  const indent = before.search(/\S|$/);
  const steps = pathAt(above, indent);
  let rest = before.slice(indent);
  for (; /^-\s/.test(rest); rest = rest.slice(1).trimStart()) steps.push("-");
  // Within braces on the same line, each one opened is a step further.
  for (let key = KEY.exec(rest); key !== null; key = KEY.exec(rest)) {
    const value = rest.slice(key[0].length).trimStart();
    const [, opening = ""] = /^([[{\s]+)/.exec(value) ?? [];
    if (opening === "") return valuesOf(context, treeAt(tree, [...steps, key[1] ?? ""]), value);
    steps.push(key[1] ?? "");
    for (const sign of opening) if (sign === "[") steps.push("-");
    rest = value.slice(opening.length);
    rest = rest.slice(rest.lastIndexOf(",") + 1).trimStart();
  }
  if (!/^[\w.-]*$/.test(rest)) return null;
  return keysOf(context, treeAt(tree, steps), rest);
}

function keysOf(
  context: CompletionContext,
  place: KeyTree | undefined,
  typed: string,
): CompletionResult | null {
  const known = Object.entries(place?.keys ?? {}).filter(([name]) => name !== "*");
  if (known.length === 0 || (typed === "" && !context.explicit)) return null;
  return {
    from: context.pos - typed.length,
    options: known.map(([label, { about, keys: inner, items }]) => ({
      label,
      apply: inner === undefined && items === undefined ? `${label}: ` : `${label}:`,
      type: "property",
      ...(about === undefined ? {} : { info: about }),
    })),
    validFor: /^[\w.-]*$/,
  };
}

function valuesOf(
  context: CompletionContext,
  place: KeyTree | undefined,
  typed: string,
): CompletionResult | null {
  if (place?.values === undefined || !/^\w*$/.test(typed)) return null;
  return {
    from: context.pos - typed.length,
    options: place.values.map((label) => ({ label, type: "enum" })),
    validFor: /^\w*$/,
  };
}
