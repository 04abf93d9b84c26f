import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type ts from "typescript";
import { Sql, sql } from "#kernel/db/sql.ts";
import { ROOT } from "../sources.ts";
import { type NamedValues, ValueMaker } from "./made-values.ts";
import { type ExportedFunction, stringsKey, type TypedSources } from "./typed-sources.ts";

const STATEMENT = /^\s*(select|insert|update|delete|with|explain|set)\b/;

/** Whoever asks for more goes round in a circle: what is made up never ends a walk through pages. */
const STATEMENTS_MAX = 20;

/** Calls every function with made-up values on a database that only notes what it is asked. */
export async function noteStatements(sources: TypedSources): Promise<Sql[]> {
  const noted = new Map<string, Sql>();
  for (const path of new Set(sources.functions.map((one) => one.path))) {
    const ready = Object.values(await load(path)).filter(isStatement);
    for (const piece of ready) noted.set(textOf(piece), piece);
  }
  for (const one of sources.functions) {
    for (const fullness of ["full", "spare"] as const) {
      for (const givesRows of [true, false]) {
        const notes = await callOnce(sources, one, fullness, givesRows);
        for (const piece of notes) noted.set(textOf(piece), piece);
      }
    }
  }
  return [...noted.values()];
}

async function load(path: string): Promise<Record<string, unknown>> {
  return await import(pathToFileURL(join(ROOT, path)).href);
}

async function callOnce(
  sources: TypedSources,
  { path, name, parameters }: ExportedFunction,
  fullness: "full" | "spare",
  givesRows: boolean,
): Promise<Sql[]> {
  const noted: Sql[] = [];
  const rows = new ValueMaker(sources.checker, "full", {});
  const answer = (piece: Sql): unknown[] => {
    noted.push(piece);
    if (noted.length > STATEMENTS_MAX) throw new Error("It asks without end.");
    const row = sources.byStrings.get(keyOf(piece))?.find((template) => template.row)?.row;
    return givesRows && row !== undefined ? [rows.make(row)] : [];
  };
  const module = await load(path);
  const maker = new ValueMaker(sources.checker, fullness, namedValues(notingDatabase(answer)));
  try {
    const call = module[name] as (...given: unknown[]) => unknown;
    const result = await call(...parameters.map((type) => maker.make(type)));
    // Some functions give a statement to whoever runs it.
    if (isStatement(result)) noted.push(result);
  } catch {
    // What is made up need not make sense. What was not asked because of it is found out: every
    // template must have been met.
  }
  return noted;
}

/** More than a piece of one, such as a list of columns. */
function isStatement(value: unknown): value is Sql {
  return value instanceof Sql && beginsStatement(value);
}

export function beginsStatement({ strings }: { readonly strings: readonly string[] }): boolean {
  return STATEMENT.test(strings[0] ?? "");
}

/** A transaction, a call and a database at once: each has the members by which statements go out. */
function notingDatabase(answer: (piece: Sql) => unknown[]): object {
  const find = (given: readonly unknown[]) => given.find((one) => one instanceof Sql) ?? sql``;
  const many = async (...given: unknown[]) => answer(find(given));
  const world: Record<string, unknown> = {
    tenantId: "acme",
    now: new Date(0),
    mayGuess: true,
    clock: { now: () => new Date(0) },
    origin: { op: "x", requestId: "x", ip: "x", actor: { kind: "operator", id: "x" } },
    many,
    read: many,
    readAsSystem: many,
    maybeOne: async (piece: Sql) => answer(piece)[0],
    one: async (piece: Sql) => answer(piece)[0],
    run: async (piece: Sql) => answer(piece).length,
    defer: (piece: Sql) => void answer(piece),
    transaction: (...given: unknown[]) => {
      const work = given.find((one) => typeof one === "function");
      return (work as (tx: object) => unknown)(world);
    },
    forTenant: () => world,
  };
  for (const name of ["audit", "emit", "enqueue", "signal", "hint", "afterCommit"]) {
    world[name] = () => undefined;
  }
  return Object.assign(world, { db: world, runtime: world, database: world });
}

function namedValues(world: object): NamedValues {
  const column = { sql: "'x'::text", type: "text", nullable: false };
  const list = {
    pageIndex: 0,
    pageSize: 1,
    isWhole: false,
    filters: [],
    sorts: [{ field: "id", direction: "ASC", column }],
    isDefault: true,
  };
  const spec = { fields: { id: column }, id: "id", paging: "always" };
  return {
    TenantTx: () => world,
    CallContext: () => world,
    TenantContext: () => world,
    SystemContext: () => world,
    Database: () => world,
    Runtime: () => world,
    Reader: () => world,
    ListInput: () => ({ list, url: "/" }),
    ListQuery: () => list,
    ListSpec: () => spec,
    // In brackets it is a condition as well as a table.
    Sql: (type) => (isRowOf(type) ? sql`(select 'x'::text as id)` : sql`(select true)`),
  };
}

function isRowOf(type: ts.Type): boolean {
  const [row] = type.aliasTypeArguments ?? (type as ts.TypeReference).typeArguments ?? [];
  return row?.getProperty("id") !== undefined;
}

export function keyOf({ strings }: Sql): string {
  return stringsKey(strings);
}

/** The piece and all pieces in it. */
export function piecesOf(piece: Sql): Sql[] {
  const inner = piece.values.flatMap((value) => (value instanceof Sql ? piecesOf(value) : []));
  return [piece, ...inner];
}

function textOf(piece: Sql): string {
  return piecesOf(piece).map(keyOf).join("\u0001");
}
