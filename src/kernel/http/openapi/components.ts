import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../json.ts";
import { type JsonObject, type JsonSchema, mapSubschemas, modernize } from "./json-schema.ts";

const COMPONENT_NAME = /^[A-Za-z][A-Za-z0-9._-]*$/;

type Section = "schemas" | "responses" | "parameters" | "examples" | "headers";

export type Parameter = JsonObject & { in: string; name: string };

/** The shared parts of the document: a part with a name is written once and referred to. */
export class Components {
  readonly #sections: Record<Section, Map<string, unknown>> = {
    schemas: new Map(),
    responses: new Map(),
    parameters: new Map(),
    examples: new Map(),
    headers: new Map(),
  };

  readonly #namesByContent = new Map<string, string>();

  /**
   * Returns a reference if the schema has an `$id` or a title that can be a name; otherwise the
   * schema itself.
   */
  schema(source: JsonSchema): JsonObject {
    const name = nameOf(source);
    return name === undefined ? this.#inline(source) : this.#lift(name, source);
  }

  /**
   * Like `schema`, but a schema without a name of its own gets this name, unless it is only a list
   * of a named schema.
   */
  schemaNamed(name: string, source: JsonSchema): JsonObject {
    if (nameOf(source) !== undefined) return this.schema(source);
    const inline = this.#inline(source);
    const isShort = "$ref" in inline || (isObject(inline.items) && "$ref" in inline.items);
    return isShort ? inline : this.add("schemas", name, inline);
  }

  /** Two different values under one name would make one of them wrong, so this throws. */
  add(section: Section, name: string, value: unknown): JsonObject {
    const known = this.#sections[section].get(name);
    if (known !== undefined && !isDeepStrictEqual(known, value)) {
      throw new TypeError(`Two different ${section} are called '${name}'.`);
    }
    this.#sections[section].set(name, value);
    return { $ref: `#/components/${section}/${name}` };
  }

  /**
   * Like `add`, but if the same value already exists under another name, returns a reference to
   * that one.
   */
  share(section: Section, name: string, value: unknown): JsonObject {
    const content = `${section} ${JSON.stringify(value)}`;
    const known = this.#namesByContent.get(content) ?? name;
    this.#namesByContent.set(content, known);
    return this.add(section, known, value);
  }

  has(section: Section, name: string): boolean {
    return this.#sections[section].has(name);
  }

  /**
   * Returns a reference if the name is free or has the same meaning; otherwise the parameter
   * itself.
   */
  parameter(parameter: Parameter): JsonObject {
    const name = `${parameter.in}.${parameter.name.replaceAll(/[^A-Za-z0-9]+/g, ".")}`;
    const known = this.#sections.parameters.get(name);
    if (known !== undefined && !isDeepStrictEqual(known, parameter)) return parameter;
    return this.add("parameters", name, parameter);
  }

  toJson(): JsonObject {
    return Object.fromEntries(
      Object.entries(this.#sections).map(([section, entries]) => [
        section,
        Object.fromEntries([...entries].sort(([left], [right]) => (left < right ? -1 : 1))),
      ]),
    );
  }

  #lift(name: string, source: JsonSchema): JsonObject {
    // `$id` is removed, because it would change the base of the references inside.
    const { $id, ...schema } = source;
    return this.add("schemas", name, this.#inline(schema));
  }

  #inline(source: JsonSchema): JsonObject {
    // `mustBe` is for error messages; readers of the document have the description.
    const { $defs, mustBe, ...schema } = modernize(source);
    for (const [name, inner] of Object.entries(isObject($defs) ? $defs : {})) {
      if (isObject(inner)) this.#lift(name, inner);
    }
    const result = mapSubschemas(schema, (inner) => this.schema(inner));
    if (typeof result.$ref === "string" && !result.$ref.startsWith("#")) {
      result.$ref = `#/components/schemas/${result.$ref}`;
    }
    return result;
  }
}

function nameOf({ $id, title }: JsonSchema): string | undefined {
  if (typeof $id === "string" && COMPONENT_NAME.test($id)) return $id;
  return typeof title === "string" && COMPONENT_NAME.test(title) ? title : undefined;
}
