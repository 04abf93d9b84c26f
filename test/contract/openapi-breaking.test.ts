import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findBreakingChanges } from "../../scripts/openapi-breaking.ts";

type Json = Record<string, unknown>;

const ITEM = {
  type: "object",
  required: ["id", "state"],
  properties: {
    id: { type: "string" },
    state: { type: "string", enum: ["open", "closed"] },
    note: { type: ["string", "null"] },
  },
};

const BODY = {
  type: "object",
  required: ["name"],
  properties: { name: { type: "string", maxLength: 50 }, size: { type: "number" } },
};

/** A document with one operation and one event. A test can replace its parts. */
function document(parts: { item?: Json; body?: Json; operation?: Json; paths?: Json } = {}): Json {
  const operation = {
    operationId: "item.create",
    "x-scope": "Item.Write",
    parameters: [{ $ref: "#/components/parameters/page" }],
    requestBody: {
      required: true,
      content: { "application/json": { schema: parts.body ?? BODY } },
    },
    responses: {
      200: { content: { "application/json": { schema: { $ref: "#/components/schemas/Item" } } } },
    },
    ...parts.operation,
  };
  const event = {
    requestBody: {
      content: { "application/json": { schema: { $ref: "#/components/schemas/Item" } } },
    },
  };
  return {
    paths: parts.paths ?? { "/items/{id}": { post: operation } },
    webhooks: { "item.created": { post: event } },
    components: {
      schemas: { Item: parts.item ?? ITEM },
      parameters: { page: { name: "page", in: "query", schema: { type: "integer" } } },
    },
  };
}

const changed = (parts: Parameters<typeof document>[0]) =>
  findBreakingChanges(document(), document(parts));

const withProperty = (schema: typeof ITEM | typeof BODY, name: string, value: unknown): Json => ({
  ...schema,
  properties: { ...schema.properties, [name]: value },
});

describe("changes that break callers", () => {
  it("names an operation that is gone", () => {
    assert.deepEqual(changed({ paths: {} }), ["POST /items/{}: the operation is gone"]);
  });

  it("names another id and another scope", () => {
    const found = changed({ operation: { operationId: "item.make", "x-scope": "Item.Admin" } });
    assert.deepEqual(found, [
      "POST /items/{}: operationId was 'item.create' and is 'item.make'",
      "POST /items/{}: x-scope was 'Item.Write' and is 'Item.Admin'",
    ]);
  });

  it("names a field that must now be sent", () => {
    const found = changed({ body: { ...BODY, required: ["name", "size"] } });
    assert.deepEqual(found, ["POST /items/{}: body.size is now required"]);
  });

  it("names a parameter that is gone and one that must now be sent", () => {
    const parameters = [{ name: "since", in: "query", required: true, schema: {} }];
    assert.deepEqual(changed({ operation: { parameters } }), [
      "POST /items/{}: query parameter page is gone",
      "POST /items/{}: query parameter since is now required",
    ]);
  });

  it("names a body that must now be sent, whether or not there was one before", () => {
    const content = { "application/json": { schema: BODY } };
    const before = (requestBody: Json | undefined) => document({ operation: { requestBody } });
    for (const earlier of [undefined, { content }, { required: false, content }]) {
      const found = findBreakingChanges(before(earlier), document());
      assert.deepEqual(found, ["POST /items/{}: a body is now required"]);
    }
    assert.deepEqual(findBreakingChanges(document(), before({ content })), []);
  });

  it("names what may be sent no longer: types, lengths, further properties", () => {
    const body = {
      ...withProperty(BODY, "size", { type: "integer" }),
      additionalProperties: false,
    };
    const shorter = withProperty(BODY, "name", { type: "string", maxLength: 20 });
    assert.deepEqual(changed({ body }), [
      "POST /items/{}: body takes no further properties now",
      "POST /items/{}: body.size was number and is integer",
    ]);
    assert.deepEqual(changed({ body: shorter }), [
      "POST /items/{}: body.name has maxLength 20 now",
    ]);
  });

  it("names a type where any type was sent before, and any type where one was received", () => {
    const untyped = { description: "anything" };
    const sent = (size: Json) => document({ body: withProperty(BODY, "size", size) });
    const received = (id: Json) => document({ item: withProperty(ITEM, "id", id) });
    assert.deepEqual(findBreakingChanges(sent(untyped), sent({ type: "number" })), [
      "POST /items/{}: body.size was of any type and is number",
    ]);
    assert.deepEqual(findBreakingChanges(sent({ type: "number" }), sent(untyped)), []);
    assert.deepEqual(findBreakingChanges(received({ type: "string" }), received(untyped)), [
      "POST /items/{}: answer 200.id was string and is of any type",
      "event item.created: body.id was string and is of any type",
    ]);
    assert.deepEqual(findBreakingChanges(received(untyped), received({ type: "string" })), []);
  });

  it("names a field gone from answers and from events", () => {
    const { id, ...properties } = ITEM.properties;
    assert.deepEqual(changed({ item: { ...ITEM, required: ["state"], properties } }), [
      "POST /items/{}: answer 200.id is gone",
      "event item.created: body.id is gone",
    ]);
  });

  it("names a field of an answer that may now be missing or null", () => {
    const missing = changed({ item: { ...ITEM, required: ["id"] } });
    assert.ok(missing.includes("POST /items/{}: answer 200.state may now be missing"));
    const nullable = changed({ item: withProperty(ITEM, "id", { type: ["string", "null"] }) });
    assert.ok(nullable.includes("POST /items/{}: answer 200.id was string and is string|null"));
  });

  it("names a value gone from a list of values", () => {
    const item = withProperty(ITEM, "state", { type: "string", enum: ["open"] });
    assert.ok(
      changed({ item }).includes("POST /items/{}: answer 200.state no longer knows 'closed'"),
    );
  });

  it("names an answer that is gone", () => {
    const found = changed({ operation: { responses: { 202: {} } } });
    assert.deepEqual(found, ["POST /items/{}: answer 200 is gone"]);
  });
});

