import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });

describe("GET /api/warmup (service.warmup)", () => {
  it("200: without a key, and whatever key is sent", async () => {
    for (const key of [undefined, api.operatorKey, "nonsense"]) {
      const { status, body } = await api.get("/api/warmup", { key });
      assert.deepEqual({ status, body }, { status: 200, body: { status: "ok" } });
    }
  });

  it("503: with Retry-After while the database is away", async (t) => {
    const cut = await startApi(t);
    await cut.runtime.db.close();
    const { status, headers, body } = await cut.get("/api/warmup");
    assert.equal(status, 503);
    assert.equal(body.code, "service.unavailable");
    assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  });
});

describe("GET /metrics (service.metrics)", () => {
  it("200: counts requests by operation and status", async () => {
    await api.get("/api/warmup");
    const { status, headers, text } = await api.get("/metrics", { key: api.operatorKey });
    assert.equal(status, 200);
    assert.match(headers.get("content-type") ?? "", /^text\/plain/);
    assert.match(text, /^billfold_http_requests_total\{op="service.warmup",status="200"\} \d+$/m);
  });

  it("401, 403: not for everybody, nor for a tenant's key", async () => {
    await api.seed.tenant("acme");
    const key = await api.seed.key("acme", "Audit.Read");
    assert.equal((await api.get("/metrics")).status, 401);
    assert.equal((await api.get("/metrics", { key })).status, 403);
  });
});
