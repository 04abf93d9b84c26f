import type { TenantContext } from "#kernel/context.ts";
import { textCell } from "#kernel/csv.ts";
import { definePort } from "#kernel/port.ts";
import { EXPORT_COLUMNS } from "#src/scheduler/public.ts";
import type { Template } from "#src/templates/public.ts";
import type { Pass } from "../pass.schema.ts";

/** Values by the id of the pass and the name of the column. */
export type ColumnValues = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Columns of data that belong to passes and are kept by a module above. */
export type ColumnSource = {
  /** Such as `privileges.`. */
  readonly prefix: string;
  /** The columns that an export has by default, for passes of a template; without the prefix. */
  columnsOf(template: Template): readonly string[];
  /** The names are without the prefix. */
  read(
    context: TenantContext,
    passIds: readonly string[],
    names: readonly string[],
  ): Promise<ColumnValues>;
};

export const columnSources = definePort<ColumnSource>("column source");

/** What every pass has and what the templates name: what an export has if nobody chose. */
export function defaultColumns(
  templates: readonly Template[],
  sources: readonly ColumnSource[],
): string[] {
  const named = templates.flatMap((template) => {
    const { required = [], unique = [] } = template.identifiers ?? {};
    const data = Object.keys(template.data?.properties ?? {});
    return [
      ...[...required, ...unique].map((name) => `identifiers.${name}`),
      ...data.map((name) => `additionalData.${name}`),
      ...sources.flatMap((source) =>
        source.columnsOf(template).map((name) => `${source.prefix}${name}`),
      ),
    ];
  });
  return [...new Set([...EXPORT_COLUMNS, ...named])];
}

type Cell = (pass: Pass) => string;

const date = (moment: Date | null) => moment?.toISOString() ?? "";

/** Times and numbers come from us, and need no care. */
const OWN_CELLS: Readonly<Record<(typeof EXPORT_COLUMNS)[number], Cell>> = {
  passId: ({ id }) => textCell(id),
  passType: ({ passType }) => textCell(passType),
  status: ({ status }) => status,
  creationDate: ({ createdAt }) => date(createdAt),
  lastUpdateDate: ({ updatedAt }) => date(updatedAt),
  expirationDate: ({ expiresAt }) => date(expiresAt),
  version: ({ version }) => String(version),
  apple: ({ providers }) => providers.apple?.status ?? "none",
  google: ({ providers }) => providers.google?.status ?? "none",
};

/** Undefined for a column of another module. */
export function ownCell(column: string): Cell | undefined {
  const own = Object.entries(OWN_CELLS).find(([name]) => name === column)?.[1];
  if (own !== undefined) return own;
  const [, family = "", name = ""] = /^([^.]+)\.(.*)$/.exec(column) ?? [];
  if (family === "identifiers") return ({ identifiers }) => textCell(identifiers[name] ?? null);
  if (family === "additionalData") return ({ data }) => valueCell(valueAt(data, name));
  if (family === "metadata") return ({ metadata }) => valueCell(valueAt(metadata, name));
  return undefined;
}

/** The member of that name or, if there is none, the one at the end of a path with dots. */
function valueAt(object: unknown, path: string): unknown {
  if (typeof object !== "object" || object === null) return undefined;
  if (Object.hasOwn(object, path)) return (object as Record<string, unknown>)[path];
  const dot = path.indexOf(".");
  if (dot === -1) return undefined;
  const first = path.slice(0, dot);
  if (!Object.hasOwn(object, first)) return undefined;
  return valueAt((object as Record<string, unknown>)[first], path.slice(dot + 1));
}

function valueCell(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return textCell(typeof value === "string" ? value : JSON.stringify(value));
}
