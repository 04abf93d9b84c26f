import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
await api.seed.tenant("acme");
await api.seed.tenant("rival");
const writer = await api.seed.key("acme", "Secret.Read", "Secret.Write");
const reader = await api.seed.key("acme", "Secret.Read");
const stranger = await api.seed.key("acme", "Pass.Read");
const rival = await api.seed.key("rival", "Secret.Read", "Secret.Write");

const SECRETS = "/api/acme/secrets";

async function store(key: string, value = "open sesame") {
  const res = await api.put(`${SECRETS}/${key}`, { key: writer, body: { value } });
  assert.ok(res.status === 201 || res.status === 204, res.text);
  return { path: `${SECRETS}/${key}`, etag: res.headers.get("etag") ?? "", status: res.status };
}

const auditOf = (target: string) =>
  api.sql("select op, actor_id, before, after from audit where target = $1 order by id", [target]);

describe("GET /api/:tenantId/secrets (secret.list)", () => {
  it("200: keys and times in order, never a value", async () => {
    await store("listed-b", "hidden-b");
    await store("listed-a", "hidden-a");
    const filter = "filter[0].field=key&filter[0].operator=startsWith&filter[0].value=listed-";
    const res = await api.get(`${SECRETS}?${filter}`, { key: reader });
    assert.equal(res.status, 200);
    assert.equal(res.headers.get("x-pagination-total"), "2");
    assert.deepEqual(
      res.body.map((entry: { key: string }) => entry.key),
      ["listed-a", "listed-b"],
    );
    assert.deepEqual(Object.keys(res.body[0]), ["key", "updatedAt"]);
    assert.doesNotMatch(res.text, /hidden/);
  });

  it("200: pages by cursor, the latest first when asked", async () => {
    await store("paged-1");
    await store("paged-2");
    const query =
      "filter[0].field=key&filter[0].operator=startsWith&filter[0].value=paged-&pageSize=1&sortBy[0].field=updatedAt&sortBy[0].direction=DESC";
    const first = await api.get(`${SECRETS}?${query}`, { key: reader });
    assert.equal(first.body[0].key, "paged-2");
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    const second = await api.get(next, { key: reader });
    assert.equal(second.body[0].key, "paged-1");
  });

  it("400: values cannot be searched", async () => {
    const query = "filter[0].field=value&filter[0].operator=contains&filter[0].value=x";
    assert.equal((await api.get(`${SECRETS}?${query}`, { key: reader })).status, 400);
  });

  it("200: nothing of another tenant", async () => {
    await store("mine-alone");
    const res = await api.get("/api/rival/secrets", { key: rival });
    assert.deepEqual(res.body, []);
  });

  it("401, 403: without a key, without the scope, with a key of another tenant", async () => {
    assert.equal((await api.get(SECRETS)).status, 401);
    assert.equal((await api.get(SECRETS, { key: stranger })).status, 403);
    assert.ok([401, 403].includes((await api.get(SECRETS, { key: rival })).status));
  });
});

describe("GET /api/:tenantId/secrets/:key (secret.get)", () => {
  it("200: the value, for nobody on the way to keep", async () => {
    const { path, etag } = await store("got", "schlüssel ✓\u0001\n");
    const res = await api.get(path, { key: reader });
    assert.equal(res.status, 200);
    assert.equal(res.headers.get("cache-control"), "no-store");
    assert.equal(res.headers.get("etag"), etag);
    assert.equal(res.body.key, "got");
    assert.equal(res.body.value, "schlüssel ✓\u0001\n");
    assert.ok(Date.parse(res.body.updatedAt) <= Date.now());
  });

  it("304: with the ETag of the value the caller has", async () => {
    const { path, etag } = await store("known");
    const res = await api.get(path, { key: reader, headers: { "if-none-match": etag } });
    assert.equal(res.status, 304);
    assert.equal(res.text, "");
  });

  it("200: each reading leaves an audit row without the value or its length", async () => {
    const { path } = await store("watched", "eyes only");
    await api.get(path, { key: reader });
    const rows = await auditOf("secret:watched");
    assert.deepEqual(
      rows.map(({ op }) => op),
      ["secret.put", "secret.get"],
    );
    assert.ok(rows.every(({ before, after }) => before === null && after === null));
  });

  it("404: no such secret, and one of another tenant looks the same", async () => {
    await store("only-acme");
    const none = await api.get("/api/rival/secrets/only-acme", { key: rival });
    assert.equal(none.status, 404);
    assert.equal(none.body.code, "secret.not-found");
    assert.equal((await api.get(`${SECRETS}/none`, { key: reader })).status, 404);
  });

  it("401, 403: without a key, without the scope, with a key of another tenant", async () => {
    const { path } = await store("guarded");
    assert.equal((await api.get(path)).status, 401);
    assert.equal((await api.get(path, { key: stranger })).status, 403);
    assert.ok([401, 403].includes((await api.get(path, { key: rival })).status));
  });
});

