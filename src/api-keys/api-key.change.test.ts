import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { KEYS, seedKeyHolders } from "#test/support/api-keys.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
const { admin, writer, reader, rival, makeKey } = await seedKeyHolders(api);

const at = (name: string) => `${KEYS}/${encodeURIComponent(name)}`;

describe("PUT /api/:tenantId/admin/apiKeys/:keyName (api-key.update)", () => {
  it("200: changes name, scopes and expiry while the token goes on working", async () => {
    const { name, token, etag } = await makeKey({ scopes: ["Pass.Read"] });
    assert.equal((await api.get(KEYS, { key: token })).status, 403);
    const body = {
      name: "renamed",
      scopes: ["ApiKey.Read", "Pass.Read"],
      expiresAt: "2099-01-01T00:00:00Z",
    };
    const res = await api.put(at(name), { key: writer, body, headers: { "if-match": etag } });
    assert.equal(res.status, 200, res.text);
    assert.equal(res.body.name, "renamed");
    assert.deepEqual(res.body.scopes, ["Pass.Read", "ApiKey.Read"]);
    assert.equal(res.body.expiresAt, "2099-01-01T00:00:00.000Z");
    assert.notEqual(res.headers.get("etag"), etag);
    // The node that made the change accepts the new scope at once.
    assert.equal((await api.get(at("renamed"), { key: token })).status, 200);
    assert.equal((await api.get(at(name), { key: reader })).status, 404);
  });

  it("200: members left out stay, and null takes the expiry away", async () => {
    const { name } = await makeKey({ expiresAt: "2099-01-01T00:00:00Z" });
    const scoped = await api.put(at(name), { key: writer, body: { scopes: ["ApiKey.Read"] } });
    assert.equal(scoped.body.expiresAt, "2099-01-01T00:00:00.000Z");
    assert.equal(scoped.body.name, name);
    const eternal = await api.put(at(name), { key: writer, body: { expiresAt: null } });
    assert.equal(eternal.body.expiresAt, null);
    assert.deepEqual(eternal.body.scopes, ["ApiKey.Read"]);
  });

  it("200: an update that changes nothing makes no version, no event and no audit row", async () => {
    const { name, etag } = await makeKey();
    const res = await api.put(at(name), { key: writer, body: { name, scopes: ["Pass.Read"] } });
    assert.equal(res.status, 200);
    assert.equal(res.headers.get("etag"), etag);
    const rows = await api.sql("select op from audit where target = $1", [`api-key:${name}`]);
    assert.deepEqual(rows, [{ op: "api-key.create" }]);
  });

  it("400: by field, and for a body without any member", async () => {
    const { name } = await makeKey();
    for (const [body, field] of [
      [{ scopes: ["Nope.Read"] }, "scopes[0]"],
      [{ scopes: [] }, "scopes"],
      [{ name: "a/b" }, "name"],
      [{ expiresAt: "2020-01-01T00:00:00Z" }, "expiresAt"],
      [{ prefix: "bf_live_" }, "prefix"],
      [{}, "$"],
    ] as const) {
      const res = await api.put(at(name), { key: admin, body });
      assert.equal(res.status, 400, res.text);
      assert.deepEqual(Object.keys(res.body.errors), [field]);
    }
  });

  it("401 and 403: without a key, of another tenant, without the scope", async () => {
    const { name } = await makeKey();
    const body = { scopes: ["Pass.Read"] };
    assert.equal((await api.put(at(name), { body })).status, 401);
    assert.equal((await api.put(at(name), { key: rival, body })).status, 401);
    assert.equal((await api.put(at(name), { key: reader, body })).status, 403);
  });

  it("403: a key cannot give itself a scope", async () => {
    const { name, token } = await makeKey({ scopes: ["ApiKey.Write"] });
    const body = { scopes: ["ApiKey.Write", "Secret.Read"] };
    const res = await api.put(at(name), { key: token, body });
    assert.equal(res.status, 403);
    assert.deepEqual(res.body.missingScopes, ["Secret.Read"]);
  });

  it("403: a key can neither prolong nor rename one that holds more than itself", async () => {
    const { name } = await makeKey({ scopes: ["Secret.Read"], expiresAt: "2099-01-01T00:00:00Z" });
    for (const body of [{ expiresAt: null }, { name: "mine-now" }]) {
      const res = await api.put(at(name), { key: writer, body });
      assert.equal(res.status, 403);
      assert.deepEqual(res.body.missingScopes, ["Secret.Read"]);
    }
    const reduced = await api.put(at(name), { key: writer, body: { scopes: ["Pass.Read"] } });
    assert.equal(reduced.status, 200, "taking rights away is no escalation");
  });

  it("404: a key that is not there, or another tenant's", async () => {
    await api.post("/api/rival/admin/apiKeys", {
      key: admin,
      body: { name: "rivals-own", scopes: ["Pass.Read"] },
    });
    for (const name of ["nobody", "rivals-own"]) {
      const res = await api.put(at(name), { key: writer, body: { expiresAt: null } });
      assert.equal(res.status, 404);
    }
  });

  it("409: a name that is taken", async () => {
    const [one, two] = [await makeKey(), await makeKey()];
    const res = await api.put(at(one.name), { key: writer, body: { name: two.name } });
    assert.equal(res.status, 409);
    assert.equal(res.body.code, "api-key.name-taken");
  });

  it("412: of two changes to one version only the first is made", async () => {
    const { name, etag } = await makeKey();
    const headers = { "if-match": etag };
    const first = await api.put(at(name), {
      key: writer,
      headers,
      body: { scopes: ["ApiKey.Read"] },
    });
    assert.equal(first.status, 200);
    const second = await api.put(at(name), {
      key: writer,
      headers,
      body: { scopes: ["ApiKey.Write"] },
    });
    assert.equal(second.status, 412);
    const read = await api.get(at(name), { key: reader });
    assert.deepEqual(read.body.scopes, ["ApiKey.Read"]);
  });

  it("412: the version of a deleted key of the same name", async () => {
    const { name, etag } = await makeKey();
    assert.equal((await api.delete(at(name), { key: writer })).status, 204);
    await makeKey({ name });
    const headers = { "if-match": etag };
    const res = await api.put(at(name), { key: writer, headers, body: { expiresAt: null } });
    assert.equal(res.status, 412);
  });
});

