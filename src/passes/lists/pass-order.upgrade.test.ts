import assert from "node:assert/strict";
import { copyFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { migrate } from "#kernel/db/migrate.ts";
import { lendDatabase } from "#test/support/kernel.ts";

const MIGRATIONS = join(import.meta.dirname, "../../../db/migrations");
const UPGRADE = "0019_pass_order.sql";

it("an upgrade puts the values of all passes in order, also of those it finds", async (t) => {
  const database = await lendDatabase(t);
  const folder = await mkdtemp(join(tmpdir(), "billfold-upgrade-"));
  t.after(() => rm(folder, { recursive: true }));
  const names = (await readdir(MIGRATIONS)).filter((name) => name < UPGRADE);
  await Promise.all(names.map((name) => copyFile(join(MIGRATIONS, name), join(folder, name))));
  // A new, empty schema.
  await database.sql("create schema before");
  await database.sql("set search_path = before");
  const connection = { ...database.connection, options: "-c search_path=before" };
  await migrate(connection, folder);

  await database.sql(`
    insert into pass (tenant_id, id, pass_type, status, identifiers, data, metadata, providers,
                      secret, created_at, updated_at)
    select tenant_id, 'ps_' || n, 'loyalty', 'active', '{}',
           jsonb_build_object('points', n - 2, 'address', jsonb_build_object('city', 'Brest')),
           '{"vip": true}',
           case n when 2 then '{"apple": {"status": "installed"}}' else '{}' end::jsonb,
           's', now(), now()
      from generate_series(1, 3) as n, (values ('acme'), ('rival')) as tenant (tenant_id)`);
  await copyFile(join(MIGRATIONS, UPGRADE), join(folder, UPGRADE));
  assert.deepEqual(await migrate(connection, folder), [UPGRADE]);

  const points = await database.sql(
    "select pass_id from pass_term where tenant_id = 'rival' and term like 'data.points=%' order by term",
  );
  assert.deepEqual(
    points.map(({ pass_id }) => pass_id),
    ["ps_1", "ps_2", "ps_3"],
  );
  const missing = await database.sql(`
    (select tenant_id, id, term from pass, pass_terms(data, metadata) as term
     except select tenant_id, pass_id, term from pass_term)
    union all
    (select tenant_id, pass_id, term from pass_term
     except select tenant_id, id, term from pass, pass_terms(data, metadata) as term)`);
  assert.deepEqual(missing, []);
  const installed = await database.sql(
    "select id, apple, google, installation from pass where apple is not null order by tenant_id",
  );
  const expected = { id: "ps_2", apple: "installed", google: null, installation: "installed" };
  assert.deepEqual(installed, [expected, expected]);
});
