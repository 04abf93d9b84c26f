import {
  FILTERS_MAX,
  operatorsOf,
  PAGE_INDEX_MAX,
  PAGE_SIZE_DEFAULT,
  PAGE_SIZE_MAX,
  SORTS_MAX,
  WHOLE_SIZE_MAX,
} from "../lists/list-query.ts";
import { FILTER_OPERATORS, type ListField, type ListSpec } from "../lists/list-spec.ts";
import type { Components, Parameter } from "./components.ts";
import { type JsonObject, pascalCase } from "./json-schema.ts";

/**
 * OpenAPI cannot describe a parameter with any number in its name, so only these numbers are
 * described; higher ones work as well.
 */
const NUMBERS_DESCRIBED = [0, 1, 2, 3, 4];

export function listParameters(op: string, spec: ListSpec, components: Components): Parameter[] {
  return [
    ...pageParameters(spec),
    ...filterParameters(op, spec, components),
    ...orderParameters(op, spec, components),
  ];
}

function query(name: string, description: string, schema: JsonObject): Parameter {
  return { name, in: "query", description, schema };
}

function pageParameters(spec: ListSpec): Parameter[] {
  return [
    query("pageIndex", "Which page, counted from 0. Not together with `cursor`.", {
      type: "integer",
      minimum: 0,
      maximum: PAGE_INDEX_MAX,
      default: 0,
    }),
    query("pageSize", describePageSize(spec), {
      type: "integer",
      minimum: 1,
      maximum: PAGE_SIZE_MAX,
      ...(spec.paging === "always" ? { default: PAGE_SIZE_DEFAULT } : {}),
    }),
    query(
      "cursor",
      "Where the next page begins, taken from the header `Link`. As fast on the thousandth page as on the first.",
      { type: "string" },
    ),
  ];
}

function describePageSize({ paging }: ListSpec): string {
  if (paging === "always") return "Entries on a page.";
  return `Entries on a page. Without \`pageIndex\`, \`pageSize\` and \`cursor\`, everything up to ${WHOLE_SIZE_MAX} entries; with one of the others, ${PAGE_SIZE_DEFAULT} on a page.`;
}

function filterParameters(op: string, spec: ListSpec, components: Components): Parameter[] {
  const names = Object.keys(spec.fields);
  const field = components.add("schemas", `${pascalCase(op)}Filter`, {
    description: describeFields(spec),
    ...fieldSchema(names, spec),
  });
  return NUMBERS_DESCRIBED.flatMap((at) => [
    query(
      `filter[${at}].field`,
      firstOrShort(
        at,
        `Field to filter by. Up to ${FILTERS_MAX} filters, numbered from 0; all must hold.`,
        "Field to filter by.",
      ),
      field,
    ),
    query(`filter[${at}].operator`, "How to compare.", {
      type: "string",
      enum: [...FILTER_OPERATORS],
    }),
    query(
      `filter[${at}].value`,
      firstOrShort(
        at,
        "What to compare with; `true` (the default) or `false` for the operator `exists`. Times in ISO 8601.",
        "What to compare with.",
      ),
      { type: "string" },
    ),
  ]);
}

function orderParameters(op: string, spec: ListSpec, components: Components): Parameter[] {
  const sortable = Object.entries(spec.fields).filter(([, field]) => field.sortable !== false);
  const names = sortable.map(([name]) => name);
  const field = components.add("schemas", `${pascalCase(op)}Order`, fieldSchema(names, spec));
  return NUMBERS_DESCRIBED.flatMap((at) => [
    query(
      `sortBy[${at}].field`,
      firstOrShort(
        at,
        `Field to sort by. Up to ${SORTS_MAX} orders, numbered from 0; ${describeDefaultSort(spec)}.`,
        "Field to sort by.",
      ),
      field,
    ),
    query(`sortBy[${at}].direction`, "Upwards or downwards.", {
      type: "string",
      enum: ["ASC", "DESC"],
      default: "ASC",
    }),
  ]);
}

/** The first of several numbered parameters has the full text, the others a short one. */
function firstOrShort(at: number, first: string, short: string): string {
  return at === 0 ? first : short;
}

/** Lists the operators of each field, and its values if they are known. */
function describeFields(spec: ListSpec): string {
  const byOperators = Map.groupBy(Object.entries(spec.fields), ([, field]) =>
    operatorsOf(field).join(", "),
  );
  const lines = [...byOperators].map(([operators, fields]) => {
    const names = fields.map(([name, field]) => describeField(name, field)).join(", ");
    return `- ${names}: ${operators}`;
  });
  const families = (spec.families ?? []).map(({ prefix }) => `- \`${prefix}\` and any name`);
  return [...lines, ...families].join("\n");
}

function describeField(name: string, { values }: ListField): string {
  return values === undefined ? `\`${name}\`` : `\`${name}\` (${values.join(" | ")})`;
}

function describeDefaultSort({ defaultSort, id }: ListSpec): string {
  const first = defaultSort?.[0];
  return first === undefined
    ? `by \`${id}\` when none is given`
    : `by \`${first.field}\` ${first.direction} when none is given`;
}

function fieldSchema(names: readonly string[], { families = [] }: ListSpec): JsonObject {
  const known = { type: "string", enum: [...names] };
  if (families.length === 0) return known;
  const others = families.map(({ prefix }) => ({
    type: "string",
    pattern: `^${prefix.replaceAll(".", "\\.")}.+$`,
  }));
  return { anyOf: [known, ...others] };
}
