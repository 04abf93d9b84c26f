import { shortName } from "../validation.ts";
import { decodeCursor } from "./list-cursor.ts";
import {
  FILTER_OPERATORS,
  type FieldType,
  type FilterOperator,
  type ListField,
  type ListFilter,
  type ListQuery,
  type ListQueryResult,
  type ListSort,
  type ListSpec,
} from "./list-spec.ts";
import { readOperand } from "./list-values.ts";

export const PAGE_SIZE_DEFAULT = 20;
export const PAGE_SIZE_MAX = 500;
/** The most rows of a list that is given whole when the caller asks for no page. */
export const WHOLE_SIZE_MAX = 1_000;
export const PAGE_INDEX_MAX = 1_000_000;
export const FILTERS_MAX = 20;
export const SORTS_MAX = 5;

const ORDERED: readonly FilterOperator[] = [
  "equals",
  "notEquals",
  "greaterThan",
  "lessThan",
  "exists",
];
const OPERATORS_BY_TYPE: Readonly<Record<FieldType, readonly FilterOperator[]>> = {
  text: FILTER_OPERATORS,
  id: FILTER_OPERATORS,
  number: ORDERED,
  integer: ORDERED,
  timestamp: ORDERED,
  boolean: ["equals", "notEquals", "exists"],
};

const INDEXED_PARAMETER = /^(filter|sortBy)\[(0|[1-9][0-9]{0,3})\]\.([a-z]+)$/;
const PAGE_PARAMETERS: readonly string[] = ["pageIndex", "pageSize", "cursor"];
const PARTS = { filter: ["field", "operator", "value"], sortBy: ["field", "direction"] } as const;
const COUNT_MAX = { filter: FILTERS_MAX, sortBy: SORTS_MAX } as const;
const FAMILY_NAME = /^[\p{L}\p{N} _.:@/-]{1,128}$/u;
const ERRORS_MAX = 50;

type Kind = keyof typeof PARTS;
type Group = ReadonlyMap<string, string>;

/** Reads the list parameters of a query string, and reports all mistakes together. */
export function parseListQuery(
  query: Readonly<Record<string, string | string[] | undefined>>,
  spec: ListSpec,
): ListQueryResult {
  return new Reader(spec).read(query);
}

/** The operators that a field can be filtered by. */
export function operatorsOf(field: ListField): readonly FilterOperator[] {
  return field.operators ?? OPERATORS_BY_TYPE[field.type];
}

/** The sorting of a list for which the caller asked for none. */
export function defaultSorts(spec: ListSpec): readonly ListSort[] {
  return (spec.defaultSort ?? []).map(({ field, direction }) => {
    const column = findField(spec, field);
    if (column === undefined) throw new TypeError(`defaultSort names no field: '${field}'.`);
    return { field, direction, column };
  });
}

/** Finds a declared field or a member of a family; undefined for any other name. */
export function findField(spec: ListSpec, name: string): ListField | undefined {
  if (Object.hasOwn(spec.fields, name)) return spec.fields[name];
  const family = spec.families?.find(({ prefix }) => name.startsWith(prefix));
  const member = family === undefined ? "" : name.slice(family.prefix.length);
  return FAMILY_NAME.test(member) ? family?.resolve(member) : undefined;
}

