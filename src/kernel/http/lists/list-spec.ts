import type { Sql } from "../../db/sql.ts";

export type FilterOperator = (typeof FILTER_OPERATORS)[number];
export type SortDirection = "ASC" | "DESC";
/** `integer` is for columns of that type: compared with a `number`, their index would be of no use. */
export type FieldType = "text" | "number" | "integer" | "timestamp" | "boolean" | "id";

export type ListField = {
  /**
   * A trusted column expression. It is a piece of SQL where it contains a name that the caller
   * sent, so that the name is a bound parameter: sql`(identifiers ->> ${name}::text)`.
   */
  sql: string | Sql;
  /** `id` and `text` must be text in the database too; cast other types in `sql` (`id::text`). */
  type: FieldType;
  /**
   * All values that the field can have, if they are known. A filter by another value is refused.
   */
  values?: readonly string[];
  /** Default: all operators that make sense for the type. */
  operators?: readonly FilterOperator[];
  /**
   * Default: true. A cursor contains the values of sorted fields, so use false for unlimited texts.
   */
  sortable?: boolean;
  /** Default: true. Use false for a `not null` column: paging by cursor can then use its index. */
  nullable?: boolean;
  /** Another field to sort by, if the order of the texts is not the order of the values. */
  sorted?: ListField;
  /**
   * Replaces the usual condition of a filter, if an index or a type needs another one. The value is
   * ready to be bound; return undefined for the usual condition.
   */
  condition?(operator: FilterOperator, value: string): Sql | undefined;
};

export type ListFields = Record<string, ListField>;

/** Fields whose names come from data, such as `identifiers.*`. */
export type ListFamily = {
  /** Such as `identifiers.`. */
  prefix: string;
  /** `name` is the text after the prefix: letters, digits and ` _.:@/-`, at most 128 characters. */
  resolve(name: string): ListField | undefined;
};

export type ListSpec = {
  fields: ListFields;
  /**
   * `when-asked` is for a list that has no paging in the published specification: a caller that
   * asks for no page gets everything, up to `WHOLE_SIZE_MAX`.
   */
  paging: "always" | "when-asked";
  families?: readonly ListFamily[];
  /**
   * The name of a field that every order of the list ends with, so that no two rows have the same
   * place. It is unique, or, in a list with a `defaultSort`, unique among the rows that have the same
   * value in the only field that can be sorted by.
   */
  id: string;
  defaultSort?: readonly { field: string; direction: SortDirection }[];
};

export type ListFilter = {
  field: string;
  operator: FilterOperator;
  /** Checked text, ready to be bound and cast to the type of the field. */
  value: string;
  column: ListField;
};

export type ListSort = { field: string; direction: SortDirection; column: ListField };

export type ListQuery = {
  pageIndex: number;
  pageSize: number;
  /** True if the caller asked for no page and the list is then given whole. */
  isWhole: boolean;
  cursor: string | undefined;
  /** The sort values of the row that the cursor points behind. */
  after: readonly (string | null)[] | undefined;
  filters: readonly ListFilter[];
  sorts: readonly ListSort[];
  /** True if the caller sent neither filters nor sorting. */
  isDefault: boolean;
};

export type ListQueryResult =
  | { ok: true; list: ListQuery }
  | { ok: false; errors: Record<string, string[]> };

export const FILTER_OPERATORS = [
  "equals",
  "notEquals",
  "contains",
  "startsWith",
  "greaterThan",
  "lessThan",
  "exists",
] as const;
