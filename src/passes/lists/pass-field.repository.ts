import { type Sql, sql } from "#kernel/db/sql.ts";
import type { FilterOperator, ListField, ListFilter } from "#kernel/http/lists/list-spec.ts";
import { filterCondition, type OrderedRows, prefixRange } from "#kernel/http/lists/list-sql.ts";
import { WalletStatus } from "../pass.schema.ts";

const DECIMAL = /^-?[0-9]{1,15}(?:\.[0-9]{1,15})?$/;
/** A complete number as the database writes it, and the beginning of one. */
const WRITTEN_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;
const BEGUN_NUMBER = /^-?[0-9]*\.?[0-9]*$/;
/** An array index as a JSON path in the database reads it, with leading blanks. */
const ARRAY_INDEX = /^ *-?[0-9]+$/;
/** So many characters of a text are used for sorting, as in the database function `value_order`. */
const ORDERED_MAX = 200;
/** Two different numbers with at most so many digits are never the same double. */
const DOUBLE_DIGITS = 15;

/** A field whose values are also in tables beside `pass`, in sorted order. */
export type PassField = ListField & {
  /**
   * The passes with a value, already sorted by it, limited to those that pass these filters on the
   * same field. Without this, the column itself is sorted.
   */
  ordered?(filters: readonly ListFilter[]): OrderedRows;
  /** The passes that can meet a condition, if an index has them together. */
  candidates?(tenantId: string, operator: FilterOperator, value: string): Candidates | undefined;
};

export type Candidates = {
  /** A query for the ids of the passes, each once. */
  readonly ids: Sql;
  /** True if all these passes meet the condition. */
  readonly areExact: boolean;
};

export const idField: ListField = {
  sql: "pass.id",
  type: "id",
  nullable: false,
  condition(operator, value) {
    return operator === "startsWith" ? prefixRange(sql`pass.id`, value) : undefined;
  },
};

type FieldFamily = { readonly prefix: string; resolve(name: string): PassField };

/** Fields whose names come from data. */
export const passFamilies: readonly FieldFamily[] = [
  { prefix: "identifiers.", resolve: identifierField },
  { prefix: "additionalData.", resolve: (name) => valueField("data", name) },
  { prefix: "metadata.", resolve: (name) => valueField("metadata", name) },
];

/** The field with this full name in one of the families; undefined for any other field. */
export function passFieldOf(field: string): PassField | undefined {
  const family = passFamilies.find(({ prefix }) => field.startsWith(prefix));
  return family?.resolve(field.slice(family.prefix.length));
}

/** A pass that is in no wallet has null in the column, which callers see as `none`. */
export function walletField(column: string): ListField {
  const status = sql.raw(column);
  return {
    sql: `coalesce(${column}, 'none')`,
    type: "text",
    values: WalletStatus.enum,
    nullable: false,
    sorted: { sql: column, type: "text" },
    condition(operator, value) {
      if (operator === "equals") {
        return value === "none" ? sql`${status} is null` : sql`${status} = ${value}::text`;
      }
      if (operator === "notEquals" && value === "none") return sql`${status} is not null`;
      return undefined;
    },
  };
}

/** Rows of a table that has, for each pass with a value under one name, that value in order. */
type Shelf = { readonly table: Sql; readonly key: Sql; readonly condition: Sql };

type RangesOf = (operator: FilterOperator, value: string) => readonly Sql[] | undefined;

/** The ranges of a shelf that remain after filters on the same name. */
function rangesLeft(filters: readonly ListFilter[], rangesOf: RangesOf): readonly Sql[] {
  // Two filters give a range between two values; more filters would multiply the ranges.
  const bounds = filters.map(({ operator, value }) => rangesOf(operator, value) ?? []);
  const [left = [sql`true`], right = [sql`true`]] = bounds.filter(({ length }) => length > 0);
  return left.flatMap((range) => right.map((other) => sql`${range} and ${other}`));
}

