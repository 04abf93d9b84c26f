import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shareApi } from "#test/support/start-api.ts";

describe("a tenant's own domain", () => {
  const api = shareApi();
  const at = async (host: string, path: string, key?: string) => {
    const { request } = await import("node:http");
    return await new Promise<number>((resolve, reject) => {
      const sent = request(
        `${api().url}${path}`,
        { headers: { host, ...(key === undefined ? {} : { "x-api-key": key }) } },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      );
      sent.on("error", reject);
      sent.end();
    });
  };

  it("serves that tenant's API and nothing else, on any port and in any case", async () => {
    const { seed, operatorKey } = api();
    await seed.tenant("lune", { "tenant.yml": "name: Lune\ncustomDomain: passes.lune.example\n" });
    await seed.tenant("rival");
    const ours = await seed.key("lune", "ApiKey.Read");
    const theirs = await seed.key("rival", "ApiKey.Read");
    assert.equal(await at("passes.lune.example", "/api/lune/admin/apiKeys", ours), 200);
    assert.equal(await at("PASSES.lune.example:8443", "/api/lune/admin/apiKeys", ours), 200);
    assert.equal(await at("passes.lune.example", "/api/warmup"), 200);
    for (const path of [
      "/api/rival/admin/apiKeys",
      "/api/tenants",
      "/api/tenants/rival",
      "/api/tenants/rival/config/history",
      "/api/tenants/lune-2",
      "/api/tenants/lune/../rival",
      "/api/lune-2/admin/apiKeys",
      "/docs",
      "/openapi.json",
      "/authorize",
      "/metrics",
      "/api/lune/../rival/admin/apiKeys",
    ]) {
      assert.equal(await at("passes.lune.example", path, operatorKey), 404, path);
    }
    assert.equal(await at("other.example", "/api/rival/admin/apiKeys", theirs), 200);
  });

  it("serves the configuration of that tenant, too", async () => {
    const { seed, operatorKey } = api();
    await seed.tenant("sol", { "tenant.yml": "name: Sol\ncustomDomain: passes.sol.example\n" });
    const key = await seed.key("sol", "TenantConfiguration.Read");
    for (const path of ["", "?version=1", "/test", "/config/history?pageSize=1"]) {
      assert.equal(await at("passes.sol.example", `/api/tenants/sol${path}`, key), 200, path);
    }
    assert.equal(await at("passes.sol.example", "/api/tenants/sol"), 401);
    assert.equal(await at("passes.sol.example", "/api/tenants/nobody", operatorKey), 404);
  });

  it("404: a tenant whose id begins as an address does that every domain serves", async () => {
    const { seed } = api();
    await seed.tenant("luna", { "tenant.yml": "name: Luna\ncustomDomain: passes.luna.example\n" });
    await seed.tenant("warmup-x");
    const key = await seed.key("warmup-x", "ApiKey.Read");
    assert.equal(await at("other.example", "/api/warmup-x/admin/apiKeys", key), 200);
    assert.equal(await at("passes.luna.example", "/api/warmup-x/admin/apiKeys", key), 404);
    // The address is served: only its query parameter is refused.
    assert.equal(await at("passes.luna.example", "/api/warmup?since=now"), 400);
  });

  it("409: two tenants cannot have the same one", async () => {
    const { put, operatorKey: key, seed } = api();
    await seed.tenant("first", { "tenant.yml": "name: A\ncustomDomain: one.example\n" });
    const body = { files: { "tenant.yml": "name: B\ncustomDomain: one.example\n" } };
    const sent = await put("/api/tenants/second", { key, body });
    assert.equal(sent.status, 409);
    assert.equal(sent.body.code, "configuration.domain-taken");
  });
});
