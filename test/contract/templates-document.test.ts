import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { TSchema } from "typebox";
import Value from "typebox/value";
import { asJsonSchema, type JsonObject } from "#kernel/http/openapi/json-schema.ts";
import { PASS_FILES } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";
import {
  FILE_KINDS,
  type Key,
  keysOf,
  templatesDocument,
} from "../../scripts/templates-document.ts";
import { ROOT } from "../support/sources.ts";

/** All keys of a file, including the keys of its named parts. */
function allKeys(schema: TSchema): Key[] {
  const named = new Map<string, JsonObject>();
  const own = keysOf(asJsonSchema(schema), named);
  const within = [...named].flatMap(([name, part]) =>
    keysOf(part, named).map((key) => ({ ...key, path: `${name}.${key.path}` })),
  );
  return [...own, ...within];
}

describe("docs/templates.md", () => {
  it("is what the schemas give: run `npm run generate` after a change", () => {
    const stored = readFileSync(join(ROOT, "docs/templates.md"), "utf8");
    assert.equal(stored, templatesDocument());
  });

  for (const { path, schema } of FILE_KINDS) {
    if (schema === undefined) continue;
    it(`says of every key of ${path} what it means, with an example that fits`, () => {
      const keys = allKeys(schema);
      assert.ok(keys.length > 0);
      for (const { path: key, schema: property } of keys) {
        assert.match(String(property.description), /^[A-Z`].*\.$/, `${key} has no description`);
        assert.ok(Array.isArray(property.examples), `${key} has no example`);
        // A schema with a reference cannot be checked alone. It is checked with its file.
        if (JSON.stringify(property).includes('"$ref"')) continue;
        for (const value of [...property.examples, property.default]) {
          if (value === undefined) continue;
          assert.ok(Value.Check(property as TSchema, value), `${key}: ${JSON.stringify(value)}`);
        }
      }
    });
  }

  it("is linked from the README", () => {
    assert.match(readFileSync(join(ROOT, "README.md"), "utf8"), /\(docs\/templates\.md\)/);
  });
});

describe("the files that docs/templates.md shows", () => {
  const api = shareApi();

  /** These files name secrets, and the examples of a document have none. */
  const NEED_SECRETS = new Set(["server/apple.yml", "server/google.yml"]);

  it("201: are together a configuration without errors, by which a pass is made", async () => {
    const { put, post, operatorKey: key } = api();
    const examples = FILE_KINDS.filter(({ path }) => !NEED_SECRETS.has(path)).map(
      ({ path, example }) => [
        path
          .replace("<passType>", "loyalty")
          .replace("<language>", "fr")
          .replace("<connector>", "cdp"),
        example,
      ],
    );
    const files = {
      "images/icon.png": PASS_FILES["images/icon.png"],
      ...Object.fromEntries(examples),
    };
    const published = await put("/api/tenants/shown", { key, body: { files } });
    assert.equal(published.status, 201, published.text);
    const body = { additionalData: { firstName: "Camille" } };
    const pass = await post("/api/shown/passes?passType=loyalty", { key, body });
    assert.equal(pass.status, 201, pass.text);
  });
});
