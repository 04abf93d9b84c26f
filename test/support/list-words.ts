export type FilterWords = readonly [field: string, operator: string, value: string];
export type SortWords = readonly [field: string, direction: string];

/** Filters and sorts as the query of a list has them. */
export function listWords(
  filters: readonly FilterWords[],
  sorts: readonly SortWords[] = [],
): Record<string, string> {
  const words: Record<string, string> = {};
  for (const [at, [field, operator, value]] of filters.entries()) {
    words[`filter[${at}].field`] = field;
    words[`filter[${at}].operator`] = operator;
    words[`filter[${at}].value`] = value;
  }
  for (const [at, [field, direction]] of sorts.entries()) {
    words[`sortBy[${at}].field`] = field;
    words[`sortBy[${at}].direction`] = direction;
  }
  return words;
}
