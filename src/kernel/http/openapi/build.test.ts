import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import Type from "typebox";
import { defineError } from "../../errors.ts";
import { defineEvent } from "../../events/define.ts";
import { problemKinds } from "../problem.ts";
import { defineRoute, type Route } from "../route.ts";
import { buildOpenApi } from "./build.ts";

const Item = Type.Object(
  { id: Type.String(), size: Type.Union([Type.Integer(), Type.Null()]) },
  { $id: "Item", additionalProperties: false },
);

const itemTaken = defineError({
  code: "item.taken",
  status: 409,
  title: "Item is taken",
  detail: () => "It is taken.",
});

const create = defineRoute({
  op: "item.create",
  method: "POST",
  url: "/api/:tenantId/items",
  scope: "Item.Write",
  summary: "Create an item",
  body: Type.Object({ size: Type.Integer() }),
  reply: Item,
  status: 201,
  errors: [itemTaken],
  handle: () => undefined,
});

const list = defineRoute({
  op: "item.list",
  method: "GET",
  url: "/api/:tenantId/items",
  scope: "Item.Read",
  summary: "List items",
  list: {
    id: "id",
    paging: "always",
    fields: {
      id: { sql: "id", type: "id" },
      size: { sql: "size", type: "number" },
      note: { sql: "note", type: "text", sortable: false },
    },
    families: [{ prefix: "labels.", resolve: () => undefined }],
  },
  reply: Type.Array(Item),
  handle: () => [],
});

const remove = defineRoute({
  op: "item.delete",
  method: "DELETE",
  url: "/api/:tenantId/items/:itemId",
  scope: "Item.Write",
  summary: "Delete an item",
  handle: () => undefined,
});

const ping = defineRoute({
  op: "service.ping",
  method: "GET",
  url: "/ping",
  scope: "public",
  summary: "Is anyone there",
  handle: () => undefined,
});

const SCOPES = [
  { scope: "Item.Read", bearer: "tenant.item:read", description: "Read items." },
  { scope: "Item.Write", bearer: "tenant.item:write", description: "Change items." },
];

const itemMoved = defineEvent({
  name: "shelf.*.moved",
  version: 1,
  summary: "An item moved.",
  payload: Item,
  example: { id: "a", size: 1 },
});

// biome-ignore lint/suspicious/noExplicitAny: read as any client would, untyped.
function build(routes: readonly Route[] = [create, list, remove, ping], baseUrl?: string): any {
  const document = buildOpenApi({
    routes,
    events: [itemMoved],
    productVersion: "1.2.3",
    scopes: SCOPES,
    ...(baseUrl === undefined ? {} : { baseUrl }),
  });
  return JSON.parse(JSON.stringify(document));
}

