import { linkOf } from "./enrolment-operations.ts";
import { EXTENSION_BODIES } from "./extension-operations.ts";
import {
  administratorOf,
  clientOf,
  MAKERS,
  PREPARATIONS,
  SAVED_PASS_ID,
  SAVED_TOO_ID,
  webhookOf,
} from "./operation-makers.ts";
import { receiptOf } from "./receipt-operations.ts";
import type { TestApi } from "./start-api.ts";
import { issuePassCertificate, pemOf, serviceAccountOf } from "./wallet-credentials.ts";

/** Every operation as a client sees it: read from the served document, never from our own tables. */

// biome-ignore lint/suspicious/noExplicitAny: the document is read as any client would, untyped.
type Json = any;

export type Operation = {
  readonly op: string;
  readonly method: string;
  /** `/api/{tenantId}/admin/apiKeys/{keyName}` */
  readonly path: string;
  /** `Pass.Read`, `platform:admin`, `signed-in` or `public`. */
  readonly scope: string;
  /** Whoever holds one of these is let in too. */
  readonly orScopes: readonly string[];
  readonly isPublic: boolean;
  /** Every good credential is let in, whatever its scopes. */
  readonly needsNoScope: boolean;
  /** Only Global Administrators: it belongs to no tenant. */
  readonly needsRole: boolean;
  readonly hasTenant: boolean;
  /** Answers 404 `tenant.not-found`; the operation that creates tenants does so only for drafts. */
  readonly needsTenant: boolean;
  /** Nothing can be done in the tenant afterwards. */
  readonly endsTenant: boolean;
  readonly hasBody: boolean;
  readonly isList: boolean;
  /** Path and required query parameters, by example. */
  readonly examples: Readonly<Record<string, string>>;
  readonly requiredQuery: readonly string[];
  /** The documented body with a mark in every text that has room for it. */
  markedBody(mark: string): unknown;
};

export async function readOperations(api: Pick<TestApi, "get">): Promise<Operation[]> {
  const { body: document } = await api.get("/openapi.json");
  const resolve = (value: Json): Json =>
    typeof value?.$ref === "string"
      ? resolve(
          value.$ref
            .slice(2)
            .split("/")
            .reduce((place: Json, name: string) => place[name], document),
        )
      : value;
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) =>
      describeOperation(method.toUpperCase(), path, operation, resolve),
    ),
  );
}

type Resolve = (value: Json) => Json;

function describeOperation(
  method: string,
  path: string,
  operation: Json,
  resolve: Resolve,
): Operation {
  const parameters: Json[] = operation.parameters.map(resolve);
  const required = parameters.filter((parameter) => parameter.required);
  const media = operation.requestBody?.content["application/json"];
  const notFound = resolve(operation.responses["404"])?.content?.["application/json"].examples;
  const scope: string = operation["x-scope"];
  return {
    op: operation.operationId,
    method,
    path,
    scope,
    orScopes: operation["x-or-scopes"] ?? [],
    isPublic: scope === "public",
    needsNoScope: scope === "signed-in",
    needsRole: scope === "platform:admin",
    hasTenant: path.includes("{tenantId}"),
    needsTenant:
      notFound !== undefined &&
      "tenant.not-found" in notFound &&
      operation.operationId !== "tenant.put",
    endsTenant: operation.operationId === "tenant.delete",
    hasBody: media !== undefined,
    isList: parameters.some(({ name }) => name === "pageSize"),
    examples: Object.fromEntries(required.map(({ name, example }) => [name, String(example)])),
    requiredQuery: required.filter((parameter) => parameter.in === "query").map(({ name }) => name),
    markedBody(mark) {
      if (media === undefined) return undefined;
      const made = BODIES[operation.operationId]?.(mark);
      return made ?? withMark(resolve(media.examples.default).value, media.schema, mark, resolve);
    },
  };
}

