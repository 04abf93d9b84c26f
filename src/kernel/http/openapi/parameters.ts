import { isObject } from "../../json.ts";
import { isStream } from "../event-stream.ts";
import { type Route, takesIdempotencyKey } from "../route.ts";
import type { Components, Parameter } from "./components.ts";
import type { JsonObject, JsonSchema } from "./json-schema.ts";
import { listParameters } from "./list-parameters.ts";
import { isConditionalWrite, namesOneResource } from "./problem-responses.ts";
import { sampleOf } from "./sample.ts";

/** The tenant's id in every address, also where a route does not read it. */
const TENANT_ID = {
  type: "string",
  pattern: "^[a-z0-9][a-z0-9-]{1,62}$",
  description: "The tenant.",
  examples: ["cafe-lune"],
};

export function parametersOf(route: Route, components: Components): JsonObject[] {
  const shared = [...pathParameters(route, components), ...queryParameters(route, components)];
  const listed = route.list === undefined ? [] : listParameters(route.op, route.list, components);
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
    ...(required ? { required } : {}),
    ...(description === undefined ? {} : { description }),
    schema: components.schema(schema),
    example: sampleOf(source),
  };
}

/** Header parameters have no examples: reference pages would send them with every request. */
function header(name: string, description: string, schema: JsonObject): Parameter {
  return { name, in: "header", description, schema };
}

function headerParameters(route: Route): Parameter[] {
  const headers = [
    header("X-Request-Id", "An id of yours for this request; one is made if you send none.", {
      type: "string",
      pattern: "^[\\w.:-]{1,128}$",
    }),
  ];
  if (takesIdempotencyKey(route)) {
    headers.push(
      header(
        "Idempotency-Key",
        route.keepsKeys === true
          ? "Stands for `idempotencyKey` where the body has none. The same key counts for each person by itself."
          : "Makes it safe to send the request again: within 24 hours the same key gives the first answer and no second effect.",
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
  // The words are the same for both, because the document then has the parameter once.
  if (isConditionalWrite(route) || isConditionalRead(route)) {
    headers.push(
      header(
        "If-None-Match",
        "The `ETag` you have. If it is still the newest, the answer to a read is 304 without a body, and to a change 412: nothing happens. `*` is every version: a `PUT` then creates, and never replaces.",
        { type: "string" },
      ),
    );
  }
  return headers;
}

/** The answer carries an `ETag`, because the address names one resource or the route declares it. */
export function readsVersion(route: Route): boolean {
  if (route.method !== "GET" || route.list !== undefined) return false;
  return namesOneResource(route) || route.replyHeaders?.includes("ETag") === true;
}

/** A 304 is possible. */
export function isConditionalRead(route: Route): boolean {
  return readsVersion(route) && route.answersNotModified !== false;
}