function rangesOn({ table, key, condition }: Shelf, ranges: readonly Sql[]): OrderedRows["ranges"] {
  return ranges.map((range) => ({
    join: sql`join lateral (
      select ${key} as place, ${table}.pass_id as place_id
        from ${table}
       where ${table}.tenant_id = pass.tenant_id
         and ${table}.pass_id = pass.id
         and ${condition}
         and ${range}) as placed on true`,
    value: sql`placed.place`,
    id: sql`placed.place_id`,
  }));
}

/** The passes in these ranges, one range after the other. */
function passesOn({ table, condition }: Shelf, tenantId: string, ranges: readonly Sql[]): Sql {
  const selects = ranges.map(
    (range) => sql`
      select ${table}.pass_id from ${table}
       where ${table}.tenant_id = ${tenantId} and ${condition} and ${range}`,
  );
  return sql.join(selects, " union all ");
}

/**
 * A condition on a JSON value, about which the planner has no statistics: it assumes that few rows
 * pass a plain comparison, and then reads all of them. In this form it assumes that half of the
 * rows pass, so it reads in the order of the list. If few rows match, `candidates` finds them
 * instead.
 */
function walked(column: ListField, operator: FilterOperator, value: string): Sql {
  return sql`coalesce(${filterCondition({ operator, value, column })}, false)`;
}

export function identifierField(name: string): PassField {
  const table = sql.raw("pass_identifier");
  const key = sql.raw("pass_identifier.value");
  const shelf = { table, key, condition: sql`pass_identifier.name = ${name}::text` };
  const rangesOf: RangesOf = (operator, value) => {
    const range = identifierRange(key, operator, value);
    return range === undefined ? undefined : [range];
  };
  const plain: ListField = {
    sql: sql`(pass.identifiers ->> ${name}::text) collate "C"`,
    type: "text",
  };
  return {
    ...plain,
    ordered(filters) {
      const ranges = rangesOn(shelf, rangesLeft(filters, rangesOf));
      const isRange = ({ operator, value }: ListFilter) => rangesOf(operator, value) !== undefined;
      return { ranges, hasOthers: !filters.some(isRange) };
    },
    condition(operator, value) {
      if (operator !== "equals") return walked(plain, operator, value);
      return sql`exists (
        select from pass_identifier
         where pass_identifier.tenant_id = pass.tenant_id
           and pass_identifier.pass_id = pass.id
           and ${shelf.condition}
           and ${key} = ${value}::text)`;
    },
    candidates(tenantId, operator, value) {
      const ranges = rangesOf(operator, value);
      if (ranges === undefined) return undefined;
      return { ids: passesOn(shelf, tenantId, ranges), areExact: true };
    },
  };
}

function identifierRange(key: Sql, operator: FilterOperator, value: string): Sql | undefined {
  switch (operator) {
    case "equals":
      return sql`${key} = ${value}::text`;
    case "greaterThan":
      return sql`${key} > ${value}::text`;
    case "lessThan":
      return sql`${key} < ${value}::text`;
    case "startsWith":
      return prefixRange(key, value);
    case "exists":
      return value === "true" ? sql`true` : undefined;
    default:
      return undefined;
  }
}

type Source = "data" | "metadata";