/** Bodies whose texts have a syntax of their own. */
const BODIES: Readonly<Record<string, (mark: string) => unknown>> = {
  "tenant.patch": (mark) => ({ files: { "images/mark.txt": mark }, message: mark }),
  "tenant.rollback": (mark) => ({ version: 1, message: mark }),
  "webhook.create": webhookOf,
  "webhook.replace": webhookOf,
  "webhook.update": (mark) => ({ description: mark }),
  "webhook.test": () => ({}),
  "webhook.recover": () => ({ since: new Date(Date.now() - 60_000).toISOString() }),
  "administrator.create": administratorOf,
  "administrator.update": administratorOf,
  "oauth-client.create": clientOf,
  "oauth-client.update": clientOf,
  "enrolment-link.create": linkOf,
  "enrolment-link.update": linkOf,
  "device.register": (mark) => ({ name: mark, settings: { location: mark } }),
  "device.update": (mark) => ({ name: mark, settings: { location: mark } }),
  "customer.create": (mark) => ({ firstName: mark, identifiers: { "crm.id": mark } }),
  "customer.update": (mark) => ({ firstName: mark }),
  "pass.create": (mark) => ({
    identifiers: { "loyalty.number": mark },
    additionalData: { firstName: mark },
  }),
  "pass.update-many": (mark) => ({
    filter: [{ field: "additionalData.firstName", operator: "equals", value: mark }],
    additionalData: { firstName: mark },
  }),
  "pass.update": (mark) => ({ additionalData: { firstName: mark } }),
  "pass.notify": (mark) => ({ title: mark, content: mark }),
  "scan.create": (mark) => ({ data: mark, type: "manual", location: mark }),
  "scan.batch": (mark) => ({ scans: [{ data: mark, type: "manual", reference: mark }] }),
  "receipt.create": receiptOf,
  ...EXTENSION_BODIES,
  "receipt.refund": (mark) => ({ reference: mark, amount: 1, reason: mark }),
  "preview.create": () => ({ passType: "loyalty" }),
  "google-class.sync": () => ({ passType: "loyalty" }),
  "google-token.create": () => ({ passId: SAVED_PASS_ID }),
  "apple-bundle-link.create": () => ({ passIds: [SAVED_PASS_ID, SAVED_TOO_ID] }),
  "apple-certificate.put": () => pemOf(issuePassCertificate()),
  "google-account.put": (mark) => serviceAccountOf(mark),
  "import.create": (mark) => [{ passType: "loyalty", identifiers: { loyalty: { number: mark } } }],
  "tenant.put": (mark) => ({ files: { "tenant.yml": `name: ${mark}\n` }, message: mark }),
};

function withMark(value: Json, schemaOrRef: Json, mark: string, resolve: Resolve): Json {
  const schema = resolve(schemaOrRef) ?? {};
  if (Array.isArray(value)) return value.map((item) => withMark(item, schema.items, mark, resolve));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const place = schema.properties?.[name] ?? schema.additionalProperties;
        return [name, withMark(member, place, mark, resolve)];
      }),
    );
  }
  if (typeof value !== "string" || schema.type !== "string") return value;
  const marked = `${value}-${mark}`;
  const hasRoom = marked.length <= (schema.maxLength ?? Number.POSITIVE_INFINITY);
  const fits = schema.pattern === undefined || new RegExp(schema.pattern, "u").test(marked);
  return hasRoom && fits && !schema.enum && !schema.const && !schema.format ? marked : value;
}

/** The address with these parameters, and the documented examples for the others. */
export function addressOf(operation: Operation, given: Readonly<Record<string, string>>): string {
  const { path, examples, requiredQuery } = operation;
  const filled = path.replace(
    /\{(\w+)\}/g,
    (_all, name: string) => given[name] ?? encodeURIComponent(examples[name] ?? ""),
  );
  const values = requiredQuery.map((name) => [name, given[name] ?? examples[name] ?? ""] as const);
  const query = new URLSearchParams(Object.fromEntries(values));
  return requiredQuery.length === 0 ? filled : `${filled}?${query}`;
}

let marks = 0;

/** Unlike any other mark, and beginning with the word given. */
export function newMark(word: string): string {
  marks += 1;
  return `${word}-${marks}x`;
}

/** Parameters that name things which exist, made for this one request. */
export async function makeParameters(
  api: TestApi,
  operation: Operation,
  tenantId: string,
  word: string,
): Promise<Record<string, string>> {
  const prepared = await PREPARATIONS[operation.op]?.(api, tenantId, newMark(word));
  const parameters: Record<string, string> = { tenantId, ...prepared };
  for (const [, name = ""] of operation.path.matchAll(/\{(\w+)\}/g)) {
    if (name in parameters) continue;
    const make = MAKERS[name];
    if (make === undefined) {
      throw new Error(
        `${operation.op}: say in test/support/operation-makers.ts how to make a '${name}'.`,
      );
    }
    parameters[name] = encodeURIComponent(await make(api, tenantId, newMark(word), parameters));
  }
  return parameters;
}

/**
 * Parameters for calls that change nothing, so that all of them can name the same things: what an operation
 * has prepared for itself is made once for it, everything else once for all addresses with the same parameters.
 */
export function shareParameters(api: TestApi, word: (tenantId: string) => string) {
  const known = new Map<string, Promise<Record<string, string>>>();
  return (operation: Operation, tenantId: string): Promise<Record<string, string>> => {
    const names = [...operation.path.matchAll(/\{\w+\}/g)].join();
    const name = `${tenantId} ${operation.op in PREPARATIONS ? operation.op : names}`;
    const made = known.get(name) ?? makeParameters(api, operation, tenantId, word(tenantId));
    known.set(name, made);
    return made;
  };
}
