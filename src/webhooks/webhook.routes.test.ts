import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
await api.seed.tenant("acme");
await api.seed.tenant("rival");
const writer = await api.seed.key("acme", "Webhook.Read", "Webhook.Write");
const reader = await api.seed.key("acme", "Webhook.Read");
const blind = await api.seed.key("acme", "Webhook.Write");
const stranger = await api.seed.key("acme", "Pass.Read");
const rival = await api.seed.key("rival", "Webhook.Read", "Webhook.Write");

const HOOKS = "/api/acme/webhooks";
const BODY = {
  description: "the till",
  events: ["pass.*", "Store:*:Updated"],
  endpoint: "https://hooks.example.com/in?key=pear-tree-9",
  enabled: true,
};

async function make(change: object = {}, path = HOOKS, key = writer) {
  const res = await api.post(path, { key, body: { ...BODY, ...change } });
  assert.equal(res.status, 200, res.text);
  return { ...res.body, path: `${path}/${res.body.id}`, etag: res.headers.get("etag") ?? "" };
}

async function readSettings(path: string) {
  const { status, body, text } = await api.get(path, { key: reader });
  assert.equal(status, 200, text);
  const { description, events, endpoint, enabled } = body;
  return { description, events, endpoint, enabled };
}

const auditOf = (target: string) =>
  api.sql("select op, before, after from audit where target = $1 order by id", [target]);

describe("POST /api/:tenantId/webhooks (webhook.create)", () => {
  it("200: the webhook with an id and a secret of the service, and where it is", async () => {
    const res = await api.post(HOOKS, { key: writer, body: BODY });
    assert.equal(res.status, 200);
    assert.equal(res.headers.get("location"), `${HOOKS}/${res.body.id}`);
    assert.equal(res.headers.get("cache-control"), "no-store");
    const { id, signatureSecret, ...settings } = res.body;
    assert.deepEqual(settings, BODY);
    assert.match(id, /^[A-Za-z0-9]{5}$/);
    assert.match(signatureSecret, /^[A-Za-z0-9+/]{64}$/);
    assert.equal(Buffer.from(signatureSecret, "base64").length, 48);
    const read = await api.get(`${HOOKS}/${id}`, { key: reader });
    assert.deepEqual(read.body, res.body);
    assert.equal(read.headers.get("etag"), res.headers.get("etag"));
  });

  it("200: disabled and without a description unless sent otherwise", async () => {
    const { events, endpoint } = BODY;
    const res = await api.post(HOOKS, { key: blind, body: { events, endpoint } });
    assert.equal(res.status, 200);
    assert.deepEqual([res.body.enabled, res.body.description], [false, null]);
  });

  it("200: an id and a secret that are sent are ignored, whatever they are", async () => {
    for (const sent of [
      { id: "mine1", signatureSecret: "chosen" },
      { id: null },
      { signatureSecret: 7 },
    ]) {
      const made = await make(sent);
      assert.notEqual(made.id, "mine1");
      assert.equal(made.signatureSecret.length, 64);
    }
  });

  it("200: no two secrets are alike", async () => {
    const secrets = new Set<string>();
    for (let count = 0; count < 20; count += 1) secrets.add((await make()).signatureSecret);
    assert.equal(secrets.size, 20);
  });

  it("200: sent twice with one Idempotency-Key it is made once, secret and all", async () => {
    const send = (body: object) =>
      api.post(HOOKS, { key: writer, body, headers: { "idempotency-key": "once" } });
    const [first, second] = [await send(BODY), await send(BODY)];
    assert.deepEqual([first.status, second.status], [200, 200]);
    assert.deepEqual(second.body, first.body);
    assert.equal(second.headers.get("idempotency-replayed"), "true");
    assert.equal(second.headers.get("location"), first.headers.get("location"));
    assert.equal((await send({ ...BODY, enabled: false })).status, 422);
  });

  it("400: names the property that is unknown, missing or wrong", async () => {
    const wrong: readonly [object, string][] = [
      [{ secret: "x" }, "secret"],
      [{ events: [] }, "events"],
      [{ events: undefined }, "events"],
      [{ events: "pass.*" }, "events"],
      [{ events: [1] }, "events[0]"],
      [{ events: ["pass.*", "pass.**"] }, "events[1]"],
      [{ events: ["a*b"] }, "events[0]"],
      [{ events: [""] }, "events[0]"],
      [{ events: ["x".repeat(201)] }, "events[0]"],
      [{ events: Array(51).fill("pass.*") }, "events"],
      [{ endpoint: undefined }, "endpoint"],
      [{ endpoint: "hooks.example.com/in" }, "endpoint"],
      [{ endpoint: "ftp://example.com/in" }, "endpoint"],
      [{ endpoint: "javascript:alert(1)" }, "endpoint"],
      [{ endpoint: "https://ana:pass@example.com/" }, "endpoint"],
      [{ endpoint: `https://example.com/${"x".repeat(2_000)}` }, "endpoint"],
      [{ enabled: "yes" }, "enabled"],
      [{ enabled: null }, "enabled"],
      [{ description: 7 }, "description"],
      [{ description: "x".repeat(1_001) }, "description"],
    ];
    for (const [change, field] of wrong) {
      const res = await api.post(HOOKS, { key: writer, body: { ...BODY, ...change } });
      assert.equal(res.status, 400, JSON.stringify(change));
      assert.equal(res.body.code, "request.invalid");
      assert.deepEqual(Object.keys(res.body.errors), [field]);
    }
    const both = { events: ["**"], endpoint: "ftp://example.com" };
    const res = await api.post(HOOKS, { key: writer, body: both });
    assert.deepEqual(Object.keys(res.body.errors), ["events[0]", "endpoint"]);
  });

  it("200: a description of 1,000 characters, 50 patterns of 200", async () => {
    const events = Array(50).fill("x".repeat(200));
    const made = await make({ description: "é".repeat(1_000), events });
    assert.deepEqual(made.events, events);
  });

  it("401, 403, 404: without a key, to read alone, of another tenant, in no tenant", async () => {
    const send = (path: string, key?: string) =>
      api.post(path, { body: BODY, ...(key === undefined ? {} : { key }) });
    assert.equal((await send(HOOKS)).status, 401);
    assert.equal((await send(HOOKS, reader)).status, 403);
    assert.equal((await send(HOOKS, rival)).status, 401);
    assert.equal((await send("/api/nowhere/webhooks", api.operatorKey)).status, 404);
  });
});

