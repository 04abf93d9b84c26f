import { ANY_CREDENTIAL } from "../../actor.ts";
import { ProblemError, type ProblemKind } from "../../errors.ts";
import { tenantNotFound } from "../../tenant.errors.ts";
import { presentProblem, problemKinds } from "../problem.ts";
import { type Route, takesIdempotencyKey } from "../route.ts";
import type { Components } from "./components.ts";
import { type JsonObject, pascalCase } from "./json-schema.ts";

const NULLABLE_TEXT = { type: ["string", "null"] };
const PROBLEM_MEMBERS = {
  type: { ...NULLABLE_TEXT, description: "`urn:problem:` and the code." },
  title: { ...NULLABLE_TEXT, description: "The kind of problem in a few words." },
  status: { type: ["integer", "null"], format: "int32", description: "The HTTP status again." },
  detail: { ...NULLABLE_TEXT, description: "What went wrong this time, and what to do." },
  instance: { ...NULLABLE_TEXT, description: "`urn:request:` and the id of the request." },
};
const EXTENSION = {
  type: "object",
  required: ["code", "requestId"],
  properties: {
    code: { type: "string", description: "Stable: switch on this, never on a text." },
    requestId: { type: "string", description: "Also in the header `X-Request-Id`." },
  },
};
const PROBLEM_TYPES = ["application/json", "text/json", "text/plain", "application/problem+json"];
const EXAMPLE_REQUEST_ID = "req_0VfQm3Ks00aB3dE5fG7hJ9";

/** The `detail` texts of the example problems, by code. */
const DETAILS: Readonly<Record<string, string>> = {
  [problemKinds.invalid.code]: "name: is required",
  [problemKinds.malformed.code]:
    "This operation needs a body: application/json, text/json or application/*+json.",
  [problemKinds.unauthenticated.code]: "Send an API key in X-API-KEY or a bearer token.",
  [problemKinds.forbidden.code]: "This operation needs another scope.",
  [problemKinds.routeNotFound.code]: "There is nothing at this address.",
  [problemKinds.methodNotAllowed.code]: "This address answers to GET, HEAD.",
  [problemKinds.conflictRunning.code]: "Wait for the first request with this Idempotency-Key.",
  [problemKinds.answerErased.code]:
    "What the first request with this Idempotency-Key made is erased.",
  [problemKinds.preconditionFailed.code]: "The resource has changed since the version in If-Match.",
  [problemKinds.tooLarge.code]: "The body is larger than this operation takes.",
  [problemKinds.uriTooLong.code]: "A part of the address is too long.",
  [problemKinds.unsupportedType.code]: "Send application/json, text/json or application/*+json.",
  [problemKinds.keyReused.code]: "This Idempotency-Key belongs to a request with another body.",
  [problemKinds.rateLimited.code]:
    "At most 600 such requests in 60 seconds. Try again in 12 seconds.",
  [problemKinds.unavailable.code]: "Try again shortly.",
  [tenantNotFound.code]: "There is no tenant 'cafe-lune'.",
};

/** Adds the two error shapes exactly as published, and each with the members this service adds. */
export function addProblemSchemas(components: Components): void {
  const additionalProperties = true;
  components.add("schemas", "ProblemDetails", {
    type: "object",
    description: "RFC 9457. Further members tell more about some problems.",
    properties: PROBLEM_MEMBERS,
    additionalProperties,
  });
  components.add("schemas", "HttpValidationProblemDetails", {
    type: "object",
    description: "A problem with single fields of the request.",
    properties: {
      ...PROBLEM_MEMBERS,
      errors: {
        type: "object",
        description: "Path of the field to what is wrong with it.",
        additionalProperties: { type: "array", items: { type: "string" } },
      },
    },
    additionalProperties,
  });
  const extension = components.add("schemas", "ProblemExtension", EXTENSION);
  for (const [name, published] of SHAPES) {
    const allOf = [{ $ref: `#/components/schemas/${published}` }, extension];
    components.add("schemas", name, { allOf });
  }
}

const SHAPES = [
  ["Problem", "ProblemDetails"],
  ["ValidationProblem", "HttpValidationProblemDetails"],
] as const;

/** Describes problems that can happen before an operation is found; no operation can list them. */
export function problemsAnywhere(
  components: Components,
  others: readonly ProblemKind[],
): JsonObject {
  const kinds = [...Object.values(problemKinds), ...others];
  const unnamed = kinds.filter(({ code }) => !components.has("examples", `problem.${code}`));
  return Object.fromEntries(unnamed.map(({ code, status, title }) => [code, { status, title }]));
}