describe("PUT /api/:tenantId/secrets/:key (secret.put)", () => {
  it("201: with the address of the new secret; 204 without one", async () => {
    const path = `${SECRETS}/located.A_1-b`;
    const put = (value: string) => api.put(path, { key: writer, body: { value } });
    const made = await put("first");
    assert.deepEqual([made.status, made.headers.get("location")], [201, path]);
    const read = await api.get(made.headers.get("location") ?? "", { key: reader });
    assert.equal(read.body.value, "first");
    const replaced = await put("second");
    assert.deepEqual([replaced.status, replaced.headers.get("location")], [204, null]);
  });

  it("201, 204: new, then replaced, each with an ETag of its own", async () => {
    const first = await store("fresh", "one");
    const second = await store("fresh", "two");
    assert.deepEqual([first.status, second.status], [201, 204]);
    assert.notEqual(first.etag, second.etag);
    const res = await api.get(first.path, { key: reader });
    assert.equal(res.body.value, "two");
    assert.equal(res.headers.get("etag"), second.etag);
  });

  it("412: If-Match names another version, or a secret that is not there", async () => {
    const { path, etag } = await store("matched", "one");
    const put = (at: string, tag: string, value: string) =>
      api.put(at, { key: writer, body: { value }, headers: { "if-match": tag } });
    assert.equal((await put(path, etag, "two")).status, 204);
    assert.equal((await put(path, etag, "three")).status, 412);
    assert.equal((await put(path, "*", "four")).status, 204);
    assert.equal((await put(`${SECRETS}/unmatched`, "*", "five")).status, 412);
    assert.equal((await put(`${SECRETS}/unmatched`, etag, "five")).status, 412);
    assert.equal((await api.get(path, { key: reader })).body.value, "four");
  });

  it("412: the ETag of a deleted secret does not fit its successor", async () => {
    const { path, etag } = await store("reborn");
    await api.delete(path, { key: writer });
    await store("reborn");
    const res = await api.delete(path, { key: writer, headers: { "if-match": etag } });
    assert.equal(res.status, 412);
  });

  it("201: up to 64 KiB in UTF-8, however it is escaped; 400 above that and for nothing", async () => {
    const fits = ["x".repeat(65_536), "€".repeat(21_845), "\u0001".repeat(65_536)];
    for (const value of fits) {
      await store("sized", value);
      assert.equal((await api.get(`${SECRETS}/sized`, { key: reader })).body.value, value);
    }
    const body = (value: unknown) => ({ key: writer, body: { value } });
    for (const value of ["x".repeat(65_537), "€".repeat(21_846), "", 7, null, "half \ud800"]) {
      const res = await api.put(`${SECRETS}/sized`, body(value));
      assert.equal(res.status, 400, res.text);
      assert.ok(res.text.length < 2_000);
    }
  });

  it("400: a key that does not fit, an unknown member, no value", async () => {
    for (const key of [".hidden", "a%20b", "a%2Fb", "-x", "x".repeat(129), "%C3%A9"]) {
      const res = await api.put(`${SECRETS}/${key}`, { key: writer, body: { value: "v" } });
      assert.equal(res.status, 400, key);
    }
    assert.equal((await store("x".repeat(128))).status, 201);
    for (const body of [{}, { value: "v", note: "n" }, [], "v"]) {
      const res = await api.put(`${SECRETS}/shaped`, { key: writer, body });
      assert.equal(res.status, 400);
    }
  });

  it("400: a refusal never repeats what was sent", async () => {
    const sent = ['{"value":"grape-nut-77', '{"value":"grape-nut-77","value":"grape-nut-77"}'];
    for (const rawBody of [...sent, '{"grape":"grape-nut-77"}', '{"value":["grape-nut-77"]}']) {
      const headers = { "content-type": "application/json" };
      const res = await api.put(`${SECRETS}/refused`, { key: writer, rawBody, headers });
      assert.equal(res.status, 400, res.text);
      assert.doesNotMatch(res.text, /grape-nut-77/);
    }
    assert.ok(api.logLines.every((line) => !line.includes("grape-nut-77")));
  });

  it("201, 204: of many that store a new key at once one creates it, none fails", async () => {
    const tries = Array.from({ length: 8 }, (_none, index) =>
      api.put(`${SECRETS}/raced`, { key: writer, body: { value: `v${index}` } }),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, 204, 204, 204, 204, 204, 204, 204]);
    assert.match((await api.get(`${SECRETS}/raced`, { key: reader })).body.value, /^v\d$/);
  });

  it("401, 403: without a key, with the scope to read alone, with a key of another tenant", async () => {
    const body = { value: "v" };
    assert.equal((await api.put(`${SECRETS}/denied`, { body })).status, 401);
    assert.equal((await api.put(`${SECRETS}/denied`, { key: reader, body })).status, 403);
    const foreign = await api.put(`${SECRETS}/denied`, { key: rival, body });
    assert.ok([401, 403].includes(foreign.status));
    assert.equal((await api.get(`${SECRETS}/denied`, { key: reader })).status, 404);
  });

  it("404: no such tenant", async () => {
    const res = await api.put("/api/nowhere/secrets/x", {
      key: api.operatorKey,
      body: { value: "v" },
    });
    assert.equal(res.status, 404);
  });
});

describe("DELETE /api/:tenantId/secrets/:key (secret.delete)", () => {
  it("204: gone, and 404 from then on", async () => {
    const { path, etag } = await store("gone");
    const res = await api.delete(path, { key: writer, headers: { "if-match": etag } });
    assert.equal(res.status, 204);
    assert.equal((await api.get(path, { key: reader })).status, 404);
    assert.equal((await api.delete(path, { key: writer })).status, 404);
    assert.deepEqual(
      (await auditOf("secret:gone")).map(({ op }) => op),
      ["secret.put", "secret.delete"],
    );
  });

  it("401, 403, 404: without a key, to read alone, of another tenant", async () => {
    const { path } = await store("kept");
    assert.equal((await api.delete(path)).status, 401);
    assert.equal((await api.delete(path, { key: reader })).status, 403);
    assert.ok([401, 403].includes((await api.delete(path, { key: rival })).status));
    assert.equal((await api.delete("/api/rival/secrets/kept", { key: rival })).status, 404);
    assert.equal((await api.get(path, { key: reader })).status, 200);
  });
});
