import type { DataSchema } from "./schema/data.ts";
import type { Template } from "./template.schema.ts";

const OF_PASS = [
  "pass.id",
  "pass.passType",
  "pass.status",
  "pass.creationDate",
  "pass.lastUpdateDate",
  "pass.expirationDate",
  "pass.version",
];
const OF_TENANT = ["tenant.name", "tenant.timeZone", "tenant.defaultLocale"];
const OF_PRIVILEGE = ["value", "name", "type", "unit", "minimum", "maximum", "status"];

const DEPTH_MAX = 3;
const NAMES_MAX = 500;
const PLAIN = /^[A-Za-z_][\w-]*$/;

/** The variables that texts of this template can read, as one writes them. For editors. */
export function variableNames({ data, identifiers = {}, privileges = [] }: Template): string[] {
  const known = new Set([...(identifiers.required ?? []), ...(identifiers.unique ?? [])]);
  return [
    ...OF_PASS,
    ...dataNames(data as DataSchema | undefined, "data", 0),
    ...[...known].map((name) => member("identifiers", name)),
    ...privileges.flatMap(({ id }) =>
      OF_PRIVILEGE.map((name) => `${member("privileges", id)}.${name}`),
    ),
    ...OF_TENANT,
    "locale",
  ].slice(0, NAMES_MAX);
}

function dataNames(schema: DataSchema | undefined, path: string, depth: number): string[] {
  if (depth >= DEPTH_MAX) return [];
  return Object.entries(schema?.properties ?? {}).flatMap(([name, inner]) => {
    const own = member(path, name);
    return [own, ...dataNames(inner, own, depth + 1)];
  });
}

/** Names with dots, as identifiers have, stand in brackets. */
function member(path: string, name: string): string {
  return PLAIN.test(name) ? `${path}.${name}` : `${path}['${name}']`;
}
