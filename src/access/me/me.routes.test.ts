import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SCOPE_NAMES } from "#src/api-keys/public.ts";
import { makeCredentials } from "#test/support/access-credentials.ts";
import { seedDevice, seedScanTenant } from "#test/support/scan-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";

const ME = "/api/me";

describe("GET /api/me (me.get)", () => {
  const api = shareApi();

  it("200: tells people their name, role, scopes, and their tenants by name", async () => {
    await api().seed.tenant("cafe-lune", { "tenant.yml": "name: Café Lune\n" });
    await api().seed.tenant("rival", { "tenant.yml": "name: Rival\n" });
    const made = await makeCredentials(api(), "cafe-lune", "rival");
    const { status, body } = await api().get(ME, { bearer: made.person });
    assert.equal(status, 200);
    assert.match(body.id, /^administrator:adm_/);
    assert.match(body.email, /^person-.*@example\.com$/);
    assert.equal(`${body.name}@example.com`, body.email);
    assert.deepEqual(
      [body.kind, body.role, body.allTenants, body.tenants],
      ["administrator", "tenant", false, [{ tenantId: "cafe-lune", name: "Café Lune" }]],
    );
    assert.ok(body.scopes.includes("tenant.pass:read"));

    const limited = await made.limitedPerson("tenant.pass:read");
    assert.deepEqual((await api().get(ME, { bearer: limited })).body.scopes, ["tenant.pass:read"]);
  });

  it("200: leaves out a tenant that is gone, and lists none to those who may enter all", async () => {
    await api().seed.tenant("kept");
    await api().seed.tenant("ended");
    const made = await makeCredentials(api(), "ended", "kept");
    await api().delete("/api/tenants/ended", { key: api().operatorKey });
    assert.deepEqual((await api().get(ME, { bearer: made.person })).body.tenants, []);
    const { body } = await api().get(ME, { bearer: made.globalPerson });
    assert.deepEqual([body.role, body.allTenants, body.tenants], ["global", true, []]);
    assert.ok(body.scopes.includes("platform:admin"));
  });

  it("200: tells keys of programs, devices and the operator what they are", async () => {
    await seedScanTenant(api(), "shop");
    const key = await api().seed.key("shop", "Pass.Read");
    const program = (await api().get(ME, { key })).body;
    assert.deepEqual(
      [program.kind, program.email, program.role, program.scopes],
      ["api-key", null, null, ["Pass.Read"]],
    );
    assert.deepEqual(program.tenants, [{ tenantId: "shop", name: "shop" }]);
    const { key: deviceKey, deviceId } = await seedDevice(api(), "shop");
    const device = (await api().get(ME, { key: deviceKey })).body;
    assert.deepEqual([device.kind, device.name], ["device", deviceId]);
    const operator = (await api().get(ME, { key: api().operatorKey })).body;
    assert.deepEqual([operator.kind, operator.allTenants], ["operator", true]);
    assert.equal(operator.scopes.length, SCOPE_NAMES.length + 1);
  });

  it("401: without a credential; 400: with a parameter that it does not know", async () => {
    assert.equal((await api().get(ME)).status, 401);
    assert.equal((await api().get(`${ME}?all=1`, { key: api().operatorKey })).status, 400);
  });
});