class Reader {
  readonly #spec: ListSpec;
  readonly #errors = new Map<string, string[]>();
  readonly #plain = new Map<string, string>();
  readonly #groups = {
    filter: new Map<number, Map<string, string>>(),
    sortBy: new Map<number, Map<string, string>>(),
  };

  constructor(spec: ListSpec) {
    this.#spec = spec;
  }

  read(query: Readonly<Record<string, string | string[] | undefined>>): ListQueryResult {
    for (const [name, value] of Object.entries(query)) this.#sortIn(name, value);
    const pageIndex = this.#readInteger("pageIndex", 0, 0, PAGE_INDEX_MAX);
    const isWhole = this.#spec.paging === "when-asked" && this.#plain.size === 0;
    const pageSize = isWhole
      ? WHOLE_SIZE_MAX
      : this.#readInteger("pageSize", PAGE_SIZE_DEFAULT, 1, PAGE_SIZE_MAX);
    const filters = this.#readFilters();
    const sorts = this.#readSorts();
    const cursor = this.#plain.get("cursor");
    if (cursor !== undefined && this.#plain.has("pageIndex")) {
      this.#report("cursor", "cannot be combined with pageIndex");
    }
    const isDefault = filters.length === 0 && this.#groups.sortBy.size === 0;
    const after = undefined;
    const page = { pageIndex, pageSize, isWhole, cursor, after };
    const list: ListQuery = { ...page, filters, sorts, isDefault };
    // The cursor is not checked next to a broken filter or sort: it would be reported as a cursor
    // of another list, although it is correct.
    if (cursor === undefined || this.#errors.size > 0) return this.#finish(list);
    const decoded = decodeCursor(cursor, list, this.#spec);
    if (decoded.ok) return this.#finish({ ...list, after: decoded.values });
    this.#report("cursor", decoded.problem);
    return this.#finish(list);
  }

  #finish(list: ListQuery): ListQueryResult {
    if (this.#errors.size === 0) return { ok: true, list };
    return { ok: false, errors: Object.fromEntries(this.#errors) };
  }

  #report(parameter: string, problem: string): void {
    const known = this.#errors.get(parameter);
    if (known !== undefined) known.push(problem);
    else if (this.#errors.size < ERRORS_MAX) this.#errors.set(parameter, [problem]);
  }

  #sortIn(name: string, value: string | string[] | undefined): void {
    if (value === undefined) return;
    const [, kind, position, part] = INDEXED_PARAMETER.exec(name) ?? [];
    const isPlain = PAGE_PARAMETERS.includes(name);
    if (!isPlain && !isKindWithPart(kind, part)) {
      this.#report(shortName(name), "is not a parameter of this operation");
    } else if (typeof value !== "string") {
      this.#report(name, "must not be repeated");
    } else if (isPlain) {
      this.#plain.set(name, value);
    } else if (isKindWithPart(kind, part)) {
      this.#sortInGroup(kind, Number(position), part ?? "", value);
    }
  }

  #sortInGroup(kind: Kind, position: number, part: string, value: string): void {
    if (position >= COUNT_MAX[kind]) {
      const last = COUNT_MAX[kind] - 1;
      this.#report(`${kind}[${position}].${part}`, `must be numbered from 0 to ${last}`);
      return;
    }
    const group = this.#groups[kind].get(position) ?? new Map<string, string>();
    this.#groups[kind].set(position, group.set(part, value));
  }

  #readInteger(name: string, otherwise: number, min: number, max: number): number {
    const text = this.#plain.get(name);
    if (text === undefined) return otherwise;
    const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    this.#report(name, `must be a whole number from ${min} to ${max}`);
    return otherwise;
  }

  #readFilters(): readonly ListFilter[] {
    return this.#orderedGroups("filter").flatMap(([at, group]) => {
      const isExists = group.get("operator") === "exists" && !group.has("value");
      const complete = isExists ? new Map(group).set("value", "true") : group;
      const [field, operator, value] = this.#requireParts("filter", at, complete);
      const column = field === undefined ? undefined : this.#findField(at, field, isFilterable);
      const known = FILTER_OPERATORS.find((candidate) => candidate === operator);
      if (operator !== undefined && known === undefined) {
        this.#report(`${at}.operator`, `must be one of ${FILTER_OPERATORS.join(", ")}`);
      }
      if (field === undefined || column === undefined || known === undefined) return [];
      if (!operatorsOf(column).includes(known)) {
        const allowed = operatorsOf(column).join(", ");
        this.#report(`${at}.operator`, `must be one of ${allowed} for the field '${field}'`);
        return [];
      }
      if (value === undefined) return [];
      const read = readOperand(column, known, value);
      if (read.ok) return [{ field, operator: known, value: read.value, column }];
      this.#report(`${at}.value`, read.problem);
      return [];
    });
  }

  #readSorts(): readonly ListSort[] {
    const groups = this.#orderedGroups("sortBy");
    if (groups.length === 0) return defaultSorts(this.#spec);
    const seen = new Set<string>();
    return groups.flatMap(([at, group]) => {
      const complete = new Map([["direction", "ASC"], ...group]);
      const [field, direction] = this.#requireParts("sortBy", at, complete);
      const column = field === undefined ? undefined : this.#findField(at, field, isSortable);
      if (direction !== "ASC" && direction !== "DESC") {
        this.#report(`${at}.direction`, "must be 'ASC' or 'DESC'");
      }
      if (field === undefined || column === undefined) return [];
      if (seen.has(field)) this.#report(`${at}.field`, `'${field}' is already sorted by`);
      seen.add(field);
      const isKnown = direction === "ASC" || direction === "DESC";
      return isKnown ? [{ field, direction, column: column.sorted ?? column }] : [];
    });
  }

  #orderedGroups(kind: Kind): readonly (readonly [string, Group])[] {
    return [...this.#groups[kind]]
      .sort(([left], [right]) => left - right)
      .map(([position, group]) => [`${kind}[${position}]`, group] as const);
  }

  #requireParts(kind: Kind, at: string, group: Group): readonly (string | undefined)[] {
    return PARTS[kind].map((part) => {
      const parameter = `${at}.${part}`;
      const value = group.get(part);
      // A parameter that was sent twice is not missing; its error was already reported.
      if (value === undefined && !this.#errors.has(parameter)) {
        this.#report(parameter, "is required");
      }
      return value;
    });
  }

  #findField(
    at: string,
    name: string,
    isFit: (field: ListField) => boolean,
  ): ListField | undefined {
    const field = findField(this.#spec, name);
    if (field !== undefined && isFit(field)) return field;
    const { fields, families = [] } = this.#spec;
    const fit = Object.entries(fields).filter(([, known]) => isFit(known));
    const all = [...fit.map(([known]) => known), ...families.map(({ prefix }) => `${prefix}*`)];
    this.#report(`${at}.field`, `must be one of ${all.join(", ")}`);
    return undefined;
  }
}

const isFilterable = () => true;
const isSortable = ({ sortable }: ListField) => sortable !== false;

function isKindWithPart(kind: string | undefined, part: string | undefined): kind is Kind {
  if (kind !== "filter" && kind !== "sortBy") return false;
  return PARTS[kind].some((known) => known === part);
}
