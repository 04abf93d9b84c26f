import assert from "node:assert/strict";
import { it } from "node:test";
import { databaseBefore } from "#test/support/upgrade.ts";

const UPGRADE = "0055_tenant_end.sql";

it("an upgrade takes rights away that were given in tenants that have ended", async (t) => {
  const { sql, upgrade } = await databaseBefore(t, UPGRADE);

  await sql(`
    insert into tenant (id, name, version, settings, created_at, updated_at, deleted_at)
    select id, id, 1, '{}', now(), now(), ended
      from (values ('stays', null), ('reused', null), ('ending', now())) as tenant (id, ended)`);
  await sql(`
    insert into administrator (id, email, name, role, tenants, tokens_valid_from, created_at, updated_at)
    select 'adm_' || name, name || '@example.com', name, 'tenant', tenants::text[], now(), now(), now()
      from (values ('former', '{reused,stays,gone,ending}'), ('invited', '{reused}'), ('moved', '{stays,reused}'),
                   ('renamed', '{reused}'), ('other', '{stays}')) as administrator (name, tenants)`);
  await sql(`
    insert into audit (tenant_id, id, at, actor_kind, actor_id, op, target, request_id, ip, before, after)
    select '*', 'aud_' || n, now() - make_interval(days => days), 'operator', 'operator', op, target, 'r', '', before::jsonb,
           after::jsonb
      from (values
        (1, 9, 'administrator.create', 'administrator:adm_former', null, '{"tenants": ["reused"]}'),
        (2, 9, 'administrator.create', 'administrator:adm_renamed', null, '{"tenants": ["reused"]}'),
        (3, 9, 'administrator.create', 'administrator:adm_moved', null, '{"tenants": ["stays"]}'),
        (4, 5, 'tenant.erase', 'tenant:reused', null, '{"erased": true}'),
        (5, 3, 'administrator.create', 'administrator:adm_invited', null, '{"tenants": ["reused"]}'),
        (6, 3, 'administrator.update', 'administrator:adm_moved', '{"tenants": ["stays"]}', '{"tenants": ["stays", "reused"]}'),
        (7, 3, 'administrator.update', 'administrator:adm_renamed', '{"tenants": ["reused"]}', '{"tenants": ["reused"]}'))
        as entry (n, days, op, target, before, after)`);
  assert.deepEqual(await upgrade(), [UPGRADE]);

  const people = await sql("select name, tenants, version from administrator order by name");
  assert.deepEqual(
    people.map(({ name, tenants, version }) => [name, tenants, version]),
    [
      ["former", ["stays"], 2],
      ["invited", ["reused"], 1],
      ["moved", ["stays", "reused"], 1],
      ["other", ["stays"], 1],
      ["renamed", [], 2],
    ],
  );
  const ended = await sql("select id from ended_tenant");
  assert.deepEqual(ended, [{ id: "reused" }]);
});