/** A member of a JSON column, or of an object within it: `address.city`. */
export function valueField(source: Source, name: string): PassField {
  const column = sql.raw(`pass.${source}`);
  const whole = sql`(${column} -> ${name}::text)`;
  const json = name.includes(".")
    ? sql`coalesce(${whole}, ${column} #> ${name.split(".")}::text[])`
    : whole;
  const text = sql`(${json} #>> '{}')`;
  // In the form of a term: a list that is sorted today may be read from the terms tomorrow, with
  // the same cursor.
  const order = sql`(${`${source}.${name}=`}::text || value_order(${json})) collate "C"`;
  const plain: ListField = {
    sql: text,
    type: "text",
    sorted: { sql: order, type: "text" },
    condition: (operator, value) => valueCondition(json, text, operator, value),
  };
  if (!hasTerms(name)) {
    return { ...plain, condition: (operator, value) => walked(plain, operator, value) };
  }
  const terms = new Terms(source, name);
  return {
    ...plain,
    ordered(filters) {
      const rangesOf: RangesOf = (operator, value) => terms.rangesOf(operator, value);
      const ranges = rangesOn(terms.ordered, rangesLeft(filters, rangesOf));
      return { ranges, hasOthers: !filters.some(isOfPlainValues) };
    },
    condition(operator, value) {
      const exactly = walked(plain, operator, value);
      if (operator !== "equals") return exactly;
      return sql`(${terms.have(value)} and ${exactly})`;
    },
    candidates(tenantId, operator, value) {
      const ranges = terms.rangesOf(operator, value);
      if (ranges === undefined) return undefined;
      return { ids: passesOn(terms.all, tenantId, ranges), areExact: isExact(operator, value) };
    },
  };
}

/** Whether the database keeps terms of this name: of members, also of objects, but not of lists. */
function hasTerms(name: string): boolean {
  const [, inner, ...deeper] = name.split(".");
  return deeper.length === 0 && (inner === undefined || !ARRAY_INDEX.test(inner));
}

/** Whether the ranges hold no other value: none that is cut off or written the same. */
function isExact(operator: FilterOperator, value: string): boolean {
  if (isInexact(value)) return false;
  if (operator === "equals") return !WRITTEN_NUMBER.test(value) && !isWrittenDocument(value);
  return operator !== "startsWith" || isPlainBeginning(value);
}

/**
 * Whether other values may have the same term: it is cut off, or a number has more digits than a
 * double keeps.
 */
function isInexact(value: string): boolean {
  const isLongNumber = DECIMAL.test(value) && value.replace(/[-.]/g, "").length > DOUBLE_DIGITS;
  return value.length >= ORDERED_MAX || isLongNumber;
}

/** Whether only texts can begin so: not the written form of a number, boolean or document. */
function isPlainBeginning(value: string): boolean {
  const isTruth = "true".startsWith(value) || "false".startsWith(value);
  return !BEGUN_NUMBER.test(value) && !isTruth && !isWrittenDocument(value);
}

/** Whether no object and no list can meet the filter. */
function isOfPlainValues({ operator, value }: ListFilter): boolean {
  if (operator === "greaterThan" || operator === "lessThan") return true;
  const isBegun = operator === "equals" || (operator === "startsWith" && value !== "");
  return isBegun && !isWrittenDocument(value);
}

function isWrittenDocument(value: string): boolean {
  return value.startsWith("[") || value.startsWith("{");
}

/** A number is compared with numbers only, and a text with texts only. */
function valueCondition(
  json: Sql,
  text: Sql,
  operator: FilterOperator,
  value: string,
): Sql | undefined {
  if (operator !== "greaterThan" && operator !== "lessThan") return undefined;
  const compare = sql.raw(operator === "greaterThan" ? ">" : "<");
  const ofTexts = sql`${text} collate "C" ${compare} ${value}::text`;
  if (!DECIMAL.test(value)) return sql`(jsonb_typeof(${json}) = 'string' and ${ofTexts})`;
  return sql`(case jsonb_typeof(${json})
    when 'number' then (${json})::numeric ${compare} ${value}::numeric
    when 'string' then ${ofTexts}
  end)`;
}

/** The marks of the kinds of values in the database function `value_order`, in their order. */
const TEXTS = '"';
const NUMBERS = "#";
const TRUTHS = "?";
/** Objects and lists, which have no order and come last. */
const DOCUMENTS = "{";

const TERM_TABLE = sql.raw("pass_term");
const TERM = sql.raw("pass_term.term");

