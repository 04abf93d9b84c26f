import assert from "node:assert/strict";
import { after, describe, it, type TestContext } from "node:test";
import { breakOddRows } from "#test/support/broken-rows.ts";
import { importFile } from "#test/support/imports.ts";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });

const [TOO_SLOW, OUT_OF_MEMORY, DEFECT] = ["57014", "53200", "XX000"];
const [ROWS, ODD] = [40, 30];

/** Imports 40 rows, of which the database fails to insert some as it is told. */
async function importOdd(
  t: TestContext,
  tenantId: string,
  states: readonly string[],
  isOdd = (row: number) => row === ODD,
) {
  await seedPassTenant(api, tenantId);
  const odd = await breakOddRows(api, states);
  t.after(odd.mend);
  const rows = Array.from({ length: ROWS }, (_, at) => at + 1);
  const lines = rows.map((row) => `loyalty;N${row};${isOdd(row) ? "Odd" : "Alex"}`);
  const head = "passType;identifiers.loyalty.number;additionalData.firstName";
  const { file, outcomes } = await importFile(api, tenantId, [head, ...lines].join("\n"));
  const [made] = await api.sql("select count(*)::int as count from pass where tenant_id = $1", [
    tenantId,
  ]);
  assert.equal(made?.count, file.created);
  return { file, outcomes, tries: Number(await odd.tries()) };
}

describe("an import in trouble", () => {
  it("tries a row for which the database took too long again later, and imports it", async (t) => {
    // The whole batch, its parts 21 to 40, 21 to 30, 26 to 30, 29 to 30, and then the row alone.
    const states = Array.from({ length: 8 }, () => TOO_SLOW);
    const { file, tries } = await importOdd(t, "slow", states);
    assert.deepEqual([file.status, file.created, file.failed], ["processed", ROWS, 0]);
    assert.equal(tries, 9, "after the first time, the row is tried alone");
  });

  it("gives up a row that is always too slow, and imports the others", async (t) => {
    const { file, outcomes, tries } = await importOdd(
      t,
      "stuck",
      Array.from({ length: 99 }, () => TOO_SLOW),
    );
    assert.deepEqual([file.status, file.created, file.failed], ["processed", ROWS - 1, 1]);
    assert.match(outcomes[ODD - 1].message, /a fault on our side/);
    assert.equal(tries, 10);
  });

  it("goes on with the rows that are not done when the database failed in the middle", async (t) => {
    await api.sql(`
      create sequence claims_seen;
      create function see_claims() returns trigger language plpgsql security definer as $$
        begin perform nextval('claims_seen'); return new; end $$;
      create trigger see_claims before update on import_file for each row
         when (new.claim is distinct from old.claim and new.claim is not null)
         execute function see_claims()`);
    t.after(() => api.sql("drop function see_claims cascade; drop sequence claims_seen"));
    // The first half is recorded, the second meets a database without memory.
    const { file, tries } = await importOdd(t, "away", [DEFECT, OUT_OF_MEMORY, ""]);
    assert.deepEqual([file.status, file.created, file.failed], ["processed", ROWS, 0]);
    assert.equal(tries, 3);
    const [seen] = await api.sql("select last_value::int as claims from claims_seen");
    assert.equal(seen?.claims, 1, "nobody had to wait for the end of a lease");
  });

  it("stops when one row after the other fails, because no row is at fault then", async (t) => {
    const states = Array.from({ length: 999 }, () => DEFECT);
    const { file, outcomes, tries } = await importOdd(t, "broken", states, (row) => row > 2);
    assert.deepEqual([file.status, file.created, file.failed], ["error", 2, 25]);
    assert.match(file.problem, /a fault on our side, so the import was stopped/);
    assert.equal(outcomes.length, 27);
    assert.ok(tries < 70, `${tries} tries`);
  });
});