describe("DELETE /api/:tenantId/admin/apiKeys/:keyName (api-key.delete)", () => {
  it("204: the key is gone, and refused in the very next request", async () => {
    const { name, token } = await makeKey({ scopes: ["ApiKey.Read"] });
    assert.equal((await api.get(KEYS, { key: token })).status, 200);
    const res = await api.delete(at(name), { key: writer });
    assert.equal(res.status, 204);
    assert.equal(res.text, "");
    assert.equal((await api.get(KEYS, { key: token })).status, 401);
    assert.equal((await api.get(at(name), { key: reader })).status, 404);
  });

  it("204: a key may delete itself", async () => {
    const { name, token } = await makeKey({ scopes: ["ApiKey.Write"] });
    assert.equal((await api.delete(at(name), { key: token })).status, 204);
    assert.equal((await api.delete(at(name), { key: token })).status, 401);
  });

  it("401 and 403: without a key, of another tenant, without the scope", async () => {
    const { name } = await makeKey();
    assert.equal((await api.delete(at(name))).status, 401);
    assert.equal((await api.delete(at(name), { key: rival })).status, 401);
    assert.equal((await api.delete(at(name), { key: reader })).status, 403);
  });

  it("404: a key that is not there, the second time, or another tenant's", async () => {
    const { name } = await makeKey();
    assert.equal((await api.delete(at(name), { key: writer })).status, 204);
    assert.equal((await api.delete(at(name), { key: writer })).status, 404);
    await api.post("/api/rival/admin/apiKeys", {
      key: admin,
      body: { name: "keep-off", scopes: ["Pass.Read"] },
    });
    assert.equal((await api.delete(at("keep-off"), { key: writer })).status, 404);
    const theirs = await api.get("/api/rival/admin/apiKeys/keep-off", { key: admin });
    assert.equal(theirs.status, 200);
  });

  it("412: a version that is past", async () => {
    const { name, etag } = await makeKey();
    await api.put(at(name), { key: admin, body: { scopes: ["Audit.Read"] } });
    const res = await api.delete(at(name), { key: writer, headers: { "if-match": etag } });
    assert.equal(res.status, 412);
  });
});