/** The terms that the database keeps of the values under one name, such as `data.tier="Deck`. */
class Terms {
  readonly all: Shelf;
  /** The terms without objects and lists. */
  readonly ordered: Shelf;
  readonly #source: Source;
  readonly #name: string;

  constructor(source: Source, name: string) {
    this.#source = source;
    this.#name = name;
    const condition = prefixRange(TERM, this.#mark(""));
    this.all = { table: TERM_TABLE, key: TERM, condition };
    const end = sql`${TERM} < ${this.#mark(DOCUMENTS)}::text`;
    this.ordered = { ...this.all, condition: sql`${condition} and ${end}` };
  }

  /** The condition that a pass has the value, or another value that is written the same. */
  have(value: string): Sql {
    const terms = this.#termsOf(value);
    const any = terms.length === 1 ? terms[0] : sql`any(array[${sql.join(terms, ", ")}])`;
    return sql`exists (
      select from pass_term
       where pass_term.tenant_id = pass.tenant_id
         and pass_term.pass_id = pass.id
         and ${TERM} = ${any})`;
  }

  /** The ranges of all values that can meet a condition; undefined if it has no order. */
  rangesOf(operator: FilterOperator, value: string): readonly Sql[] | undefined {
    switch (operator) {
      case "equals":
        return this.#termsOf(value).map((term) => sql`${TERM} = ${term}`);
      case "greaterThan":
        return this.#beyond(value, isInexact(value) ? sql`>=` : sql`>`);
      case "lessThan":
        return this.#beyond(value, isInexact(value) ? sql`<=` : sql`<`);
      case "startsWith":
        return this.#beginningWith(value);
      case "exists":
        return value === "true" ? [sql`true`] : undefined;
      default:
        return undefined;
    }
  }

  /** The terms of the text, and of other values that are written the same. */
  #termsOf(value: string): readonly Sql[] {
    const terms = [this.#ofText(value)];
    if (WRITTEN_NUMBER.test(value)) terms.push(this.#ofNumber(value));
    if (value === "true" || value === "false") terms.push(sql`${this.#mark(TRUTHS + value)}::text`);
    if (isWrittenDocument(value)) terms.push(sql`${this.#mark(DOCUMENTS)}::text`);
    return terms;
  }

  /** The ranges beyond the value: among texts and, if it is a number, among numbers. */
  #beyond(value: string, comparison: Sql): readonly Sql[] {
    const texts = sql`${this.#range(TEXTS)} and ${TERM} ${comparison} ${this.#ofText(value)}`;
    if (!DECIMAL.test(value)) return [texts];
    const number = this.#ofNumber(value);
    return [texts, sql`${this.#range(NUMBERS)} and ${TERM} ${comparison} ${number}`];
  }

  /** Numbers, booleans and documents match by their written form too. */
  #beginningWith(value: string): readonly Sql[] {
    const ranges = [this.#range(TEXTS + [...value].slice(0, ORDERED_MAX).join(""))];
    if (isPlainBeginning(value)) return ranges;
    if (BEGUN_NUMBER.test(value)) ranges.push(this.#range(NUMBERS));
    if ("true".startsWith(value) || "false".startsWith(value)) ranges.push(this.#range(TRUTHS));
    if (value === "" || isWrittenDocument(value)) ranges.push(this.#range(DOCUMENTS));
    return ranges;
  }

  #range(begin: string): Sql {
    return prefixRange(TERM, this.#mark(begin));
  }

  #mark(begin: string): string {
    return `${this.#source}.${this.#name}=${begin}`;
  }

  #ofText(value: string): Sql {
    return this.#of(JSON.stringify(value));
  }

  #ofNumber(value: string): Sql {
    return this.#of(value.replace(/^(-?)0+(?=[0-9])/, "$1"));
  }

  /** Not `to_jsonb`: its result may depend on settings, so no plan would be made for the value. */
  #of(json: string): Sql {
    return sql`pass_term_of(${this.#source}, ${this.#name}, ${json}::jsonb)`;
  }
}
