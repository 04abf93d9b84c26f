import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { holdPublication, untilTaken } from "#test/support/hold-commit.ts";
import { PASS_FILES, seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { findWalk, upsertWalk } from "./code.repository.ts";
import { findPassByCode } from "./code.service.ts";

const api = await startApi({ after }, { env: { ROLES: "api" } });
const key = api.operatorKey;
const TEMPLATE = "server/passes/loyalty.yml";

function publishCode(message: string) {
  const template = String(PASS_FILES[TEMPLATE]).replace("{{ pass.id }}", message);
  return api.patch("/api/tenants/acme", { key, body: { files: { [TEMPLATE]: template } } });
}

describe("the codes of passes", () => {
  it("follow a publication that is committed while the job of the one before it begins", async () => {
    await seedPassTenant(api, "acme");
    const { id } = await seedPass(api, "acme", { identifiers: { "loyalty.number": "7" } });
    assert.equal((await publishCode("A-{{ identifiers['loyalty.number'] }}")).status, 200);
    const held = holdPublication(api, "acme");
    const second = publishCode("B-{{ identifiers['loyalty.number'] }}");
    await held.reached;

    await api.node({ ROLES: "worker" });
    await untilTaken(api, "code.refresh");
    held.release();

    const { status, text } = await second;
    assert.equal(status, 200, text);
    const call = systemCall(api.runtime, "scan.create", { tenantId: "acme" });
    await until(async () => (await findPassByCode(call, "B-7", new Date()))?.id === id);
  });

  it("are never noted as those of a publication that is not in force any more", async () => {
    await seedPassTenant(api, "moved");
    const call = systemCall(api.runtime, "code.refresh", { tenantId: "moved" });
    const noteWalk = (version: number, rules: Record<string, string>) =>
      call.transaction((tx) => upsertWalk(tx, version, { rules, after: null }));
    const [tenant] = await api.sql("select version from tenant where id = 'moved'");
    const version = Number(tenant?.version);
    assert.equal(await noteWalk(version, { loyalty: "now" }), true);
    assert.equal(await noteWalk(version - 1, { loyalty: "former" }), false);
    assert.deepEqual((await findWalk(call.forTenant("moved")))?.rules, { loyalty: "now" });
  });
});
