import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { KEYS, seedKeyHolders } from "#test/support/api-keys.ts";
import { startApi } from "#test/support/start-api.ts";
import { TOKEN_PATTERN } from "./api-key.token.ts";

const api = await startApi({ after });
const { admin, writer, reader, rival, makeKey } = await seedKeyHolders(api);
const stranger = await api.seed.key("acme", "Webhook.Read");

const at = (name: string) => `${KEYS}/${encodeURIComponent(name)}`;

describe("GET /api/:tenantId/admin/apiKeys (api-key.list)", () => {
  it("200: lists the keys of this tenant by name, with the total and without any token", async () => {
    const { name } = await makeKey({ scopes: ["Webhook.Read", "Pass.Read"] });
    const res = await api.get(`${KEYS}?pageSize=500`, { key: reader });
    assert.equal(res.status, 200);
    assert.equal(res.headers.get("x-pagination-total"), String(res.body.length));
    const names = res.body.map((key: { name: string }) => key.name);
    assert.deepEqual(names, [...names].sort());
    const key = res.body.find((entry: { name: string }) => entry.name === name);
    assert.deepEqual(key.scopes, ["Pass.Read", "Webhook.Read"]);
    assert.equal(key.createdBy, "operator");
    assert.match(key.prefix, /^bf_test_[0-9A-Za-z]{4}$/);
    assert.deepEqual(Object.keys(key).sort(), [
      "createdAt",
      "createdBy",
      "expiresAt",
      "lastUsedAt",
      "name",
      "prefix",
      "scopes",
    ]);
    assert.doesNotMatch(res.text, TOKEN_PATTERN);
  });

  it("200: pages, filters and sorts", async () => {
    await makeKey({ name: "paged-1" });
    await makeKey({ name: "paged-2", expiresAt: "2099-01-01T00:00:00Z" });
    const filter =
      "filter[0].field=name&filter[0].operator=startsWith&filter[0].value=paged-&pageSize=1";
    const sort = "sortBy[0].field=createdAt&sortBy[0].direction=DESC";
    const first = await api.get(`${KEYS}?${filter}&${sort}`, { key: reader });
    assert.equal(first.body[0].name, "paged-2");
    assert.equal(first.headers.get("x-pagination-total"), "2");
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    const second = await api.get(next, { key: reader });
    assert.deepEqual(
      second.body.map((key: { name: string }) => key.name),
      ["paged-1"],
    );

    const expiring = "filter[0].field=expiresAt&filter[0].operator=exists&filter[0].value=true";
    const found = await api.get(`${KEYS}?${expiring}`, { key: reader });
    assert.deepEqual(
      found.body.map((key: { name: string }) => key.name),
      ["paged-2"],
    );
  });

  it("400: an unknown field, named", async () => {
    const query = "filter[0].field=hash&filter[0].operator=equals&filter[0].value=x";
    const res = await api.get(`${KEYS}?${query}`, { key: reader });
    assert.equal(res.status, 400);
    assert.deepEqual(Object.keys(res.body.errors), ["filter[0].field"]);
  });

  it("401: without a key, and with a key of another tenant", async () => {
    assert.equal((await api.get(KEYS)).status, 401);
    assert.equal((await api.get(KEYS, { key: rival })).status, 401);
  });

  it("403: without the scope, which is named", async () => {
    const res = await api.get(KEYS, { key: stranger });
    assert.equal(res.status, 403);
    assert.equal(res.body.requiredScope, "ApiKey.Read");
  });

  it("404: an unknown tenant, for the operator", async () => {
    const res = await api.get("/api/nobody/admin/apiKeys", { key: admin });
    assert.equal(res.status, 404);
  });
});

