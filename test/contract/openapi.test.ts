import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormatsModule from "ajv-formats";
import { writeDocument } from "#kernel/http/openapi/write.ts";
import { buildApiDocument } from "#main/api-document.ts";
import { allEvents, allRoutes } from "#main/modules.ts";
import { version } from "#main/version.ts";
import { startApi } from "#test/support/start-api.ts";

type Json = Record<string, unknown>;
type Media = { schema: Json; examples?: Record<string, Json> };

const ROOT = join(import.meta.dirname, "../..");
const NAME_LENGTH_MAX = 40;
/** The average per operation, shared parts included. It was 6,500 when parts were repeated. */
const OPERATION_LENGTH_MAX = 5_800;
const ID = "https://billfold.example/openapi.json";

const generated = writeDocument(buildApiDocument({ routes: allRoutes(), events: allEvents() }));
// biome-ignore lint/suspicious/noExplicitAny: the document is read here as any client would, untyped.
const document: any = JSON.parse(generated);

// biome-ignore lint/suspicious/noExplicitAny: a part of the same untyped document.
function resolve(value: any): any {
  if (typeof value?.$ref !== "string") return value;
  const path: string[] = value.$ref.slice(2).split("/");
  return resolve(path.reduce((place, name) => place[name], document));
}

/** Other media types for the same JSON. Their examples are not repeated. */
const SAME_AS_JSON = ["text/json", "text/plain", "application/*+json", "application/problem+json"];

function operations(): { key: string; operation: Json }[] {
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      key: `${method.toUpperCase()} ${path}`,
      operation: operation as Json,
    })),
  );
}

/** All bodies of requests, answers and deliveries, once for all JSON types they come in. */
function media(): { key: string; content: Media }[] {
  const deliveries = Object.entries<Json>(document.webhooks).map(([name, item]) => ({
    key: name,
    operation: item.post as Json,
  }));
  return [...operations(), ...deliveries].flatMap(({ key, operation }) => {
    const responses = Object.entries((operation.responses ?? {}) as Json);
    const holders: [string, unknown][] = [["body", operation.requestBody], ...responses];
    return holders.flatMap(([name, holder]) =>
      Object.entries<Media>(resolve(holder)?.content ?? {})
        .filter(([type]) => !SAME_AS_JSON.includes(type))
        .map(([type, content]) => ({ key: `${key} ${name} ${type}`, content })),
    );
  });
}

// The types of `ajv-formats` describe CommonJS, where the function is the module itself.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema({ $id: ID, components: document.components });

/** By the text of a schema: most refer to the same few, and compiling one takes milliseconds. */
const compiled = new Map<string, ValidateFunction>();

function validatorOf(schema: unknown): ValidateFunction {
  const absolute = JSON.stringify(schema).replaceAll('"#/components', `"${ID}#/components`);
  const validate = compiled.get(absolute) ?? ajv.compile(JSON.parse(absolute));
  compiled.set(absolute, validate);
  return validate;
}

function errorsOf(schema: unknown, value: unknown): string | undefined {
  const validate = validatorOf(schema);
  return validate(value) ? undefined : ajv.errorsText(validate.errors);
}