describe("GET /api/:tenantId/webhooks (webhook.list)", () => {
  it("200: an array of webhooks with their secrets, the oldest first, for nobody to keep", async () => {
    await api.seed.tenant("listed");
    const key = await api.seed.key("listed", "Webhook.Read", "Webhook.Write");
    const path = "/api/listed/webhooks";
    assert.deepEqual((await api.get(path, { key })).body, []);
    const made = [];
    for (const description of ["one", "two", null]) {
      const { path: _path, etag: _etag, ...view } = await make({ description }, path, key);
      made.push(view);
    }
    const res = await api.get(path, { key });
    assert.equal(res.status, 200);
    assert.equal(res.headers.get("cache-control"), "no-store");
    assert.equal(res.headers.get("x-pagination-total"), "3");
    assert.deepEqual(res.body, made);
    const query = "filter[0].field=description&filter[0].operator=equals&filter[0].value=two";
    assert.deepEqual((await api.get(`${path}?${query}`, { key })).body, [made[1]]);
  });

  it("400: secrets cannot be searched", async () => {
    const query = "filter[0].field=signatureSecret&filter[0].operator=contains&filter[0].value=x";
    assert.equal((await api.get(`${HOOKS}?${query}`, { key: reader })).status, 400);
  });

  it("200: each reading leaves an audit row", async () => {
    const before = await auditOf("webhook:*");
    await api.get(HOOKS, { key: reader });
    const rows = await auditOf("webhook:*");
    assert.equal(rows.length, before.length + 1);
    assert.deepEqual(rows.at(-1), { op: "webhook.list", before: null, after: null });
  });

  it("200: nothing of another tenant", async () => {
    await make({ description: "only of acme" });
    assert.deepEqual((await api.get("/api/rival/webhooks", { key: rival })).body, []);
  });

  it("401, 403: without a key, without the scope, to write alone, with a foreign key", async () => {
    assert.equal((await api.get(HOOKS)).status, 401);
    assert.equal((await api.get(HOOKS, { key: stranger })).status, 403);
    assert.equal((await api.get(HOOKS, { key: blind })).status, 403);
    assert.equal((await api.get(HOOKS, { key: rival })).status, 401);
  });
});