describe("POST /api/:tenantId/admin/apiKeys (api-key.create)", () => {
  it("201: answers the record, its address and the token, which works at once", async () => {
    const body = { name: "Till 7", scopes: ["Pass.Read"], expiresAt: "2099-12-31T23:59:59+01:00" };
    const res = await api.post(KEYS, { key: writer, body });
    assert.equal(res.status, 201);
    assert.equal(res.headers.get("location"), at("Till 7"));
    assert.equal(res.headers.get("cache-control"), "no-store");
    assert.equal(res.body.expiresAt, "2099-12-31T22:59:59.000Z");
    assert.equal(res.body.lastUsedAt, null);
    assert.match(res.body.token, /^bf_test_[0-9A-Za-z]{49}$/);
    assert.ok(res.body.token.startsWith(res.body.prefix));

    const read = await api.get(at("Till 7"), { key: reader });
    assert.equal(read.headers.get("etag"), res.headers.get("etag"));
    // 403 and not 401: the token is valid, and only the scope is missing.
    assert.equal((await api.get(KEYS, { key: res.body.token })).status, 403);
  });

  it("201: the same Idempotency-Key gives the same token again and makes no second key", async () => {
    const body = { name: "twice", scopes: ["Pass.Read"] };
    const headers = { "idempotency-key": "make-it-once" };
    const [first, second] = [
      await api.post(KEYS, { key: writer, body, headers }),
      await api.post(KEYS, { key: writer, body, headers }),
    ];
    assert.equal(first.status, 201);
    assert.equal(second.status, 201);
    assert.equal(second.headers.get("idempotency-replayed"), "true");
    assert.equal(second.headers.get("location"), first.headers.get("location"));
    assert.deepEqual(second.body, first.body);
  });

  const refusals: [string, unknown, string][] = [
    ["a missing name", { scopes: ["Pass.Read"] }, "name"],
    ["an empty name", { name: "", scopes: ["Pass.Read"] }, "name"],
    ["a name of 65 characters", { name: "x".repeat(65), scopes: ["Pass.Read"] }, "name"],
    ["a name with a slash", { name: "a/b", scopes: ["Pass.Read"] }, "name"],
    ["a name that no address can hold", { name: "..", scopes: ["Pass.Read"] }, "name"],
    ["a name with a space at its end", { name: "till ", scopes: ["Pass.Read"] }, "name"],
    ["a name with a line end", { name: "till\n", scopes: ["Pass.Read"] }, "name"],
    ["missing scopes", { name: "bad" }, "scopes"],
    ["no scope at all", { name: "bad", scopes: [] }, "scopes"],
    ["a scope twice", { name: "bad", scopes: ["Pass.Read", "Pass.Read"] }, "scopes"],
    ["an unknown scope", { name: "bad", scopes: ["Pass.Read", "Pass.Fly"] }, "scopes[1]"],
    ["a bearer scope", { name: "bad", scopes: ["tenant.pass:read"] }, "scopes[0]"],
    ["an expiry in the past", { expiresAt: "2020-01-01T00:00:00Z" }, "expiresAt"],
    ["an expiry that is no time", { expiresAt: "tomorrow" }, "expiresAt"],
    ["an expiry on a day that does not exist", { expiresAt: "2099-02-30T00:00:00Z" }, "expiresAt"],
    [
      "an expiry in a second that does not exist",
      { expiresAt: "2099-06-30T23:59:60Z" },
      "expiresAt",
    ],
    ["an expiry without offset", { expiresAt: "2099-06-30T23:59:00" }, "expiresAt"],
    ["an unknown property", { name: "bad", scopes: ["Pass.Read"], token: "mine" }, "token"],
  ];
  for (const [what, body, field] of refusals) {
    it(`400: ${what}`, async () => {
      const whole = field === "expiresAt" ? { name: "bad", scopes: ["Pass.Read"] } : {};
      const res = await api.post(KEYS, { key: admin, body: { ...whole, ...(body as object) } });
      assert.equal(res.status, 400, res.text);
      assert.deepEqual(Object.keys(res.body.errors), [field]);
    });
  }

  it("401: without a key", async () => {
    assert.equal((await api.post(KEYS, { body: {} })).status, 401);
  });

  it("401: with a key of another tenant", async () => {
    assert.equal((await api.post(KEYS, { key: rival, body: {} })).status, 401);
  });

  it("403: without the scope, before the body is looked at", async () => {
    const res = await api.post(KEYS, { key: reader, rawBody: "{" });
    assert.equal(res.status, 403);
    assert.equal(res.body.requiredScope, "ApiKey.Write");
  });

  it("403: a key cannot grant what it does not hold, and nothing is made", async () => {
    const body = { name: "too-much", scopes: ["Pass.Read", "Secret.Read", "Audit.Read"] };
    const res = await api.post(KEYS, { key: writer, body });
    assert.equal(res.status, 403);
    assert.equal(res.body.code, "api-key.scope-not-held");
    assert.deepEqual(res.body.missingScopes, ["Secret.Read", "Audit.Read"]);
    assert.equal((await api.get(at("too-much"), { key: reader })).status, 404);
  });

  it("409: a name that is taken, in one tenant only", async () => {
    const { name } = await makeKey();
    const body = { name, scopes: ["Pass.Read"] };
    const res = await api.post(KEYS, { key: writer, body });
    assert.equal(res.status, 409);
    assert.equal(res.body.code, "api-key.name-taken");
    const elsewhere = await api.post("/api/rival/admin/apiKeys", { key: admin, body });
    assert.equal(elsewhere.status, 201);
  });

  it("409: of twenty creations of one name at once, all but one", async () => {
    const body = { name: "wanted-by-many", scopes: ["Pass.Read"] };
    const all = await Promise.all(
      Array.from({ length: 20 }, () => api.post(KEYS, { key: writer, body })),
    );
    const statuses = all.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, ...Array<number>(19).fill(409)]);
  });
});

