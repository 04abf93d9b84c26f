export type Filter = {
  readonly field: string;
  readonly operator:
    | "equals"
    | "notEquals"
    | "contains"
    | "startsWith"
    | "greaterThan"
    | "lessThan"
    | "exists";
  readonly value: string;
};

export type Sort = { readonly field: string; readonly direction: "ASC" | "DESC" };

export type ListWish = {
  readonly filters?: readonly Filter[];
  readonly sort?: readonly Sort[];
  readonly pageSize?: number;
  readonly cursor?: string | undefined;
};

/** The query of a list, as every list of the API reads it. */
export function listQuery({ filters = [], sort = [], pageSize, cursor }: ListWish): never {
  const query: Record<string, string | number> = {};
  for (const [at, { field, operator, value }] of filters.entries()) {
    query[`filter[${at}].field`] = field;
    query[`filter[${at}].operator`] = operator;
    query[`filter[${at}].value`] = value;
  }
  for (const [at, { field, direction }] of sort.entries()) {
    query[`sortBy[${at}].field`] = field;
    query[`sortBy[${at}].direction`] = direction;
  }
  if (pageSize !== undefined) query.pageSize = pageSize;
  if (cursor !== undefined) query.cursor = cursor;
  // Each list has its own type for the names of its fields; the API checks them.
  return query as never;
}
