import { STATUS_CODES } from "node:http";
import { ANY_CREDENTIAL, PLATFORM_SCOPE } from "../../actor.ts";
import { isObject } from "../../json.ts";
import { JSON_BODY_TYPES } from "../media-type.ts";
import { problemKinds } from "../problem.ts";
import { needsBody, rawTypes } from "../read-body.ts";
import { type Route, takesIdempotencyKey } from "../route.ts";
import type { Components } from "./components.ts";
import { asJsonSchema, type JsonObject, type JsonSchema, pascalCase } from "./json-schema.ts";
import { isConditionalRead, parametersOf, readsVersion } from "./parameters.ts";
import { headerReferences, problemResponse, problemsOf } from "./problem-responses.ts";
import { sampleOf } from "./sample.ts";
import { securityOf } from "./security.ts";

const REPLY_TYPES = ["application/json", "text/json", "text/plain"];

export function operationOf(
  route: Route,
  components: Components,
  bearerScopes: ReadonlyMap<string, string>,
): JsonObject {
  return {
    tags: [tagOf(route)],
    operationId: route.op,
    summary: route.summary,
    description: descriptionOf(route),
    "x-scope": route.scope,
    ...(route.orScopes === undefined ? {} : { "x-or-scopes": route.orScopes }),
    security: securityOf(route, bearerScopes),
    parameters: parametersOf(route, components),
    ...(route.body === undefined
      ? {}
      : { requestBody: bodyOf(route, asJsonSchema(route.body), components) }),
    responses: responsesOf(route, components),
  };
}

export function tagOf(route: Route): string {
  return route.op.split(".", 1)[0] ?? route.op;
}

function descriptionOf(route: Route): string {
  const sentences = route.description === undefined ? [] : [route.description];
  sentences.push(neededRight(route));
  if (route.rateLimit !== undefined) {
    const { limit, windowSeconds } = route.rateLimit;
    sentences.push(`At most ${limit} requests in ${windowSeconds} seconds, unless set otherwise.`);
  }
  return sentences.join("\n\n");
}

function neededRight({ scope, orScopes = [] }: Route): string {
  if (scope === "public") return "Open to everyone: no key is needed.";
  if (scope === ANY_CREDENTIAL) return "Needs a credential, and no scope.";
  if (scope === PLATFORM_SCOPE) {
    return `Needs the role **Global Administrator**, and in a bearer token the scope \`${scope}\`.`;
  }
  return `Needs the scope ${[scope, ...orScopes].map((name) => `\`${name}\``).join(" or ")}.`;
}

function bodyOf(route: Route, body: JsonSchema, components: Components): JsonObject {
  const name = `${pascalCase(route.op)}Body`;
  const value = route.example?.body ?? sampleOf(body);
  return {
    required: needsBody(route),
    content: {
      ...contentOf(JSON_BODY_TYPES, name, body, value, components),
      ...bytesOf(rawTypes(route)),
    },
  };
}

function responsesOf(route: Route, components: Components): JsonObject {
  const responses: JsonObject = {};
  const usual = route.status ?? (route.reply === undefined ? 204 : 200);
  for (const status of [usual, ...(route.otherStatuses ?? [])].sort()) {
    responses[status] = successOf(route, status, components);
  }
  for (const [status, description] of Object.entries(route.alsoListed ?? {})) {
    responses[status] = { description, headers: headerReferences(["X-Request-Id"]) };
  }
  if (isConditionalRead(route)) {
    const headers = headerReferences(["ETag", "X-Request-Id"]);
    responses[304] = { description: "You have the newest version already.", headers };
  }
  for (const [status, kinds] of problemsOf(route)) {
    responses[status] = problemResponse(components, route, status, kinds);
  }
  responses[500] = components.add("responses", "UnexpectedError", {
    description: "A failure of the service, without a body. Tell support the `X-Request-Id`.",
    headers: headerReferences(["X-Request-Id"]),
  });
  return responses;
}

function successOf(route: Route, status: number, components: Components): JsonObject {
  const response = {
    description: STATUS_CODES[status] ?? "Success",
    headers: headerReferences(successHeaders(route, status)),
  };
  if (route.reply === undefined || status === 204) return response;
  const reply = asJsonSchema(route.reply);
  const { contentMediaType } = reply;
  const name = `${pascalCase(route.op)}Reply`;
  const value = route.example?.reply ?? sampleOf(reply);
  const rawReply = route.rawReply === undefined ? [] : [route.rawReply];
  const types = typeof contentMediaType === "string" ? [contentMediaType] : REPLY_TYPES;
  const content = contentOf(types, name, reply, value, components);
  return { ...response, content: { ...bytesOf(rawReply), ...content } };
}

function bytesOf(types: readonly string[]): JsonObject {
  return Object.fromEntries(types.map((type) => [type, { schema: {} }]));
}

function successHeaders(route: Route, status: number): string[] {
  const names = ["X-Request-Id"];
  if (route.scope !== "public") names.push("RateLimit", "RateLimit-Policy");
  if (route.list !== undefined) names.push("x-pagination-total", "x-pagination-total-is", "Link");
  if (takesIdempotencyKey(route)) names.push("Idempotency-Replayed");
  if (status === 201 || status === 202) names.push("Location");
  // What is only accepted has no new version yet.
  if (status !== 202 && hasEtag(route)) names.push("ETag");
  return [...names, ...(route.replyHeaders ?? [])];
}

/** Whether the answer presents one versioned resource and so has an ETag. */
function hasEtag(route: Route): boolean {
  if (readsVersion(route)) return true;
  return problemsOf(route).has(problemKinds.preconditionFailed.status) && isObject(route.reply);
}

function contentOf(
  types: readonly string[],
  name: string,
  schema: JsonSchema,
  value: unknown,
  components: Components,
): JsonObject {
  const media = { schema: components.schemaNamed(name, schema) };
  const examples = { default: components.share("examples", name, { value }) };
  // Examples are given with the first media type only, because they are the same for all.
  return Object.fromEntries(
    types.map((type, at) => [type, at === 0 ? { ...media, examples } : media]),
  );
}