describe("GET /api/:tenantId/admin/apiKeys/:keyName (api-key.get)", () => {
  it("200: the record with its ETag, never the token", async () => {
    const { name, etag } = await makeKey();
    const res = await api.get(at(name), { key: reader });
    assert.equal(res.status, 200);
    assert.equal(res.body.name, name);
    assert.equal(res.body.token, undefined);
    assert.equal(res.headers.get("etag"), etag);
  });

  it("200: never 304, because its last use is no new version; the ETag guards a change", async (t) => {
    const { name, token, etag } = await makeKey();
    const node = await api.node({}, { owner: t });
    assert.equal((await node.get(KEYS, { key: token })).status, 403);
    await node.application.stop();
    const headers = { "if-none-match": etag };
    const read = await api.get(at(name), { key: reader, headers });
    assert.equal(read.status, 200);
    assert.notEqual(read.body.lastUsedAt, null);
    const change = (scopes: readonly string[]) =>
      api.put(at(name), { key: admin, body: { scopes }, headers: { "if-match": etag } });
    assert.equal((await change(["PassScan.Scan"])).status, 200);
    assert.equal((await change(["Pass.Read"])).status, 412);
  });

  it("401 and 403: without a key, of another tenant, without the scope", async () => {
    const { name } = await makeKey();
    assert.equal((await api.get(at(name))).status, 401);
    assert.equal((await api.get(at(name), { key: rival })).status, 401);
    assert.equal((await api.get(at(name), { key: stranger })).status, 403);
  });

  it("404: another tenant's key looks exactly like one that does not exist", async () => {
    await api.post("/api/rival/admin/apiKeys", {
      key: admin,
      body: { name: "theirs", scopes: ["Pass.Read"] },
    });
    const headers = { "x-request-id": "same-request" };
    const theirs = await api.get(at("theirs"), { key: reader, headers });
    const none = await api.get(at("nobody"), { key: reader, headers });
    assert.equal(theirs.status, 404);
    assert.equal(theirs.body.code, "api-key.not-found");
    assert.equal(theirs.text.replaceAll("theirs", "nobody"), none.text);
  });
});
