import assert from "node:assert/strict";
import { it } from "node:test";
import { databaseBefore } from "#test/support/upgrade.ts";

const UPGRADE = "0019_pass_order.sql";

it("an upgrade puts the values of all passes in order, also of those it finds", async (t) => {
  const { sql, upgrade } = await databaseBefore(t, UPGRADE);

  await sql(`
    insert into pass (tenant_id, id, pass_type, status, identifiers, data, metadata, providers,
                      secret, created_at, updated_at)
    select tenant_id, 'ps_' || n, 'loyalty', 'active', '{}',
           jsonb_build_object('points', n - 2, 'address', jsonb_build_object('city', 'Brest')),
           '{"vip": true}',
           case n when 2 then '{"apple": {"status": "installed"}}' else '{}' end::jsonb,
           's', now(), now()
      from generate_series(1, 3) as n, (values ('acme'), ('rival')) as tenant (tenant_id)`);
  assert.deepEqual(await upgrade(), [UPGRADE]);

  const points = await sql(
    "select pass_id from pass_term where tenant_id = 'rival' and term like 'data.points=%' order by term",
  );
  assert.deepEqual(
    points.map(({ pass_id }) => pass_id),
    ["ps_1", "ps_2", "ps_3"],
  );
  const missing = await sql(`
    (select tenant_id, id, term from pass, pass_terms(data, metadata) as term
     except select tenant_id, pass_id, term from pass_term)
    union all
    (select tenant_id, pass_id, term from pass_term
     except select tenant_id, id, term from pass, pass_terms(data, metadata) as term)`);
  assert.deepEqual(missing, []);
  const installed = await sql(
    "select id, apple, google, installation from pass where apple is not null order by tenant_id",
  );
  const expected = { id: "ps_2", apple: "installed", google: null, installation: "installed" };
  assert.deepEqual(installed, [expected, expected]);
});
