import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
await api.seed.tenant("acme");
await api.seed.tenant("rival");
const admin = api.operatorKey;
const writer = await api.seed.key("acme", "ApiKey.Write", "Pass.Read");
const auditor = await api.seed.key("acme", "Audit.Read");
const rivalAuditor = await api.seed.key("rival", "Audit.Read");

const AUDIT = "/api/acme/admin/audit";

type Entry = { id: string; at: string; op: string; target: string; tenantId?: string | null };

async function makeAndDelete(tenantId: string, name: string, key: string): Promise<void> {
  const keys = `/api/${tenantId}/admin/apiKeys`;
  const made = await api.post(keys, { key, body: { name, scopes: ["Pass.Read"] } });
  assert.equal(made.status, 201, made.text);
  assert.equal((await api.delete(`${keys}/${name}`, { key })).status, 204);
}

const filtered = (...filters: [field: string, operator: string, value: string][]) =>
  filters
    .flatMap(([field, operator, value], index) => [
      `filter[${index}].field=${field}`,
      `filter[${index}].operator=${operator}`,
      `filter[${index}].value=${encodeURIComponent(value)}`,
    ])
    .join("&");

describe("GET /api/:tenantId/admin/audit (audit.list)", () => {
  it("200: who did what, newest first, in the published shape", async () => {
    await makeAndDelete("acme", "audited", writer);
    const query = filtered(["target", "equals", "api-key:audited"]);
    const res = await api.get(`${AUDIT}?${query}`, { key: auditor });
    assert.equal(res.status, 200);
    assert.equal(res.headers.get("x-pagination-total"), "2");
    const [deleted, created] = res.body;
    assert.deepEqual(Object.keys(deleted).sort(), [
      "actor",
      "after",
      "at",
      "before",
      "id",
      "ip",
      "op",
      "requestId",
      "target",
    ]);
    assert.equal(deleted.op, "api-key.delete");
    assert.equal(deleted.actor.kind, "api-key");
    assert.match(deleted.actor.id, /^seed-\d+$/);
    assert.equal(deleted.before.name, "audited");
    assert.equal(deleted.after, null);
    assert.equal(created.op, "api-key.create");
    assert.equal(created.before, null);
    assert.deepEqual(created.after.scopes, ["Pass.Read"]);
    assert.equal(created.ip, "127.0.0.1");
  });

  it("200: filters by operation, actor and time", async () => {
    await makeAndDelete("acme", "filtered", writer);
    const all: Entry[] = (await api.get(`${AUDIT}?pageSize=500`, { key: auditor })).body;
    const newest = all[0];
    assert.ok(newest !== undefined);

    const byOp = await api.get(`${AUDIT}?${filtered(["op", "equals", "api-key.delete"])}`, {
      key: auditor,
    });
    assert.ok(byOp.body.length > 0);
    for (const entry of byOp.body) assert.equal(entry.op, "api-key.delete");

    const byActor = await api.get(
      `${AUDIT}?${filtered(["actorKind", "equals", "operator"], ["actorId", "equals", "operator"])}`,
      { key: auditor },
    );
    assert.ok(byActor.body.length > 0);
    for (const entry of byActor.body) assert.equal(entry.actor.kind, "operator");

    const since = await api.get(`${AUDIT}?${filtered(["at", "greaterThan", newest.at])}`, {
      key: auditor,
    });
    assert.deepEqual(since.body, []);
    const exact = await api.get(`${AUDIT}?${filtered(["at", "equals", newest.at])}`, {
      key: auditor,
    });
    assert.equal(exact.body[0].id, newest.id);
  });

  it("200: walks by cursor through all rows, once each", async () => {
    for (let count = 0; count < 4; count += 1) await makeAndDelete("acme", "walked", writer);
    const whole: Entry[] = (await api.get(`${AUDIT}?pageSize=500`, { key: auditor })).body;
    const seen: Entry[] = [];
    let next: string | undefined = `${AUDIT}?pageSize=3`;
    while (next !== undefined) {
      const page = await api.get(next, { key: auditor });
      assert.equal(page.status, 200);
      seen.push(...page.body);
      next = /<([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1];
    }
    assert.deepEqual(seen, whole);
    const times = seen.map(({ at }) => at);
    assert.deepEqual(times, [...times].sort().reverse());
  });

  it("200: shows nothing of another tenant", async () => {
    await makeAndDelete("rival", "canary-of-rival", admin);
    const res = await api.get(`${AUDIT}?pageSize=500`, { key: auditor });
    assert.ok(!res.text.includes("canary-of-rival"));
    const theirs = await api.get("/api/rival/admin/audit", { key: rivalAuditor });
    assert.ok(theirs.text.includes("canary-of-rival"));
  });

  it("400: a field that cannot be filtered by", async () => {
    const res = await api.get(`${AUDIT}?${filtered(["before", "contains", "x"])}`, {
      key: auditor,
    });
    assert.equal(res.status, 400);
    assert.deepEqual(Object.keys(res.body.errors), ["filter[0].field"]);
  });

  it("401: without a key, and with a key of another tenant", async () => {
    assert.equal((await api.get(AUDIT)).status, 401);
    assert.equal((await api.get(AUDIT, { key: rivalAuditor })).status, 401);
  });

  it("403: without the scope, which is named", async () => {
    const res = await api.get(AUDIT, { key: writer });
    assert.equal(res.status, 403);
    assert.equal(res.body.requiredScope, "Audit.Read");
  });

  it("404: an unknown tenant, for the operator", async () => {
    assert.equal((await api.get("/api/nobody/admin/audit", { key: admin })).status, 404);
  });
});

describe("GET /api/audit (audit.list-all)", () => {
  it("200: the rows of all tenants, each with its tenant", async () => {
    await makeAndDelete("acme", "everywhere", admin);
    await makeAndDelete("rival", "everywhere", admin);
    const query = filtered(["target", "equals", "api-key:everywhere"]);
    const res = await api.get(`/api/audit?${query}`, { key: admin });
    assert.equal(res.status, 200);
    const tenants = res.body.map(({ tenantId }: Entry) => tenantId);
    assert.deepEqual(tenants, ["rival", "rival", "acme", "acme"]);

    const ofOne = await api.get(
      `/api/audit?${query}&filter[1].field=tenantId&filter[1].operator=equals&filter[1].value=acme`,
      { key: admin },
    );
    assert.deepEqual(
      ofOne.body.map(({ tenantId }: Entry) => tenantId),
      ["acme", "acme"],
    );
  });

  it("400: a parameter it does not know", async () => {
    assert.equal((await api.get("/api/audit?tenant=acme", { key: admin })).status, 400);
  });

  it("401: without a key", async () => {
    assert.equal((await api.get("/api/audit")).status, 401);
  });

  it("403: for a tenant's key, whatever it may read there", async () => {
    const res = await api.get("/api/audit", { key: auditor });
    assert.equal(res.status, 403);
    assert.equal(res.body.requiredRole, "Global Administrator");
  });
});
