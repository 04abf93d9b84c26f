import type { DataSchema } from "#src/templates/language/public.ts";

/** How a member of `additionalData` is asked for in a form. */
export type MemberKind =
  | "text"
  | "email"
  | "url"
  | "date"
  | "integer"
  | "number"
  | "choice"
  | "yes-no";

const BY_FORMAT: Readonly<Partial<Record<string, MemberKind>>> = {
  email: "email",
  uri: "url",
  date: "date",
  uuid: "text",
};

/** Undefined if no form can ask for it, such as a list or an object. */
export function kindOfMember(schema: DataSchema | undefined): MemberKind | undefined {
  if (schema === undefined) return "text";
  if (schema.const !== undefined) return undefined;
  if (schema.enum !== undefined) return isChoice(schema.enum) ? "choice" : undefined;
  switch (schema.type) {
    case undefined:
    case "string":
      return schema.format === undefined ? "text" : BY_FORMAT[schema.format];
    case "integer":
    case "number":
      return schema.type;
    case "boolean":
      return "yes-no";
    default:
      return undefined;
  }
}

function isChoice(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === "string" || typeof value === "number");
}

/** The schema of one member; undefined where the template says nothing about it. */
export function memberSchema(data: DataSchema | undefined, member: string): DataSchema | undefined {
  const { properties = {} } = data ?? {};
  return Object.hasOwn(properties, member) ? properties[member] : undefined;
}

/** Whether the template takes such a member at all. */
export function takesMember(data: DataSchema | undefined, member: string): boolean {
  return data?.additionalProperties !== false || memberSchema(data, member) !== undefined;
}
