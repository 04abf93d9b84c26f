import { quoteExcerpt } from "#kernel/excerpt.ts";
import { closest } from "#src/files/public.ts";
import { EXPORT_COLUMNS } from "#src/scheduler/public.ts";
import type { DataSchema } from "#src/templates/language/public.ts";
import { PLAIN_TARGETS } from "../import.schema.ts";
import { UnreadableFile } from "../unreadable-file.ts";
import type { MappingGround } from "./row-wish.ts";
import { keyOf, parseTarget, type Target } from "./target.ts";

const NAMED_MAX = 10;

/** What each column of a CSV file fills, in the order of its columns. */
export type ColumnPlan = readonly { readonly column: string; readonly target: Target }[];

/** The columns of the log of an import, so that it can be corrected and sent again. */
const LOG_COLUMNS = ["row", "line", "outcome", "message", "reason"];
/** Such columns of an export that nobody can set are passed over, so that it can be imported. */
const PASSED_OVER = new Set<string>([...LOG_COLUMNS, ...EXPORT_COLUMNS]);
const METADATA = "metadata.";

/** Finds targets by the names of columns: as the tenant maps them, or as they are named. */
export class TargetFinder {
  readonly #mapped: ReadonlyMap<string, Target>;
  readonly #mappedLoosely: ReadonlyMap<string, Target>;

  constructor({ columns = {} }: MappingGround["mapping"]) {
    const entries = Object.entries(columns).flatMap(([column, name]) => {
      const target = parseTarget(name);
      return target === undefined ? [] : [[column, target] as const];
    });
    this.#mapped = new Map(entries);
    this.#mappedLoosely = new Map(entries.map(([column, target]) => [loose(column), target]));
  }

  find(column: string): Target | undefined {
    return (
      this.#mapped.get(column) ??
      this.#mappedLoosely.get(loose(column)) ??
      parseTarget(column) ??
      (PASSED_OVER.has(column) || column.startsWith(METADATA) ? IGNORE : undefined)
    );
  }
}

const IGNORE = { kind: "ignore" } as const;

/** Capital letters and spaces around a name get lost and found on the way through spreadsheets. */
function loose(name: string): string {
  return name.trim().toLowerCase();
}

/**
 * Throws `UnreadableFile` if there are columns that mean nothing, or none that says whose pass a row
 * is about: every row would fail for the same reason.
 */
export function planColumns(
  columns: readonly string[],
  finder: TargetFinder,
  ground: MappingGround,
): ColumnPlan {
  const found = columns.map((column) => ({ column, target: finder.find(column) }));
  const plan = found.flatMap(({ column, target }) =>
    target === undefined ? [] : [{ column, target }],
  );
  const unknown = found.flatMap(({ column, target }) => (target === undefined ? [column] : []));
  if (unknown.length > 0) throw unknownColumns(unknown, plan.length === 0, ground);
  refuseTwice(plan);
  const has = (kind: Target["kind"]) => plan.some(({ target }) => target.kind === kind);
  if (!has("passId") && !has("identifier")) throw refused(NO_KEY);
  const { mapping, types } = ground;
  const isNamed = has("passType") || mapping.passType !== undefined || types.names.length === 1;
  const mayCreate = !has("passId") && !has("action") && (mapping.action ?? "upsert") === "upsert";
  if (!isNamed && (mayCreate || types.names.length === 0)) {
    throw refused(`${NO_TYPE} ${typesOf(types.names)}`);
  }
  return plan;
}

const NO_KEY =
  "No column says whose pass a row is about. Name one 'passId' or 'identifiers.<source>.<name>', such as identifiers.crm.id, or map one to it in server/import.yml.";
const NO_TYPE =
  "No column says of which type the passes are. Add a column 'passType', or set 'passType' in server/import.yml.";

function typesOf(names: readonly string[]): string {
  return names.length === 0 ? "There are no templates yet." : `There are: ${listed(names)}.`;
}

/** Two columns that fill the same value would contradict each other. */
function refuseTwice(plan: ColumnPlan): void {
  const filledBy = new Map<string, string>();
  for (const { column, target } of plan) {
    if (target.kind === "ignore") continue;
    const other = filledBy.get(keyOf(target));
    if (other !== undefined) {
      throw refused(
        `The columns ${quoteExcerpt(other)} and ${quoteExcerpt(column)} fill the same value. Map one of them to 'ignore' in server/import.yml.`,
      );
    }
    filledBy.set(keyOf(target), column);
  }
}

function unknownColumns(
  unknown: readonly string[],
  isAll: boolean,
  ground: MappingGround,
): UnreadableFile {
  const suggestions = new Suggestions(ground);
  const names = listed(unknown, (column) => {
    const meant = suggestions.for(column);
    const shown = quoteExcerpt(column);
    return meant === undefined ? shown : `${shown} (did you mean '${meant}'?)`;
  });
  const hint =
    "Rename them, or say in server/import.yml what they mean, under 'columns'; 'ignore' leaves one out.";
  return new UnreadableFile(
    "unknown-columns",
    isAll
      ? `The first line of the file must name the columns, but none of its names is known: ${names}. Is the header missing? If not: ${hint}`
      : `These columns mean nothing here: ${names}. ${hint}`,
  );
}

function listed(names: readonly string[], show = (name: string) => name): string {
  const more = names.length - NAMED_MAX;
  const shown = names.slice(0, NAMED_MAX).map(show);
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/**
 * What was probably meant by columns that mean nothing. Comparing a name with all others takes long,
 * and every row of JSON may have names of its own, so only the first names of a file are looked up.
 */
export class Suggestions {
  readonly #ground: MappingGround;
  readonly #known = new Map<string, string | undefined>();
  #candidates: readonly string[] | undefined;

  constructor(ground: MappingGround) {
    this.#ground = ground;
  }

  /** Undefined if nothing is similar. */
  for(column: string): string | undefined {
    if (!this.#known.has(column) && this.#known.size < SUGGESTIONS_MAX) {
      this.#known.set(column, this.#find(column));
    }
    return this.#known.get(column);
  }

  #find(column: string): string | undefined {
    this.#candidates ??= candidatesOf(this.#ground).slice(0, CANDIDATES_MAX);
    const name = loose(column);
    const isSame = (candidate: string) => loose(candidate).endsWith(`.${name}`);
    return this.#candidates.find(isSame) ?? closest(column, this.#candidates);
  }
}

const SUGGESTIONS_MAX = 20;
const CANDIDATES_MAX = 2_000;

/** All names that mean something for this tenant. */
function candidatesOf({ mapping, types }: MappingGround): readonly string[] {
  const ofTypes = types.names.flatMap((name) => {
    const type = types.find(name);
    const data = type?.rules.data as DataSchema | undefined;
    const identifiers = [...(type?.rules.required ?? []), ...(type?.rules.unique ?? [])];
    return [
      ...identifiers.map((identifier) => `identifiers.${identifier}`),
      ...Object.keys(data?.properties ?? {}).map((member) => `additionalData.${member}`),
      ...(type?.template.privileges ?? []).map(({ id }) => `privileges.${id}`),
    ];
  });
  return [...new Set([...Object.keys(mapping.columns ?? {}), ...PLAIN_TARGETS, ...ofTypes])];
}

function refused(message: string): UnreadableFile {
  return new UnreadableFile("bad-header", message);
}
