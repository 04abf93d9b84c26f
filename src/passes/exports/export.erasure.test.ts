import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import pg from "pg";
import { systemCall } from "#kernel/call.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi, type TestApi } from "#test/support/start-api.ts";
import { finishTask } from "#test/support/tasks.ts";
import { untilBlocked } from "#test/support/until-blocked.ts";
import { checkExports } from "./export-check.jobs.ts";

const AT_ONCE = 12;
const PASSES_AT_ONCE = 5;
const SCHEDULE = 'tasks:\n  - { id: all, kind: export, cron: "0 4 * * *" }\n';

const api = await startApi({ after });
const key = api.operatorKey;

/** Calls `act` for each, so many at a time. */
async function each<Item>(items: readonly Item[], count: number, act: (item: Item) => unknown) {
  const waiting = [...items];
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await act(item);
  };
  await Promise.all(Array.from({ length: count }, work));
}

async function seedPasses(tenantId: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  const numbers = Array.from({ length: count }, (_, at) => `${tenantId}-${at}`);
  await each(numbers, PASSES_AT_ONCE, async (number) => {
    const { id } = await seedPass(api, tenantId, { identifiers: { "loyalty.number": number } });
    ids.push(id);
  });
  return ids.sort();
}

async function erase(tenantId: string, id: string): Promise<void> {
  const { status, text } = await api.delete(`/api/${tenantId}/passes/${id}`, { key });
  assert.equal(status, 204, text);
}

/** The file of a new run, and what it has by now. */
async function exportAll(tenantId: string) {
  const { executionId } = await finishTask(api, tenantId, "all");
  const path = `/api/${tenantId}/scheduler/all/executions/${executionId}`;
  return {
    executionId,
    async read() {
      const { text } = await api.get(`${path}/file`, { key });
      const { body } = await api.get(path, { key });
      return { text, lines: text.trimEnd().split("\r\n").slice(1), file: body.file };
    },
  };
}

type Exported = Awaited<ReturnType<typeof exportAll>>;

async function assertLeft({ read }: Exported, kept: readonly string[], erased: readonly string[]) {
  const { text, lines, file } = await read();
  // Otherwise the file is right: nobody has erased them.
  const there = await api.sql("select id from pass where id = any($1)", [erased]);
  assert.deepEqual(there, [], "passes that were to be erased are still there");
  const back = erased.filter((id) => text.includes(id));
  assert.equal(back.length, 0, `${back.length} of ${erased.length} erased passes are in the file`);
  assert.deepEqual(
    lines.map((line) => line.split(",")[0]),
    kept,
  );
  assert.deepEqual([file.rows, file.sizeBytes], [kept.length, Buffer.byteLength(text)]);
}

/** As if the file were large: parts with few lines. */
async function splitParts({ executionId }: Exported, linesMax: number): Promise<void> {
  await api.sql(
    `with whole as (
       delete from task_file_part where execution_id = $1 and position > 0 returning *)
     insert into task_file_part (tenant_id, execution_id, position, keys, lines, first_key, last_key)
     select tenant_id, execution_id, 1 + (at - 1) / $2, array_agg(key order by at),
            array_agg(line order by at), min(key), max(key)
       from whole, unnest(keys, lines) with ordinality as one (key, line, at)
      group by tenant_id, execution_id, 1 + (at - 1) / $2`,
    [executionId, linesMax],
  );
}

async function holdParts(t: { after(undo: () => Promise<void>): void }, { executionId }: Exported) {
  const client = new pg.Client(api.database.connection);
  await client.connect();
  t.after(() => client.end());
  await client.query("set app.tenant = '*'");
  await client.query("begin");
  await client.query("select from task_file_part where execution_id = $1 for update", [
    executionId,
  ]);
  return () => client.query("commit");
}

const runAgain = ({ logLines }: TestApi) =>
  logLines.filter((line) => line.includes("transaction is run again"));

