import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { holdPublication, untilTaken } from "#test/support/hold-commit.ts";
import { PASS_FILES, seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { markUniqueIdentifiers } from "./pass-identifier.jobs.ts";

const api = await startApi({ after }, { env: { ROLES: "api" } });
const key = api.operatorKey;
const TEMPLATE = "server/passes/loyalty.yml";

async function publishUnique(tenantId: string, names: string): Promise<void> {
  const template = String(PASS_FILES[TEMPLATE]).replace("[loyalty.number, crm.id]", `[${names}]`);
  const body = { files: { [TEMPLATE]: template } };
  const { status, text } = await api.patch(`/api/tenants/${tenantId}`, { key, body });
  assert.equal(status, 200, text);
}

describe("which identifiers are unique", () => {
  it("follows a publication that is committed while the job of the one before it begins", async (t) => {
    await seedPassTenant(api, "acme");
    await seedPass(api, "acme", { identifiers: { "shop.id": "S-1", "zone.id": "Z-1" } });
    await publishUnique("acme", "loyalty.number, shop.id");
    const held = holdPublication(api, "acme");
    const second = publishUnique("acme", "loyalty.number, zone.id");
    await held.reached;

    await api.node({ ROLES: "worker" }, { owner: t });
    await untilTaken(api, markUniqueIdentifiers.name);
    held.release();

    await second;
    await until(async () => {
      const rows = await api.sql(
        "select name from pass_identifier where tenant_id = 'acme' and is_unique order by name",
      );
      return String(rows.map(({ name }) => name)) === "loyalty.number,zone.id";
    });
  });
});