/** All problems that a route can give, by status. */
export function problemsOf(route: Route): Map<number, ProblemKind[]> {
  const kinds = new Map<string, ProblemKind>();
  for (const kind of [...generalProblemsOf(route), ...(route.errors ?? [])]) {
    kinds.set(kind.code, kind);
  }
  const byStatus = Map.groupBy(kinds.values(), ({ status }) => status);
  return new Map([...byStatus].sort(([left], [right]) => left - right));
}

/** The problems that follow from the kind of the route, such as its method and scope. */
function generalProblemsOf(route: Route): ProblemKind[] {
  const isPublic = route.scope === "public";
  const hasTenant = route.url.includes(":tenantId") && route.createsTenant !== true;
  const readsInput = [route.params, route.query, route.body, route.list].some(Boolean);
  const takesKey = takesIdempotencyKey(route);
  return [
    readsInput || takesKey ? problemKinds.invalid : [],
    problemKinds.malformed,
    isPublic ? [] : [problemKinds.unauthenticated, problemKinds.rateLimited],
    isPublic || route.scope === ANY_CREDENTIAL ? [] : problemKinds.forbidden,
    hasTenant && !isPublic ? tenantNotFound : [],
    takesKey && route.keepsKeys !== true
      ? [problemKinds.conflictRunning, problemKinds.answerErased, problemKinds.keyReused]
      : [],
    isConditionalWrite(route) ? problemKinds.preconditionFailed : [],
    route.body === undefined ? [] : [problemKinds.tooLarge, problemKinds.unsupportedType],
    route.url.includes(":") ? problemKinds.uriTooLong : [],
    isPublic ? [] : problemKinds.unavailable,
  ].flat();
}

/** Whether `If-Match` and `If-None-Match` guard a change: the address names one resource, or the route declares it. */
export function isConditionalWrite(route: Route): boolean {
  if (route.errors?.some(({ code }) => code === problemKinds.preconditionFailed.code)) return true;
  return ["PUT", "PATCH", "DELETE"].includes(route.method) && namesOneResource(route);
}

export function namesOneResource(route: Route): boolean {
  return route.url.split("/").at(-1)?.startsWith(":") === true;
}

/** The response with all problems of one status that a route can give. */
export function problemResponse(
  components: Components,
  route: Route,
  status: number,
  kinds: readonly ProblemKind[],
): JsonObject {
  const hasFields = kinds.some(({ code }) => code === problemKinds.invalid.code);
  const schema = { $ref: `#/components/schemas/${hasFields ? "ValidationProblem" : "Problem"}` };
  const examples = Object.fromEntries(
    kinds.map((kind) => [kind.code, exampleOf(components, kind)] as const),
  );
  const content = PROBLEM_TYPES.map((type, at) => [
    type,
    at === 0 ? { schema, examples } : { schema },
  ]);
  return components.share("responses", nameOf(route, status, kinds), {
    description: kinds.map(({ code, title }) => `${title} (\`${code}\`).`).join(" "),
    headers: headersFor(status),
    content: Object.fromEntries(content),
  });
}

/** Names for sets of problems that many routes share. */
const COMMON: ReadonlyMap<string, string> = new Map([
  [codesOf([problemKinds.invalid, problemKinds.malformed]), "BadRequest"],
  [codesOf([problemKinds.conflictRunning, problemKinds.answerErased]), "Repeated"],
]);

/**
 * A short name, because generated clients use it: the name of the only problem (the missing tenant,
 * which any route can have, is not counted), or else the operation and the status.
 */
function nameOf({ op }: Route, status: number, kinds: readonly ProblemKind[]): string {
  const common = COMMON.get(codesOf(kinds));
  if (common !== undefined) return common;
  const others = kinds.filter(({ code }) => code !== tenantNotFound.code);
  const [only = tenantNotFound] = others;
  return others.length > 1 ? `${pascalCase(op)}${status}` : pascalCase(only.code);
}

function codesOf(kinds: readonly ProblemKind[]): string {
  return kinds.map(({ code }) => code).join();
}

function exampleOf(components: Components, kind: ProblemKind): JsonObject {
  const error = new ProblemError({
    ...kind,
    detail: DETAILS[kind.code] ?? `${kind.title}.`,
    ...(kind.code === problemKinds.invalid.code ? { errors: { name: ["is required"] } } : {}),
  });
  const value = presentProblem(error, EXAMPLE_REQUEST_ID);
  return components.add("examples", `problem.${kind.code}`, { summary: kind.title, value });
}

function headersFor(status: number): JsonObject {
  const names = ["X-Request-Id"];
  if (status === 429) names.push("RateLimit", "RateLimit-Policy");
  if (status === 429 || status === 503) names.push("Retry-After");
  return headerReferences(names);
}

export function headerReferences(names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
  );
}