describe("openapi.json", () => {
  it("is what the route table gives: run `npm run generate` after a change", () => {
    assert.equal(readFileSync(join(ROOT, "openapi.json"), "utf8"), generated);
  });

  it("is valid OpenAPI 3.1 to a validator that is not ours", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    assert.deepEqual(errors ?? [], []);
    assert.equal(valid, true);
  });

  it("says of every operation its id, scope, summary, chapter, credentials and answers", () => {
    const chapters = new Map(document.tags.map((tag: Json) => [tag.name, tag.description]));
    for (const { key, operation } of operations()) {
      assert.match(String(operation.operationId), /^[a-z-]+\.[a-z-]+$/, key);
      assert.match(
        String(operation["x-scope"]),
        /^(public|signed-in|platform:admin|[A-Za-z]+\.[A-Za-z]+)$/,
        key,
      );
      assert.ok(String(operation.summary).length > 5, key);
      const [tag] = operation.tags as string[];
      assert.ok(chapters.get(tag), `${key}: the chapter '${tag}' has no sentence`);
      assert.ok(Array.isArray(operation.security), key);
      const statuses = Object.keys(operation.responses as Json);
      assert.ok(
        statuses.some((status) => status.startsWith("2")),
        key,
      );
      assert.ok(statuses.includes("500"), key);
      if (operation["x-scope"] === "public") continue;
      for (const status of ["401", "429", "503"]) assert.ok(statuses.includes(status), key);
      assert.equal(statuses.includes("403"), operation["x-scope"] !== "signed-in", key);
    }
  });

  it("lists every route exactly once", () => {
    const documented = operations().map(({ operation }) => operation.operationId);
    assert.deepEqual(
      documented.sort(),
      allRoutes()
        .map(({ op }) => op)
        .sort(),
    );
  });

  it("has an example for every body, answer and event, and all of them fit their schemas", () => {
    const all = media();
    assert.ok(all.length > 0);
    for (const { key, content } of all) {
      // A binary body, such as an archive, has no example.
      if (Object.keys(content.schema).length === 0) continue;
      const examples = Object.values(content.examples ?? {}).map((example) => resolve(example));
      assert.ok(examples.length > 0, `${key} has no example`);
      for (const { value } of examples)
        assert.equal(errorsOf(content.schema, value), undefined, key);
    }
  });

  it("has parameter examples that fit their schemas", () => {
    for (const { key, operation } of operations()) {
      for (const parameter of (operation.parameters as Json[]).map(resolve)) {
        if (parameter.example === undefined) continue;
        const errors = errorsOf(parameter.schema, parameter.example);
        assert.equal(errors, undefined, `${key} ${parameter.name}`);
      }
    }
  });

  it("knows every problem code of the source", () => {
    const known = new Set([
      ...Object.keys(document.components.examples),
      ...Object.keys(document["x-problems"]).map((code) => `problem.${code}`),
    ]);
    for (const file of globSync("src/**/*.ts", { cwd: ROOT })) {
      // The simulator plays others, and is no part of the interface.
      if (file.endsWith(".test.ts") || file.startsWith("src/simulator/")) continue;
      const text = readFileSync(join(ROOT, file), "utf8");
      for (const [, code] of text.matchAll(/\bcode: "([a-z-]+\.[a-z-]+)",\s+status:/g)) {
        assert.ok(
          known.has(`problem.${code}`),
          `${code} (${file}) is in no answer of any operation`,
        );
      }
    }
  });

  it("is version v1 of the interface, and tells that of the product apart", () => {
    assert.equal(document.info.version, "v1");
    assert.equal(document.info["x-product-version"], version);
  });

  it("lists 201 of webhook creation, without a body, beside 200 with one", () => {
    const { responses } = document.paths["/api/{tenantId}/webhooks"].post;
    assert.equal(responses["201"].description, "Webhook created");
    assert.equal(responses["201"].content, undefined);
    assert.ok("application/json" in responses["200"].content);
  });

  it("says that what is ignored in the body of a webhook may be anything", () => {
    const { schema } =
      document.paths["/api/{tenantId}/webhooks"].post.requestBody.content["application/json"];
    assert.deepEqual(schema, { $ref: "#/components/schemas/WebHookBody" });
    const body = { events: ["pass.*"], endpoint: "https://hooks.example/" };
    for (const ignored of [5, null, "", [], {}, "k7Qz2"]) {
      const sent = { ...body, id: ignored, signatureSecret: ignored };
      assert.equal(errorsOf(schema, sent), undefined);
    }
    assert.notEqual(errorsOf(schema, { ...body, colour: "red" }), undefined);
  });

  it("describes the first five filters and orders of every list", () => {
    const lists = allRoutes().filter(({ list }) => list !== undefined);
    assert.ok(lists.length > 10);
    for (const { op, url } of lists) {
      const { parameters } = document.paths[url.replaceAll(/:(\w+)/g, "{$1}")].get;
      const names = new Set(parameters.map((parameter: Json) => resolve(parameter).name));
      for (const at of [0, 1, 2, 3, 4]) {
        for (const part of ["field", "operator", "value"]) {
          assert.ok(names.has(`filter[${at}].${part}`), `${op} ${at} ${part}`);
        }
        for (const part of ["field", "direction"]) {
          assert.ok(names.has(`sortBy[${at}].${part}`), `${op} ${at} ${part}`);
        }
      }
    }
  });

  it("has no default for a member of a body: generators would take it for one that must be sent", () => {
    const membersOf = (schema: Json): Json[] => {
      const members = Object.values((schema.properties ?? {}) as Json).map(resolve);
      return [...members, ...members.flatMap(membersOf)];
    };
    for (const { key, operation } of operations()) {
      const body = resolve(operation.requestBody)?.content?.["application/json"]?.schema;
      for (const member of membersOf(resolve(body) ?? {})) assert.ok(!("default" in member), key);
    }
  });

  it("has short names for what is shared, and is not large", () => {
    for (const [section, entries] of Object.entries<Json>(document.components)) {
      for (const name of Object.keys(entries)) {
        assert.ok(name.length <= NAME_LENGTH_MAX, `${section}: ${name}`);
      }
    }
    const each = JSON.stringify(document).length / operations().length;
    assert.ok(each < OPERATION_LENGTH_MAX, `${each} characters for each operation`);
  });

  it("keeps the published shapes of errors", () => {
    const { ProblemDetails, HttpValidationProblemDetails } = document.components.schemas;
    const members = ["type", "title", "status", "detail", "instance"];
    assert.deepEqual(Object.keys(ProblemDetails.properties), members);
    assert.deepEqual(Object.keys(HttpValidationProblemDetails.properties), [...members, "errors"]);
    for (const { properties, additionalProperties } of [
      ProblemDetails,
      HttpValidationProblemDetails,
    ]) {
      assert.equal(additionalProperties, true);
      for (const name of members) assert.ok(properties[name].type.includes("null"), name);
    }
  });
});

describe("GET /openapi.json (openapi.read)", () => {
  it("200: serves the committed document under the public address, without a key", async (t) => {
    const api = await startApi(t, { env: { BASE_URL: "https://wallet.example" } });
    const { status, headers, body, text } = await api.get("/openapi.json");

    assert.equal(status, 200);
    assert.match(headers.get("content-type") ?? "", /^application\/json/);
    assert.deepEqual(body.servers, [{ url: "https://wallet.example" }]);
    const { implicit } = body.components.securitySchemes.oauth2.flows;
    assert.equal(
      implicit.authorizationUrl,
      "https://wallet.example/authorize?audience=https://wallet.example/api/",
    );
    const { valid } = await new Validator().validate(JSON.parse(text));
    assert.equal(valid, true);
    assert.deepEqual(body.paths, document.paths);
    assert.deepEqual(body.webhooks, document.webhooks);
  });

  it("304: is not sent again to one who has it", async (t) => {
    const api = await startApi(t);
    const { headers } = await api.get("/openapi.json");
    const again = await api.get("/openapi.json", {
      headers: { "if-none-match": headers.get("etag") ?? "" },
    });
    assert.equal(again.status, 304);
    assert.equal(again.text, "");
  });
});