describe("changes that break nobody", () => {
  it("is silent about the same document", () => {
    assert.deepEqual(changed({}), []);
  });

  it("is silent about new operations, optional fields, answer fields and values", () => {
    const paths = {
      ...(document().paths as Json),
      "/others": { get: { operationId: "other.list", responses: { 200: {} } } },
    };
    assert.deepEqual(changed({ paths }), []);
    assert.deepEqual(changed({ body: withProperty(BODY, "colour", { type: "string" }) }), []);
    assert.deepEqual(changed({ item: withProperty(ITEM, "colour", { type: "string" }) }), []);
    const states = { type: "string", enum: ["open", "closed", "lost"] };
    assert.deepEqual(changed({ item: withProperty(ITEM, "state", states) }), []);
  });

  it("is silent about a type that values or forms had said already", () => {
    const size = { $ref: "#/components/schemas/Item" };
    for (const [before, now] of [
      [{ const: "big" }, { type: "string", const: "big" }],
      [{ enum: [1, 2.5, null] }, { type: ["number", "null"], enum: [1, 2.5, null] }],
      [{ anyOf: [size, { type: "null" }] }, { type: ["object", "null"] }],
      [{ oneOf: [{ const: true }, { enum: [[], {}] }] }, { type: ["boolean", "array", "object"] }],
    ] as const) {
      const one = document({ body: withProperty(BODY, "size", before) });
      const other = document({ body: withProperty(BODY, "size", now) });
      assert.deepEqual(findBreakingChanges(one, other), []);
    }
  });

  it("is silent about another name of a path parameter", () => {
    const { "/items/{id}": item } = document().paths as Json;
    assert.deepEqual(changed({ paths: { "/items/{itemId}": item } }), []);
  });

  it("comes to an end on a schema that contains itself", () => {
    const item = withProperty(ITEM, "parent", { $ref: "#/components/schemas/Item" });
    assert.deepEqual(findBreakingChanges(document({ item }), document({ item })), []);
  });
});
