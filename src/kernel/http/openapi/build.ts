import type { ProblemKind } from "../../errors.ts";
import type { EventDefinition } from "../../events/define.ts";
import type { Method, Route } from "../route.ts";
import { Components } from "./components.ts";
import { API_DESCRIPTION } from "./description.ts";
import { addHeaders } from "./headers.ts";
import type { JsonObject } from "./json-schema.ts";
import { operationOf, tagOf } from "./operation.ts";
import { addProblemSchemas, problemsAnywhere } from "./problem-responses.ts";
import { type DocumentedScope, securitySchemes, type TokenSource } from "./security.ts";
import { webhooksOf } from "./webhooks.ts";

export type OpenApiDocument = {
  readonly openapi: string;
  readonly info: JsonObject;
  /** Problems that can happen before an operation is found, by code. */
  readonly "x-problems": JsonObject;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly JsonObject[];
  readonly paths: Readonly<Record<string, JsonObject>>;
  readonly webhooks: JsonObject;
  readonly components: JsonObject;
};

export type DocumentedTag = {
  /** The noun of the operations, such as `api-key` for `api-key.create`. */
  readonly name: string;
  /** The heading for people, such as `API keys`. */
  readonly title: string;
  readonly description: string;
};

export type OpenApiOptions = {
  readonly routes: readonly Route[];
  readonly events: readonly EventDefinition[];
  /** The public address; without it, all addresses are relative to that of the document. */
  readonly baseUrl?: string;
  /** Where people get their tokens, if that is not this installation itself. */
  readonly tokenSource?: TokenSource;
  /** The version of the product; the version of the interface is `INTERFACE_VERSION`. */
  readonly productVersion: string;
  readonly scopes: readonly DocumentedScope[];
  /** A sentence for each noun; nouns without operations are left out. */
  readonly tags?: readonly DocumentedTag[];
  /** Problems that no single route can name, such as those of authentication. */
  readonly problems?: readonly ProblemKind[];
};

/**
 * The version that callers rely on: it changes when something is removed, not when something is
 * added.
 */
const INTERFACE_VERSION = "v1";
const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Builds the public contract from the route table alone; the same input gives the same bytes. */
export function buildOpenApi(options: OpenApiOptions): OpenApiDocument {
  const steps = buildOpenApiInSteps(options);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Builds one operation per step, so that the caller can serve other requests in between. */
export type OpenApiSteps = Generator<undefined, OpenApiDocument, undefined>;

export function* buildOpenApiInSteps(options: OpenApiOptions): OpenApiSteps {
  const { baseUrl = "", events, scopes, productVersion } = options;
  const components = new Components();
  addHeaders(components);
  addProblemSchemas(components);
  const bearerScopes = new Map(scopes.map(({ scope, bearer }) => [scope, bearer]));
  const routes = [...options.routes].sort(byAddress);
  const paths = yield* pathsOf(routes, (route) => operationOf(route, components, bearerScopes));
  const webhooks = webhooksOf(events, components);
  return {
    openapi: "3.1.1",
    info: {
      title: "Billfold API",
      version: INTERFACE_VERSION,
      "x-product-version": productVersion,
      summary: "Issue and manage Apple Wallet and Google Wallet passes.",
      description: API_DESCRIPTION,
      contact: { name: "Billfold" },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    "x-problems": problemsAnywhere(components, options.problems ?? []),
    servers: [{ url: baseUrl === "" ? "/" : baseUrl }],
    tags: tagsOf(routes, options),
    paths,
    webhooks,
    components: {
      ...components.toJson(),
      securitySchemes: securitySchemes(scopes, baseUrl, options.tokenSource),
    },
  };
}

function byAddress(left: Route, right: Route): number {
  if (left.url !== right.url) return left.url < right.url ? -1 : 1;
  return METHODS.indexOf(left.method) - METHODS.indexOf(right.method);
}

function* pathsOf(
  routes: readonly Route[],
  describe: (route: Route) => JsonObject,
): Generator<undefined, Record<string, JsonObject>, undefined> {
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    const path = route.url.replaceAll(/:([A-Za-z]+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describe(route) };
    yield;
  }
  return paths;
}

function tagsOf(routes: readonly Route[], { tags = [], events }: OpenApiOptions): JsonObject[] {
  const nouns = new Set(routes.map(tagOf));
  if (events.length > 0) nouns.add("event");
  const known = new Set(tags.map(({ name }) => name));
  const described = tags.map(({ name, title, description }) => ({
    name,
    "x-displayName": title,
    description,
  }));
  const others = [...nouns].filter((name) => !known.has(name)).sort();
  return [...described.filter(({ name }) => nouns.has(name)), ...others.map((name) => ({ name }))];
}