describe("GET /api/:tenantId/webhooks/:id (webhook.get)", () => {
  it("200: each reading leaves an audit row; 304 with the ETag", async () => {
    const { id, path, etag, signatureSecret } = await make();
    const res = await api.get(path, { key: reader });
    assert.equal(res.headers.get("cache-control"), "no-store");
    assert.equal(res.body.signatureSecret, signatureSecret);
    const known = await api.get(path, { key: reader, headers: { "if-none-match": etag } });
    assert.equal(known.status, 304);
    assert.equal(known.text, "");
    const ops = (await auditOf(`webhook:${id}`)).map(({ op }) => op);
    assert.deepEqual(ops, ["webhook.create", "webhook.get", "webhook.get"]);
  });

  it("404: no such webhook, one in other letters, and one of another tenant look the same", async () => {
    const { id } = await make();
    const swapped = [...id].map((it) =>
      it === it.toLowerCase() ? it.toUpperCase() : it.toLowerCase(),
    );
    const missing = [`${HOOKS}/none0`, `${HOOKS}/x`, `${HOOKS}/${"x".repeat(90)}`];
    if (swapped.join("") !== id) missing.push(`${HOOKS}/${swapped.join("")}`);
    for (const path of missing) {
      const res = await api.get(path, { key: reader });
      assert.equal(res.status, 404, path);
      assert.equal(res.body.code, "webhook.not-found");
    }
    const foreign = await api.get(`/api/rival/webhooks/${id}`, { key: rival });
    assert.equal(foreign.status, 404);
    assert.equal(foreign.body.code, "webhook.not-found");
  });

  it("401, 403: without a key, without the scope, to write alone, with a foreign key", async () => {
    const { path } = await make();
    assert.equal((await api.get(path)).status, 401);
    assert.equal((await api.get(path, { key: stranger })).status, 403);
    assert.equal((await api.get(path, { key: blind })).status, 403);
    assert.equal((await api.get(path, { key: rival })).status, 401);
  });
});

describe("PUT /api/:tenantId/webhooks/:id (webhook.replace)", () => {
  it("200 without a body: all settings are replaced, id and secret stay", async () => {
    const made = await make();
    const next = { events: ["*"], endpoint: "http://localhost:8080/in" };
    const body = { ...next, id: "other", signatureSecret: "other" };
    const res = await api.put(made.path, { key: blind, body });
    assert.equal(res.status, 200);
    assert.equal(res.text, "");
    assert.notEqual(res.headers.get("etag"), made.etag);
    const read = await api.get(made.path, { key: reader });
    assert.equal(read.headers.get("etag"), res.headers.get("etag"));
    const { id, signatureSecret } = made;
    assert.deepEqual(read.body, {
      ...next,
      id,
      signatureSecret,
      enabled: false,
      description: null,
    });
  });

  it("200: what was read can be sent back as it is, and changes nothing", async () => {
    const made = await make();
    const { body } = await api.get(made.path, { key: reader });
    const res = await api.put(made.path, { key: writer, body });
    assert.equal(res.status, 200);
    assert.equal(res.headers.get("etag"), made.etag);
  });

  it("412: If-Match names another version", async () => {
    const { path, etag } = await make();
    const put = (tag: string, description: string) =>
      api.put(path, { key: writer, body: { ...BODY, description }, headers: { "if-match": tag } });
    assert.equal((await put(etag, "one")).status, 200);
    assert.equal((await put(etag, "two")).status, 412);
    assert.equal((await readSettings(path)).description, "one");
    assert.equal((await put("*", "three")).status, 200);
  });

  it("400: a part is missing, unknown or wrong, and nothing changes", async () => {
    const { path } = await make();
    for (const [body, field] of [
      [{ events: ["*"] }, "endpoint"],
      [{ ...BODY, url: "x" }, "url"],
      [{ ...BODY, events: ["*x"] }, "events[0]"],
    ] as const) {
      const res = await api.put(path, { key: writer, body });
      assert.equal(res.status, 400);
      assert.deepEqual(Object.keys(res.body.errors), [field]);
    }
    assert.deepEqual(await readSettings(path), BODY);
  });
});

