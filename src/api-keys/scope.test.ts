import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fromBearerScope, inCatalogueOrder, SCOPE_NAMES, SCOPES, toBearerScope } from "./scope.ts";

describe("scopes", () => {
  it("have one name for keys and one for bearer tokens, each naming the other", () => {
    for (const { name, bearer } of SCOPES) {
      assert.equal(toBearerScope(name), bearer);
      assert.equal(fromBearerScope(bearer), name);
    }
    assert.equal(new Set(SCOPES.map(({ bearer }) => bearer)).size, SCOPES.length);
    assert.equal(new Set(SCOPE_NAMES).size, SCOPES.length);
  });

  it("keep the published shapes and explain themselves in one sentence", () => {
    for (const { name, bearer, meaning } of SCOPES) {
      assert.match(name, /^[A-Z][A-Za-z]+\.[A-Z][a-z]+$/);
      assert.match(bearer, /^tenant\.[a-z]+:[a-z]+$/);
      assert.match(meaning, /^[A-Z][^.]+\.$/);
    }
  });

  it("do not know what is not in the catalogue, inherited members included", () => {
    for (const text of ["", "pass.read", "Pass.read", "constructor", "__proto__", "tenant.pass"]) {
      assert.equal(toBearerScope(text), undefined);
      assert.equal(fromBearerScope(text), undefined);
    }
  });

  it("come in the order of the catalogue, without doubles and strangers", () => {
    const sent = ["Audit.Read", "Pass.Read", "No.Scope", "Audit.Read"];
    assert.deepEqual(inCatalogueOrder(sent), ["Pass.Read", "Audit.Read"]);
  });
});
