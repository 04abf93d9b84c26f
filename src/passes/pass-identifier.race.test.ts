import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import pg from "pg";
import { systemCall } from "#kernel/call.ts";
import { holdPublication, untilTaken } from "#test/support/hold-commit.ts";
import { PASS_FILES, seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { untilBlocked } from "#test/support/until-blocked.ts";
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

  it("is what the newest publication says, although the job of the one before it is not done", async () => {
    const tenantId = "slow";
    await seedPassTenant(api, tenantId);
    await api.sql(
      `insert into pass_identifier (tenant_id, name, value, pass_id, pass_type, is_unique)
       select $1, 'shop.id', lpad(n::text, 4, '0'), 'ps_' || n, 'loyalty', false
         from generate_series(1, 1500) as n`,
      [tenantId],
    );
    await publishUnique(tenantId, "loyalty.number, shop.id");
    const run = () => {
      const call = systemCall(api.runtime, markUniqueIdentifiers.name, { tenantId });
      return markUniqueIdentifiers.run(call, {}, AbortSignal.timeout(60_000));
    };
    const stranger = new pg.Client(api.database.connection);
    await stranger.connect();
    await stranger.query("begin; set local app.tenant = '*'");
    await stranger.query(
      "select from pass_identifier where tenant_id = $1 and value = '1500' for update",
      [tenantId],
    );
    const first = run();
    await untilBlocked(api);
    await publishUnique(tenantId, "loyalty.number");
    const second = run();
    await Promise.race([second, untilBlocked(api, 2)]);
    await stranger.query("rollback");
    await stranger.end();
    await Promise.all([first, second]);

    const [left] = await api.sql(
      "select count(*)::int from pass_identifier where tenant_id = $1 and is_unique",
      [tenantId],
    );
    assert.deepEqual(left, { count: 0 });
  });
});
