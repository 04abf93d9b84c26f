import { asJsonSchema, type JsonObject } from "#kernel/http/openapi/json-schema.ts";
import { isObject } from "#kernel/json.ts";
import { FILE_KINDS, type FileKind } from "./templates-document.ts";

/** What may stand at a place of a file. Short names, because there are thousands of them. */
type KeyTree = {
  /** What it means. */
  about?: string;
  /** The values that are allowed, or those of an example. */
  values?: string[];
  keys?: Record<string, KeyTree>;
  /** Of each item of a list. */
  items?: KeyTree;
  isLiquid?: true;
};

const DEPTH_MAX = 8;

/** The keys of every file of a tenant, for the completion of the editor. */
export function consoleKeys(kinds: readonly FileKind[] = FILE_KINDS): string {
  const files = kinds.flatMap(({ path, schema, about, example }) =>
    schema === undefined
      ? [{ path, about, example }]
      : [{ path, about, example, tree: treeOf(asJsonSchema(schema), 0) }],
  );
  return `${JSON.stringify(files, undefined, 1)}\n`;
}

function treeOf(schema: JsonObject, depth: number): KeyTree {
  const tree: KeyTree = {};
  if (typeof schema.description === "string") tree.about = schema.description;
  if (depth > DEPTH_MAX) return tree;
  const choices = Array.isArray(schema.anyOf) ? schema.anyOf.filter(isObject) : [schema];
  for (const choice of choices) addChoice(tree, choice, depth);
  return tree;
}

function addChoice(tree: KeyTree, choice: JsonObject, depth: number): void {
  if (choice.isLiquid === true) tree.isLiquid = true;
  if (choice.type === "boolean") tree.values = ["true", "false"];
  const { enum: allowed, const: only, properties, items, patternProperties } = choice;
  const values = Array.isArray(allowed) ? allowed : only === undefined ? [] : [only];
  if (values.length > 0) tree.values = [...(tree.values ?? []), ...values.map(String)];
  if (isObject(items)) tree.items = treeOf(items, depth + 1);
  for (const [name, inner] of Object.entries(isObject(properties) ? properties : {})) {
    tree.keys = { ...tree.keys, [name]: isObject(inner) ? treeOf(inner, depth + 1) : {} };
  }
  const [any] = Object.values(isObject(patternProperties) ? patternProperties : {});
  if (isObject(any)) tree.keys = { ...tree.keys, "*": treeOf(any, depth + 1) };
}
