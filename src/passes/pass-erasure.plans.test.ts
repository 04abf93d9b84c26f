import assert from "node:assert/strict";
import { it } from "node:test";
import { lendDatabase } from "#test/support/kernel.ts";
import { loadPasses } from "#test/support/pass-rows.ts";

const PASSES = 50;
/** A search by its whole key in an index of three levels, and the deletion, for some terms. */
const BLOCKS_PER_PASS_MAX = 60;

it("erasing a pass finds its terms by their keys, also in a table that the server has not looked at", async (t) => {
  const database = await lendDatabase(t);
  await loadPasses(database.connection, "acme", 5_000, false);
  // As a connection keeps a plan after some uses.
  await database.sql("set plan_cache_mode = force_generic_plan");
  await database.sql("set stats_fetch_consistency = none");
  const countBlocks = async () => {
    await database.sql("select pg_stat_force_next_flush()");
    const [row] = await database.sql(`
      select (idx_blks_hit + idx_blks_read)::int as blocks
        from pg_statio_user_tables where relname = 'pass_term'`);
    return Number(row?.blocks);
  };
  const before = await countBlocks();
  await database.sql(
    `delete from pass where id in (select id from pass order by id limit ${PASSES})`,
  );
  const blocks = (await countBlocks()) - before;
  assert.ok(blocks > 0 && blocks <= PASSES * BLOCKS_PER_PASS_MAX, `${blocks} blocks were read`);
});