describe("the OpenAPI document", () => {
  it("is valid to a validator that is not ours", async () => {
    const { errors } = await new Validator().validate(build());
    assert.equal(errors, undefined);
  });

  it("is the same for the same routes, in whatever order", () => {
    const forwards = JSON.stringify(build([create, list, remove, ping]));
    assert.equal(JSON.stringify(build([ping, remove, list, create])), forwards);
  });

  it("asks for a key or a token with the scope under both of its names", () => {
    const { post } = build().paths["/api/{tenantId}/items"];
    assert.equal(post.operationId, "item.create");
    assert.equal(post["x-scope"], "Item.Write");
    assert.deepEqual(post.security, [{ apiKey: [] }, { oauth2: ["tenant.item:write"] }]);
    assert.deepEqual(build().paths["/ping"].get.security, []);
  });

  it("refuses a route whose scope does not exist", () => {
    const unknown = { ...ping, scope: "Item.Fly" } as const;
    assert.throws(() => build([unknown]), /service\.ping needs the scope 'Item\.Fly'/);
  });

  it("refuses two different schemas of one name", () => {
    const other = { ...create, reply: Type.Object({}, { $id: "Item" }) };
    assert.throws(() => build([list, other]), /Two different schemas are called 'Item'/);
  });

  it("writes a named schema once and refers to it, without its $id", () => {
    const document = build();
    const { 200: found } = document.paths["/api/{tenantId}/items"].get.responses;
    assert.deepEqual(found.content["application/json"].schema, {
      type: "array",
      items: { $ref: "#/components/schemas/Item" },
    });
    assert.equal(document.components.schemas.Item.$id, undefined);
    assert.equal(document.components.schemas.Item.additionalProperties, false);
  });

  it("lists the problems that follow from the kind of route, and its own", () => {
    const { paths, components } = build();
    const statuses = (operation: { responses: object }) =>
      Object.keys(operation.responses).join(" ");
    assert.equal(
      statuses(paths["/api/{tenantId}/items"].post),
      "201 400 401 403 404 409 413 414 415 422 429 500 503",
    );
    assert.equal(
      statuses(paths["/api/{tenantId}/items/{itemId}"].delete),
      "204 400 401 403 404 412 414 429 500 503",
    );
    assert.equal(statuses(paths["/ping"].get), "204 400 500");
    const { $ref } = paths["/api/{tenantId}/items"].post.responses["409"];
    const conflict = components.responses[$ref.split("/").at(-1)];
    assert.deepEqual(Object.keys(conflict.content["application/json"].examples), [
      problemKinds.conflictRunning.code,
      problemKinds.answerErased.code,
      "item.taken",
    ]);
  });

  it("names the fields a list can be filtered and sorted by", () => {
    const { parameters, schemas } = build().components;
    const family = { type: "string", pattern: "^labels\\..+$" };
    assert.deepEqual(schemas.ItemListFilter.anyOf, [
      { type: "string", enum: ["id", "size", "note"] },
      family,
    ]);
    assert.deepEqual(schemas.ItemListOrder.anyOf, [
      { type: "string", enum: ["id", "size"] },
      family,
    ]);
    assert.equal(parameters["query.pageSize"].schema.maximum, 500);
  });

  it("describes every event in its envelope, the open part of its name included", () => {
    const { webhooks, components } = build();
    const { schema } = webhooks["shelf.*.moved"].post.requestBody.content["application/json"];
    assert.deepEqual(schema, { $ref: "#/components/schemas/EventShelfMoved" });
    const [envelope, { properties }] = components.schemas.EventShelfMoved.allOf;
    assert.deepEqual(envelope, { $ref: "#/components/schemas/EventBase" });
    assert.equal(properties.event.pattern, "^shelf\\.[^.]+\\.moved$");
    assert.deepEqual(properties.data, { $ref: "#/components/schemas/Item" });
  });

  it("names the headers of a delivery, those of Standard Webhooks among them", () => {
    const { webhooks, components } = build();
    const references: { $ref: string }[] = webhooks["shelf.*.moved"].post.parameters;
    const headers = references.map(
      ({ $ref }) => components.parameters[$ref.split("/").at(-1) ?? ""],
    );
    assert.ok(headers.every((header) => header.in === "header"));
    const sometimes = headers.filter(({ required }) => !required).map(({ name }) => name);
    assert.deepEqual(sometimes, ["x-service-test"]);
    assert.deepEqual(
      headers.map(({ name }) => name),
      [
        "X-SERVICE-SIGNATURE",
        "x-service-eventname",
        "x-service-tenantid",
        "x-service-test",
        "webhook-id",
        "webhook-timestamp",
        "webhook-signature",
      ],
    );
  });

  it("stands on the public address when there is one", () => {
    const { servers, components } = build([ping], "https://wallet.example");
    assert.deepEqual(servers, [{ url: "https://wallet.example" }]);
    const { authorizationCode } = components.securitySchemes.oauth2.flows;
    assert.equal(authorizationCode.tokenUrl, "https://wallet.example/token");
  });
});