describe("passes that are erased at the same time", () => {
  it("204: 300 of them, 12 at a time, are in no exported file any more", async () => {
    await seedPassTenant(api, "many", { "server/schedule.yml": SCHEDULE });
    const ids = await seedPasses("many", 303);
    const kept = ids.filter((_, at) => at % 101 === 50);
    const erased = ids.filter((id) => !kept.includes(id));
    assert.equal(erased.length, 300);
    const files = [await exportAll("many"), await exportAll("many")];
    await each(erased, AT_ONCE, (id) => erase("many", id));
    for (const file of files) await assertLeft(file, kept, erased);
  });

  it("204: two wait for the same part, and the second keeps nothing that the first deleted", async (t) => {
    await seedPassTenant(api, "two", { "server/schedule.yml": SCHEDULE });
    const [first = "", second = "", ...kept] = await seedPasses("two", 3);
    const file = await exportAll("two");
    const release = await holdParts(t, file);
    const erasures = [erase("two", first), erase("two", second)];
    await untilBlocked(api, 2);
    await release();
    await Promise.all(erasures);
    await assertLeft(file, kept, [first, second]);
  });

  it("204: people with passes in several parts of several files do not wait in a circle", async () => {
    await seedPassTenant(api, "circle", { "server/schedule.yml": SCHEDULE });
    const ids = await seedPasses("circle", 48);
    const files = [await exportAll("circle"), await exportAll("circle")];
    for (const file of files) await splitParts(file, 4);
    const people: string[] = [];
    for (let at = 0; at < 16; at += 1) {
      // Each has a pass at the beginning, in the middle and at the end, in no order.
      const own = [at, 47 - at, 16 + ((at * 7) % 16)].map((place) => ids[place] ?? "");
      const identifiers = { "club.person": `person-${at}` };
      const made = await api.post("/api/circle/customers", { key, body: { identifiers } });
      assert.equal(made.status, 201, made.text);
      people.push(made.body.customerId);
      for (const id of own) {
        const { status, text } = await api.patch(`/api/circle/passes/${id}`, {
          key,
          body: { identifiers },
        });
        assert.ok(status < 300, text);
      }
    }
    const before = runAgain(api).length;
    await each(people, AT_ONCE, async (id) => {
      const path = `/api/circle/customers/${id}?passes=true`;
      const { status, text } = await api.delete(path, { key });
      assert.equal(status, 204, text);
    });
    for (const file of files) await assertLeft(file, [], ids);
    assert.deepEqual(runAgain(api).slice(before), []);
  });
});

describe("files of a release that left lines of erased passes", () => {
  const check = () =>
    checkExports.run(systemCall(api.runtime, checkExports.name), {}, AbortSignal.timeout(30_000));
  const checked = async ({ executionId }: Exported) => {
    const rows = await api.sql("select lines_checked from task_execution where id = $1", [
      executionId,
    ]);
    return rows[0]?.lines_checked;
  };

  /** Erases passes, and leaves their lines as the race did. */
  async function eraseBehind(tenantId: string, ids: readonly string[], exported: Exported) {
    const { executionId } = exported;
    const stored = `select array_agg(to_jsonb(part)) as parts from task_file_part as part
                     where execution_id = $1`;
    const [row] = await api.sql(stored, [executionId]);
    const [counts] = await api.sql(
      "select file_rows, file_bytes from task_execution where id = $1",
      [executionId],
    );
    for (const id of ids) await erase(tenantId, id);
    await api.sql(
      `update task_file_part as part
          set keys = former.keys, lines = former.lines
         from jsonb_populate_recordset(null::task_file_part, $2::jsonb) as former
        where part.execution_id = $1 and former.position = part.position`,
      [executionId, JSON.stringify(row?.parts)],
    );
    await api.sql(
      `update task_execution
          set file_rows = $2, file_bytes = $3, lines_checked = false where id = $1`,
      [executionId, counts?.file_rows, counts?.file_bytes],
    );
  }

  it("lose these lines once, whatever file they are in, and keep all others", async () => {
    for (const tenantId of ["former", "other"]) {
      await seedPassTenant(api, tenantId, { "server/schedule.yml": SCHEDULE });
    }
    const ids = await seedPasses("former", 45);
    const erased = ids.filter((_, at) => at % 3 === 0 || at > 40);
    const kept = ids.filter((id) => !erased.includes(id));
    const file = await exportAll("former");
    // More parts than are looked at in one step.
    await splitParts(file, 1);
    await eraseBehind("former", erased, file);
    assert.equal((await file.read()).lines.length, 45);
    const own = await seedPasses("other", 3);
    const untouched = await exportAll("other");
    await eraseBehind("other", [], untouched);

    await check();

    await assertLeft(file, kept, erased);
    await assertLeft(untouched, own, []);
    assert.deepEqual([await checked(file), await checked(untouched)], [true, true]);
    assert.equal(await checked(await exportAll("other")), true, "a new file needs no such look");
  });

  it("wait for their turn while an erasure has their lines", async (t) => {
    await seedPassTenant(api, "held", { "server/schedule.yml": SCHEDULE });
    const [first = "", second = "", ...kept] = await seedPasses("held", 4);
    const file = await exportAll("held");
    await eraseBehind("held", [first], file);
    const release = await holdParts(t, file);
    const work = [erase("held", second), check()];
    await untilBlocked(api, 2);
    await release();
    await Promise.all(work);
    await assertLeft(file, kept, [first, second]);
  });
});
