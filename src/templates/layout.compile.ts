import type { JsonObject } from "./layout.merge.ts";
import type { Scope } from "./liquid/scope.ts";
import type { RenderProblem, TemplateValue } from "./template.value.ts";
import { compileValue, type Pointer, renderValue, type ValueSource } from "./template.value.ts";

/** A layout file whose Liquid texts are compiled. */
export type CompiledLayout = {
  readonly values: readonly TemplateValue[];
  /** The layout as written in the file. */
  readonly source: Readonly<JsonObject>;
  /** The place of the name of a member in the file. */
  keyAt(pointer: Pointer): Pick<TemplateValue, "file" | "line" | "column">;
  render(scope: Scope, language: string, problems: RenderProblem[]): Readonly<JsonObject>;
};

type Make = (scope: Scope, language: string, problems: RenderProblem[]) => unknown;

export function compileLayout(
  layout: Readonly<JsonObject>,
  source: ValueSource,
  pointer: Pointer = [],
): CompiledLayout {
  const values: TemplateValue[] = [];
  const make = compileNode(layout, pointer, source, values);
  return {
    values,
    source: layout,
    keyAt: (member) => ({ file: source.file, ...source.yaml.keyAt([...pointer, ...member]) }),
    render: (scope, language, problems) =>
      (make === undefined ? layout : make(scope, language, problems)) as JsonObject,
  };
}

/**
 * Returns undefined for a node without Liquid, so that the node is used as it is and never copied.
 */
function compileNode(
  node: unknown,
  pointer: Pointer,
  source: ValueSource,
  values: TemplateValue[],
): Make | undefined {
  if (typeof node === "string") {
    if (!node.includes("{{") && !node.includes("{%")) return undefined;
    const value = compileValue(node, pointer, "layout", source);
    values.push(value);
    return (scope, language, problems) => renderValue(value, scope, language, problems);
  }
  if (typeof node !== "object" || node === null) return undefined;
  const members = Object.entries(node).map(([name, child]) => {
    const key = Array.isArray(node) ? Number(name) : name;
    return { name, child, make: compileNode(child, [...pointer, key], source, values) };
  });
  if (members.every(({ make }) => make === undefined)) return undefined;
  return (scope, language, problems) => {
    const made = members.map(({ name, child, make }) => [
      name,
      make === undefined ? child : make(scope, language, problems),
    ]);
    return Array.isArray(node) ? made.map(([, value]) => value) : Object.fromEntries(made);
  };
}
