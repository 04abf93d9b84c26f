import { isStream } from "../event-stream.ts";
import {
  FILTER_OPERATORS,
  FILTERS_MAX,
  type ListSpec,
  operatorsOf,
  PAGE_INDEX_MAX,
  PAGE_SIZE_DEFAULT,
  PAGE_SIZE_MAX,
  SORTS_MAX,
} from "../list-query.ts";
import type { Route } from "../route.ts";
import type { Components } from "./components.ts";
import { isObject, type JsonObject, type JsonSchema } from "./json-schema.ts";
import { isConditionalWrite, namesOneResource } from "./problem-responses.ts";
import { sampleOf } from "./sample.ts";

/** The same in every address, whether or not a route looks at it. */
const TENANT_ID = {
  type: "string",
  pattern: "^[a-z0-9][a-z0-9-]{1,62}$",
  description: "The tenant.",
  examples: ["cafe-lune"],
};

type Parameter = JsonObject & { in: string; name: string };

export function parametersOf(route: Route, components: Components): JsonObject[] {
  const shared = [...pathParameters(route, components), ...queryParameters(route, components)];
  const listed = route.list === undefined ? [] : listParameters(route.list);
  return [...shared, ...listed, ...headerParameters(route)].map((parameter) =>
    components.parameter(parameter),
  );
}

function pathParameters(route: Route, components: Components): Parameter[] {
  return [...route.url.matchAll(/:([A-Za-z]+)/g)].map(([, name = ""]) => {
    const declared = propertiesOf(route.params)[name] ?? { type: "string" };
    const schema = name === "tenantId" ? TENANT_ID : declared;
    return parameterOf("path", name, schema, true, components);
  });
}

function queryParameters(route: Route, components: Components): Parameter[] {
  const required = isObject(route.query) ? route.query.required : [];
  const mustHave = new Set(Array.isArray(required) ? required : []);
  return Object.entries(propertiesOf(route.query)).map(([name, schema]) =>
    parameterOf("query", name, schema, mustHave.has(name), components),
  );
}

function propertiesOf(schema: unknown): Record<string, JsonSchema> {
  const properties = isObject(schema) ? schema.properties : undefined;
  return isObject(properties) ? (properties as Record<string, JsonSchema>) : {};
}

function parameterOf(
  place: "path" | "query",
  name: string,
  source: JsonSchema,
  required: boolean,
  components: Components,
): Parameter {
  const { description, ...schema } = source;
  return {
    name,
    in: place,
    required,
    ...(description === undefined ? {} : { description }),
    schema: components.schema(schema),
    example: sampleOf(source),
  };
}

function query(name: string, description: string, schema: JsonObject): Parameter {
  return { name, in: "query", required: false, description, schema };
}

/** Numbered parameters stand in the document with number 0: the format knows no better way. */
function listParameters(spec: ListSpec): Parameter[] {
  const sortable = Object.entries(spec.fields).filter(([, { sortable }]) => sortable !== false);
  return [
    query("pageIndex", "Which page, counted from 0. Not together with `cursor`.", {
      type: "integer",
      minimum: 0,
      maximum: PAGE_INDEX_MAX,
      default: 0,
    }),
    query("pageSize", "Entries on a page.", {
      type: "integer",
      minimum: 1,
      maximum: PAGE_SIZE_MAX,
      default: PAGE_SIZE_DEFAULT,
    }),
    query(
      "cursor",
      "Where the next page begins, taken from the header `Link`. As fast on the thousandth page as on the first.",
      { type: "string" },
    ),
    query("filter[0].field", describeFilter(spec), fieldSchema(Object.keys(spec.fields), spec)),
    query("filter[0].operator", "How to compare.", { type: "string", enum: [...FILTER_OPERATORS] }),
    query(
      "filter[0].value",
      "What to compare with; `true` or `false` for the operator `exists`. Times in ISO 8601.",
      { type: "string" },
    ),
    query(
      "sortBy[0].field",
      `Field to sort by. Up to ${SORTS_MAX} orders, numbered from 0; ${describeDefaultSort(spec)}.`,
      fieldSchema(
        sortable.map(([name]) => name),
        spec,
      ),
    ),
    query("sortBy[0].direction", "Upwards or downwards.", {
      type: "string",
      enum: ["ASC", "DESC"],
    }),
  ];
}

function describeFilter(spec: ListSpec): string {
  const head = `Field to filter by. Up to ${FILTERS_MAX} filters, numbered from 0; all must hold.`;
  const byOperators = Map.groupBy(Object.entries(spec.fields), ([, field]) =>
    operatorsOf(field).join(", "),
  );
  const lines = [...byOperators].map(([operators, fields]) => {
    const names = fields.map(([name]) => `\`${name}\``).join(", ");
    return `- ${names}: ${operators}`;
  });
  const families = (spec.families ?? []).map(({ prefix }) => `- \`${prefix}\` and any name`);
  return `${head}\n\n${[...lines, ...families].join("\n")}`;
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

/** Without examples: reference pages would put them into every request they try. */
function header(name: string, description: string, schema: JsonObject): Parameter {
  return { name, in: "header", required: false, description, schema };
}

function headerParameters(route: Route): Parameter[] {
  const headers = [
    header("X-Request-Id", "An id of yours for this request; one is made if you send none.", {
      type: "string",
      pattern: "^[\\w.:-]{1,128}$",
    }),
  ];
  if (route.method === "POST") {
    headers.push(
      header(
        "Idempotency-Key",
        "Makes it safe to send the request again: within 24 hours the same key gives the first answer and no second effect.",
        { type: "string", minLength: 1, maxLength: 255 },
      ),
    );
  }
  if (isStream(route)) {
    headers.push(
      header(
        "Last-Event-ID",
        "The `id` of the last message you got: goes on right after it. Browsers send it by themselves.",
        { type: "string", maxLength: 200 },
      ),
    );
  }
  if (isConditionalWrite(route)) {
    headers.push(
      header(
        "If-Match",
        "The `ETag` you read. If the resource has changed since, nothing happens: 412.",
        { type: "string" },
      ),
    );
  }
  if (isConditionalRead(route)) {
    headers.push(
      header(
        "If-None-Match",
        "The `ETag` you have. If it is still the newest, the answer is 304 without a body.",
        { type: "string" },
      ),
    );
  }
  return headers;
}

/** A 304 is possible: the address names one resource, and its answer carries an `ETag`. */
export function isConditionalRead(route: Route): boolean {
  return route.method === "GET" && route.list === undefined && namesOneResource(route);
}
