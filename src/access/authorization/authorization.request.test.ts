import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toOpenIdRequest } from "./authorization.request.ts";

const API = "https://passes.example.com/api/";

function queryOf(query: string): URLSearchParams {
  return new URLSearchParams(toOpenIdRequest(`/authorize?${query}`, API).split("?")[1]);
}

describe("toOpenIdRequest", () => {
  it("turns audience into resource, with or without the final slash", () => {
    for (const audience of [API, API.slice(0, -1)]) {
      const query = queryOf(`audience=${encodeURIComponent(audience)}&client_id=c`);
      assert.deepEqual(query.getAll("resource"), [API]);
      assert.equal(query.has("audience"), false);
    }
    assert.equal(
      queryOf("audience=https://other.example").get("resource"),
      "https://other.example",
    );
    assert.equal(queryOf("audience=x&resource=y").get("resource"), "y");
  });

  it("answers a bare token as id_token token, with what that needs", () => {
    const query = queryOf("response_type=token&scope=tenant.pass:read");
    assert.equal(query.get("response_type"), "id_token token");
    assert.equal(query.get("scope"), "tenant.pass:read openid");
    assert.match(query.get("nonce") ?? "", /^[\w-]{22}$/);
    assert.equal(queryOf("response_type=token&nonce=n").get("nonce"), "n");
  });

  it("leaves other requests as they are", () => {
    const query = queryOf("response_type=code&scope=openid&state=%20a%26b");
    assert.equal(query.get("response_type"), "code");
    assert.equal(query.get("scope"), "openid");
    assert.equal(query.get("state"), " a&b");
    assert.equal(query.has("nonce"), false);
    assert.equal(toOpenIdRequest("/authorize", API), "/authorize");
    assert.deepEqual(queryOf("scope=a&scope=b").getAll("scope"), ["a", "b"]);
  });
});