describe("PATCH /api/:tenantId/webhooks/:id (webhook.update)", () => {
  it("200 without a body: what is sent changes, all else stays", async () => {
    const { path, id, signatureSecret } = await make();
    const changes: object[] = [
      { enabled: false },
      { events: ["scan.recorded"] },
      { endpoint: "https://other.example/" },
      { description: null },
    ];
    let expected: object = { ...BODY };
    for (const body of changes) {
      const res = await api.patch(path, { key: blind, body: { ...body, id: 1 } });
      assert.deepEqual([res.status, res.text], [200, ""]);
      expected = { ...expected, ...body };
      assert.deepEqual(await readSettings(path), expected);
    }
    const { body } = await api.get(path, { key: reader });
    assert.deepEqual([body.id, body.signatureSecret], [id, signatureSecret]);
  });

  it("200: nothing sent, nothing changed", async () => {
    const { path, etag } = await make();
    const res = await api.patch(path, { key: writer, body: {} });
    assert.deepEqual([res.status, res.headers.get("etag")], [200, etag]);
  });

  it("412: If-Match names another version; 400: unknown or wrong members", async () => {
    const { path } = await make();
    const headers = { "if-match": '"other.1"' };
    const late = await api.patch(path, { key: writer, body: { enabled: false }, headers });
    assert.equal(late.status, 412);
    for (const [body, field] of [
      [{ active: true }, "active"],
      [{ events: [] }, "events"],
      [{ events: ["x", "."] }, "events[1]"],
      [{ endpoint: "//example.com" }, "endpoint"],
      [{ enabled: null }, "enabled"],
    ] as const) {
      const res = await api.patch(path, { key: writer, body });
      assert.equal(res.status, 400, res.text);
      assert.deepEqual(Object.keys(res.body.errors), [field]);
    }
    assert.deepEqual(await readSettings(path), BODY);
  });
});

describe("DELETE /api/:tenantId/webhooks/:id (webhook.delete)", () => {
  it("200 without a body: gone, and 404 from then on", async () => {
    const { path } = await make();
    const res = await api.delete(path, { key: blind });
    assert.deepEqual([res.status, res.text], [200, ""]);
    assert.equal((await api.get(path, { key: reader })).status, 404);
    assert.equal((await api.delete(path, { key: writer })).status, 404);
  });

  it("412: If-Match names another version", async () => {
    const { path, etag } = await make();
    await api.patch(path, { key: writer, body: { enabled: false } });
    const res = await api.delete(path, { key: writer, headers: { "if-match": etag } });
    assert.equal(res.status, 412);
  });
});

describe("changes by the wrong people", () => {
  const attempts = {
    "webhook.replace": (path: string, key?: string) =>
      api.put(path, { body: BODY, ...(key === undefined ? {} : { key }) }),
    "webhook.update": (path: string, key?: string) =>
      api.patch(path, { body: { enabled: false }, ...(key === undefined ? {} : { key }) }),
    "webhook.delete": (path: string, key?: string) =>
      api.delete(path, key === undefined ? {} : { key }),
  };
  for (const [op, attempt] of Object.entries(attempts)) {
    it(`401, 403, 404: ${op} without a key, to read alone, of another tenant`, async () => {
      const { path, id } = await make();
      assert.equal((await attempt(path)).status, 401);
      assert.equal((await attempt(path, reader)).status, 403);
      assert.equal((await attempt(path, rival)).status, 401);
      const foreign = await attempt(`/api/rival/webhooks/${id}`, rival);
      assert.equal(foreign.status, 404);
      assert.equal(foreign.body.code, "webhook.not-found");
      assert.deepEqual(await readSettings(path), BODY);
    });
  }
});
