import { newId } from "#kernel/ids.ts";
import { seedPass, seedPassTenant } from "./pass-tenant.ts";
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
  /** `Pass.Read`, `platform:admin` or `public`. */
  readonly scope: string;
  /** Whoever holds one of these is let in too. */
  readonly orScopes: readonly string[];
  readonly isPublic: boolean;
  /** Only Global Administrators: it belongs to no tenant. */
  readonly needsRole: boolean;
  readonly hasTenant: boolean;
  /** Answers 404 `tenant.not-found`; the operation that creates tenants does not. */
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
    needsRole: scope === "platform:admin",
    hasTenant: path.includes("{tenantId}"),
    needsTenant: notFound !== undefined && "tenant.not-found" in notFound,
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

const webhookOf = (mark: string) => ({
  description: mark,
  events: ["pass.*"],
  endpoint: `https://${mark}.example/events`,
});

const clientOf = (mark: string) => ({
  name: mark,
  redirectUris: [`https://${mark}.example/callback`],
});

/** The passes for which save links are made. */
const SAVED_PASS_ID = "ps_000000000000000000saved";
const SAVED_TOO_ID = "ps_00000000000000000saved2";

/** Bodies whose texts have a syntax of their own. */
const BODIES: Readonly<Record<string, (mark: string) => unknown>> = {
  "tenant.patch": (mark) => ({ files: { "images/mark.txt": mark }, message: mark }),
  "tenant.rollback": (mark) => ({ version: 1, message: mark }),
  "webhook.create": webhookOf,
  "webhook.replace": webhookOf,
  "webhook.update": (mark) => ({ description: mark }),
  "webhook.test": () => ({}),
  "webhook.recover": () => ({ since: new Date(Date.now() - 60_000).toISOString() }),
  "oauth-client.create": clientOf,
  "oauth-client.update": clientOf,
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
  "google-class.sync": () => ({ passType: "loyalty" }),
  "google-token.create": () => ({ passId: SAVED_PASS_ID }),
  "apple-bundle-link.create": () => ({ passIds: [SAVED_PASS_ID, SAVED_TOO_ID] }),
  "apple-certificate.put": () => pemOf(issuePassCertificate()),
  "google-account.put": (mark) => serviceAccountOf(mark),
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

type Made = Readonly<Record<string, string>>;
/** Gets what was made for the parameters before it. */
type Maker = (api: TestApi, tenantId: string, mark: string, made: Made) => Promise<string>;

/** How to get a thing that a path parameter can name. A new parameter needs a line here. */
const MAKERS: Readonly<Record<string, Maker>> = {
  customerId: async (api, tenantId, mark) => {
    const identifiers = { "shop.id": mark };
    for (const _pass of [1, 2]) await ensurePass(api, tenantId, { identifiers });
    const body = { firstName: mark, identifiers };
    return await made(api, `/api/${tenantId}/customers`, body, "customerId");
  },
  storeId: async (api, tenantId, mark) => await publishStores(api, tenantId, mark),
  passId: async (api, tenantId, mark) => {
    const { id } = await ensurePass(api, tenantId, { additionalData: { firstName: mark } });
    return id;
  },
  identifierName: async () => "loyalty.number",
  identifierValue: async (api, tenantId, mark) => {
    await ensurePass(api, tenantId, { identifiers: { "loyalty.number": mark } });
    return mark;
  },
  privilegeId: async (api, tenantId, mark, parameters) => {
    const path = `${passPath(tenantId, parameters)}/privileges`;
    const body = { privilegeId: `p-${mark}`, name: mark, type: "MultiUse", value: 10 };
    return await made(api, path, body, "privilegeId");
  },
  movementId: async (api, tenantId, mark, parameters) => {
    const path = `${passPath(tenantId, parameters)}/privileges/${parameters.privilegeId}/movements`;
    return await made(api, path, { value: -1, reason: mark }, "movementId");
  },
  scanId: async (api, tenantId, mark) => await recordScan(api, tenantId, mark),
  jobId: async (api, tenantId, mark) => await queueJob(api, tenantId, mark),
  keyName: async (api, tenantId, mark) => {
    const body = { name: `key-${mark}`, scopes: ["Pass.Read"] };
    return await made(api, `/api/${tenantId}/admin/apiKeys`, body, "name");
  },
  key: async (api, tenantId, mark) => {
    const [key, body] = [`secret-${mark}`, { value: mark }];
    const path = `/api/${tenantId}/secrets/${key}`;
    const { status, text } = await api.put(path, { key: api.operatorKey, body });
    if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`);
    return key;
  },
  deviceId: async (api, tenantId, mark) =>
    await made(api, `/api/${tenantId}/devices`, { name: mark }, "deviceId"),
  id: async (api, tenantId, mark) =>
    await made(api, `/api/${tenantId}/webhooks`, webhookOf(mark), "id"),
  deliveryId: async (api, tenantId, mark, { id = "" }) => await owe(api, tenantId, id, mark),
  clientId: async (api, _tenantId, mark) =>
    await made(api, "/api/oauthClients", clientOf(mark), "clientId"),
  classId: async (api, tenantId, mark) => await noteClass(api, tenantId, mark),
  administratorId: async (api, tenantId, mark) => {
    const email = `${mark}@example.com`;
    const body = { email, name: mark, role: "tenant", tenants: [tenantId] };
    return await made(api, "/api/administrators", body, "id");
  },
};

/** The address of the pass that was made before, by its id or by an identifier. */
function passPath(tenantId: string, { passId, identifierName, identifierValue }: Made): string {
  const pass = passId ?? `by/${identifierName}/${identifierValue}`;
  return `/api/${tenantId}/passes/${pass}`;
}

type Preparation = (api: TestApi, tenantId: string, mark: string) => Promise<object>;

const withDraft: Preparation = async (api, tenantId, mark) => {
  const body = { files: { "images/draft.txt": mark } };
  await api.patch(`/api/tenants/${tenantId}?publish=false`, { key: api.operatorKey, body });
  return {};
};

/** Nobody attempts anything for it: no event has a name that it covers. */
const withEnabledWebhook: Preparation = async (api, tenantId, mark) => {
  const body = { ...webhookOf(mark), events: [`${mark}.never`], enabled: true };
  return { id: await made(api, `/api/${tenantId}/webhooks`, body, "id") };
};

/** Nobody answers there, and it takes no time to find out. */
const withNearWebhook: Preparation = async (api, tenantId, mark) => {
  const body = { ...webhookOf(mark), endpoint: `http://127.0.0.1:65533/${mark}` };
  return { id: await made(api, `/api/${tenantId}/webhooks`, body, "id") };
};

const withDeliveries: Preparation = async (api, tenantId, mark) => {
  const id = await made(api, `/api/${tenantId}/webhooks`, webhookOf(mark), "id");
  for (const count of [1, 2]) await owe(api, tenantId, id, `${mark}-${count}`);
  return { id };
};

const withNextCertificate: Preparation = async (api, tenantId) => {
  const path = `/api/${tenantId}/admin/wallets/apple/certificate`;
  const body = { ...pemOf(issuePassCertificate()), slot: "next" };
  const { status, text } = await api.put(path, { key: api.operatorKey, body });
  if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`);
  return {};
};

const withSavedPasses: Preparation = async (api, tenantId) => {
  const { id } = await ensurePass(api, tenantId, {});
  await api.sql(
    `insert into pass (tenant_id, id, pass_type, status, identifiers, data, secret, created_at,
                       updated_at)
     select tenant_id, made.id, pass_type, status, '{}', data, secret, created_at, updated_at
       from pass, unnest($3::text[]) as made (id) where tenant_id = $1 and pass.id = $2
     on conflict do nothing`,
    [tenantId, id, [SAVED_PASS_ID, SAVED_TOO_ID]],
  );
  return {};
};

/** What must be there before an operation can succeed; may name other parameters to use. */
const PREPARATIONS: Readonly<Record<string, Preparation>> = {
  "tenant.delete": async (api, _tenantId, mark) => {
    await api.seed.tenant(mark);
    return { tenantId: mark };
  },
  "store.list": async (api, tenantId, mark) => {
    await publishStores(api, tenantId, mark);
    return {};
  },
  "device.list": async (api, tenantId, mark) => {
    for (const count of [1, 2]) {
      await made(api, `/api/${tenantId}/devices`, { name: `${mark}-${count}` }, "deviceId");
    }
    return {};
  },
  "google-class.list": async (api, tenantId, mark) => {
    for (const count of [1, 2]) await noteClass(api, tenantId, `${mark}-${count}`);
    return {};
  },
  "google-class.sync": async (api, tenantId) => {
    await ensurePass(api, tenantId, {});
    return {};
  },
  "google-token.create": withSavedPasses,
  "apple-bundle-link.create": withSavedPasses,
  "apple-certificate.rotate": withNextCertificate,
  "tenant.publish": withDraft,
  "tenant.discard-draft": withDraft,
  "job.list": async (api, tenantId, mark) => {
    for (const count of [1, 2]) await queueJob(api, tenantId, `${mark}-${count}`);
    return {};
  },
  "scan.list": async (api, tenantId, mark) => {
    for (const count of [1, 2]) await recordScan(api, tenantId, `${mark}-${count}`);
    return {};
  },
  "delivery.list": withDeliveries,
  "delivery.redeliver": withEnabledWebhook,
  "webhook.recover": withEnabledWebhook,
  "webhook.test": withNearWebhook,
};

async function recordScan(api: TestApi, tenantId: string, mark: string): Promise<string> {
  const body = { data: mark, type: "manual", location: mark };
  return await made(api, `/api/${tenantId}/scans`, body, "scanId");
}

/** A job that waits. Written as the service would: one that has something to do would soon end. */
async function queueJob(api: TestApi, tenantId: string, mark: string): Promise<string> {
  const id = newId("job");
  const request = { selection: "passIds", changes: [`additionalData.${mark}`], options: {} };
  await api.sql(
    `insert into job (tenant_id, id, kind, state, request, matched, has_items, created_at, created_by)
     values ($1, $2, 'pass.update', 'queued', $3, 1, false, now(), 'operator')`,
    [tenantId, id, JSON.stringify(request)],
  );
  return id;
}

/** A class that Google has. Written as the service would. */
async function noteClass(api: TestApi, tenantId: string, mark: string): Promise<string> {
  const classId = `3388000000012345678.${mark}`;
  await api.sql(
    `insert into google_class (tenant_id, class_id, pass_type, google_type, configuration_version,
                               content_hash, members, sent_at, updated_at)
     values ($1, $2, $3, 'generic', 1, '', '{}', now(), now())`,
    [tenantId, classId, mark],
  );
  return classId;
}

/** A delivery that has arrived. Written as the service would: sending takes a receiver. */
async function owe(
  api: TestApi,
  tenantId: string,
  webhookId: string,
  mark: string,
): Promise<string> {
  const id = newId("evt");
  const values = [tenantId, id, `${mark}.happened`, JSON.stringify({ mark })];
  await api.sql(
    "insert into event (tenant_id, id, name, occurred_at, data) values ($1, $2, $3, now(), $4)",
    values,
  );
  await api.sql(
    `insert into delivery (tenant_id, webhook_id, event_id, event_name, state, due_at, created_at,
                           finished_at, attempt_count, last_status)
     values ($1, $2, $3, $4, 'delivered', now(), now(), now(), 1, 200)`,
    [tenantId, webhookId, id, `${mark}.happened`],
  );
  return id;
}

/** Publishes the types of passes only where an operation took them away: that takes its time. */
async function ensurePass(api: TestApi, tenantId: string, more: Parameters<typeof seedPass>[2]) {
  try {
    return await seedPass(api, tenantId, more);
  } catch {
    await seedPassTenant(api, tenantId);
    return await seedPass(api, tenantId, more);
  }
}

/** Two stores; the id of the first. */
async function publishStores(api: TestApi, tenantId: string, mark: string): Promise<string> {
  const stores = [1, 2].map((count) => `  - { id: "${mark}-${count}", name: "${mark}" }`);
  const body = { files: { "server/stores.yml": `stores:\n${stores.join("\n")}\n` } };
  const path = `/api/tenants/${tenantId}`;
  const { status, text } = await api.patch(path, { key: api.operatorKey, body });
  if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`);
  return `${mark}-1`;
}

async function made(api: TestApi, path: string, body: unknown, member: string): Promise<string> {
  const answer = await api.post(path, { key: api.operatorKey, body });
  if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  return answer.body[member];
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
        `${operation.op}: say in test/support/operations.ts how to make a '${name}'.`,
      );
    }
    parameters[name] = encodeURIComponent(await make(api, tenantId, newMark(word), parameters));
  }
  return parameters;
}
