import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shareApi, type TestApi } from "#test/support/start-api.ts";

const shared = shareApi();

/** Each test has a tenant of its own, whose limits nobody else has used. */
function newTenant(tenantId: string) {
  const { seed, ...api } = shared();
  return {
    ...api,
    path: `/api/${tenantId}/admin/apiKeys`,
    setLimits: (files: Record<string, string> = {}) => seed.tenant(tenantId, files),
    newKey: (...scopes: string[]) => seed.key(tenantId, ...scopes),
  };
}

function tenantYml(limit: number): Record<string, string> {
  const rates = `rateLimits:\n  api-key.list: { limit: ${limit}, windowSeconds: 86400 }\n`;
  return { "tenant.yml": `name: Acme\n${rates}` };
}

async function statuses(
  api: Pick<TestApi, "get">,
  path: string,
  key: string,
  count: number,
): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => api.get(path, { key })));
  return answers.map((answer) => answer.status);
}

function countOf(status: number, all: readonly number[]): number {
  return all.filter((one) => one === status).length;
}

describe("rate limits of the API", () => {
  it("200: every answer names the policy and what is left of it", async () => {
    const api = newTenant("named");
    await api.setLimits();
    const key = await api.newKey("ApiKey.Read");

    const { status, headers } = await api.get(api.path, { key });

    assert.equal(status, 200);
    assert.equal(headers.get("ratelimit-policy"), '"api-key.list";q=12000;w=60');
    assert.match(headers.get("ratelimit") ?? "", /^"api-key\.list";r=11999;t=\d+$/);
  });

  it("4xx: answers that refuse the request carry the headers too", async () => {
    const api = newTenant("refusing");
    await api.setLimits();
    const key = await api.newKey("ApiKey.Read", "ApiKey.Write");

    const missing = await api.put(`${api.path}/none`, {
      key,
      body: { name: "none", scopes: ["ApiKey.Read"] },
    });
    const invalid = await api.post(api.path, { key, body: { nonsense: true } });

    assert.equal(missing.status, 404);
    assert.match(missing.headers.get("ratelimit-policy") ?? "", /^"api-key\.update";q=6000;w=60$/);
    assert.equal(invalid.status, 400);
    assert.match(invalid.headers.get("ratelimit") ?? "", /^"api-key\.create";r=\d+;t=\d+$/);
  });

  it("429: a tenant's own limit holds on all nodes together and says when to come back", async () => {
    const api = newTenant("limited");
    await api.setLimits(tenantYml(20));
    const key = await api.newKey("ApiKey.Read");
    const other = await api.node();

    const all = (
      await Promise.all([statuses(api, api.path, key, 30), statuses(other, api.path, key, 30)])
    ).flat();
    assert.equal(countOf(200, all), 20);
    assert.equal(countOf(429, all), 40);

    const { status, headers, body } = await api.get(api.path, { key });
    assert.equal(status, 429);
    assert.equal(body.code, "rate-limit.exceeded");
    assert.equal(body.status, 429);
    assert.equal(body.requestId, headers.get("x-request-id"));
    assert.deepEqual(body["violated-policies"], ["api-key.list"]);
    const retryAfter = Number(headers.get("retry-after"));
    assert.ok(retryAfter >= 1 && retryAfter <= 86_400, `${retryAfter}`);
    assert.equal(headers.get("ratelimit"), `"api-key.list";r=0;t=${retryAfter}`);
  });

  it("200: one credential's flood leaves the others and other operations alone", async () => {
    const api = newTenant("noisy");
    await api.setLimits(tenantYml(3));
    const noisy = await api.newKey("ApiKey.Read", "ApiKey.Write");
    const quiet = await api.newKey("ApiKey.Read");
    assert.equal(countOf(429, await statuses(api, api.path, noisy, 10)), 7);

    assert.equal((await api.get(api.path, { key: quiet })).status, 200);
    const created = await api.post(api.path, {
      key: noisy,
      body: { name: "n", scopes: ["ApiKey.Read"] },
    });
    assert.equal(created.status, 201);
  });

  it("200: a raised limit counts at once", async () => {
    const api = newTenant("raised");
    await api.setLimits(tenantYml(2));
    const key = await api.newKey("ApiKey.Read");
    assert.equal(countOf(429, await statuses(api, api.path, key, 4)), 2);

    await api.setLimits(tenantYml(5));

    assert.equal(countOf(200, await statuses(api, api.path, key, 10)), 3);
  });
});
