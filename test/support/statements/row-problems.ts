import ts from "typescript";
import type { Sql } from "#kernel/db/sql.ts";
import type { DescribedColumn } from "./described.ts";
import { beginsStatement, keyOf, piecesOf } from "./noted-statements.ts";
import type { TypedSources } from "./typed-sources.ts";

type Kind = "string" | "number" | "boolean" | "Date" | "Buffer" | "array" | "object" | "any";

type RowMember = {
  readonly name: string;
  readonly kinds: ReadonlySet<Kind>;
  readonly isOptional: boolean;
};

/** What the driver makes of a column, by the name of its type; any other type is given as its text. */
const KINDS: Readonly<Record<string, Kind>> = {
  bool: "boolean",
  int2: "number",
  int4: "number",
  float4: "number",
  float8: "number",
  oid: "number",
  timestamptz: "Date",
  timestamp: "Date",
  date: "Date",
  bytea: "Buffer",
  json: "any",
  jsonb: "any",
  void: "any",
};

/** Where the columns of a statement are not the members of the type of its rows. */
export function rowProblems(
  columns: readonly DescribedColumn[],
  members: readonly RowMember[],
  typeNames: ReadonlyMap<number, string>,
): string[] {
  const problems: string[] = [];
  const byName = new Map(columns.map((column) => [column.name, column]));
  const known = new Set(members.map(({ name }) => name));
  for (const { name } of columns) {
    if (!known.has(name)) problems.push(`column "${name}" is no member of its row type`);
  }
  for (const { name, kinds, isOptional } of members) {
    const column = byName.get(name);
    if (column === undefined) {
      if (!isOptional) problems.push(`no column gives member "${name}" of its row type`);
      continue;
    }
    const typeName = typeNames.get(column.typeId) ?? "";
    const kind = typeName.startsWith("_") ? "array" : (KINDS[typeName] ?? "string");
    if (kind === "any" || kinds.has("any") || kinds.has(kind)) continue;
    problems.push(`"${name}" is ${typeName}, and the row type takes ${[...kinds].join(" or ")}`);
  }
  return problems;
}

/**
 * What the rows of a statement must be: undefined where the source leaves that to a type parameter and
 * no piece of the statement says more, as the columns of a record do, which follow from its members.
 */
export function expectedMembers(
  statement: Sql,
  row: ts.Type,
  { checker, byStrings }: TypedSources,
): RowMember[] | undefined {
  const isOpen = row.isIntersection() && row.types.some((part) => part.isTypeParameter());
  if (!isOpen) return membersOf(row, checker);
  const [columns] = piecesOf(statement)
    .flatMap((piece) => byStrings.get(keyOf(piece)) ?? [])
    .filter((template) => !beginsStatement(template) && template.row !== row)
    .flatMap((template) => template.row ?? []);
  if (columns === undefined) return undefined;
  return [...membersOf(row, checker), ...membersOf(columns, checker)];
}

function membersOf(row: ts.Type, checker: ts.TypeChecker): RowMember[] {
  return checker.getPropertiesOfType(row).map((member) => {
    const type = checker.getTypeOfSymbol(member);
    const parts = type.isUnion() ? type.types : [type];
    const kinds = new Set(parts.flatMap((part) => kindOf(part, checker) ?? []));
    const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0;
    return { name: member.name, kinds, isOptional };
  });
}

function kindOf(type: ts.Type, checker: ts.TypeChecker): Kind | undefined {
  const { flags } = type;
  if (flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)) return undefined;
  if (flags & ts.TypeFlags.StringLike) return "string";
  if (flags & ts.TypeFlags.NumberLike) return "number";
  if (flags & ts.TypeFlags.BooleanLike) return "boolean";
  if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return "any";
  if (checker.isArrayType(type) || checker.isTupleType(type)) return "array";
  const name = type.symbol?.name;
  return name === "Date" || name === "Buffer" ? name : "object";
}
