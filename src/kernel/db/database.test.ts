import assert from "node:assert/strict";
import { describe, it } from "node:test";
import pg from "pg";
import { collectLog, type LentDatabase, lendDatabase, originOf } from "#test/support/kernel.ts";
import type { ProblemError } from "../errors.ts";
import type { Database } from "./database.ts";
import { sql } from "./sql.ts";

const allTenants = () => sql<{ id: string }>`select id from tenant order by id`;
const insertTenant = (id: string) =>
  sql`
    insert into tenant (id, name, version, settings, created_at, updated_at)
    values (${id}, ${id}, 1, '{}', now(), now())
  `;

async function withTenants(t: Parameters<typeof lendDatabase>[0]): Promise<LentDatabase> {
  const database = await lendDatabase(t);
  await database.sql(`
    insert into tenant (id, name, version, settings, created_at, updated_at)
    values ('acme', 'acme', 1, '{}', now(), now()), ('rival', 'rival', 1, '{}', now(), now())`);
  return database;
}

const readIds = async (db: Database, tenantId: string) =>
  (await db.read(tenantId, allTenants())).map(({ id }) => id);

describe("row-level security", { concurrency: 4 }, () => {
  it("a statement without a where finds the own tenant's rows only", async (t) => {
    const db = (await withTenants(t)).open();
    assert.deepEqual(await readIds(db, "acme"), ["acme"]);
    assert.deepEqual(await readIds(db, "rival"), ["rival"]);
    assert.deepEqual(await readIds(db, "nobody"), []);
    assert.deepEqual(await db.readAsSystem(allTenants()), [{ id: "acme" }, { id: "rival" }]);
    const rows = await db.transaction(originOf("acme"), (tx) => tx.many(allTenants()));
    assert.deepEqual(rows, [{ id: "acme" }]);
  });

  it("writes touch no other tenant's rows, where or no where", async (t) => {
    const database = await withTenants(t);
    const db = database.open();
    const count = await db.transaction(originOf("acme"), (tx) =>
      tx.run(sql`update tenant set name = 'mine'`),
    );
    assert.equal(count, 1);
    const aimed = sql`delete from tenant where id = ${"rival"}`;
    assert.equal(await db.transaction(originOf("acme"), (tx) => tx.run(aimed)), 0);
    await db.read("acme", sql`update tenant set name = 'read' where id = ${"rival"}`);
    assert.deepEqual(await database.sql("select id, name from tenant order by id"), [
      { id: "acme", name: "mine" },
      { id: "rival", name: "rival" },
    ]);
    const foreign = { code: "42501" };
    await assert.rejects(
      db.transaction(originOf("acme"), (tx) => tx.run(insertTenant("other"))),
      foreign,
    );
    await assert.rejects(db.read("acme", insertTenant("other")), foreign);
  });

  it("a connection without a tenant sees no rows", async (t) => {
    const database = await withTenants(t);
    const client = new pg.Client({ ...database.connection, options: "-c role=billfold_app" });
    await client.connect();
    database.undoLater(() => client.end());
    assert.deepEqual((await client.query("select id from tenant")).rows, []);
  });

  it("a connection that keeps its tenant serves nobody else under it, failures and the machinery included", async (t) => {
    const database = await withTenants(t);
    const db = database.open(1);
    assert.deepEqual(await readIds(db, "acme"), ["acme"]);
    assert.deepEqual(await readIds(db, "acme"), ["acme"]);
    assert.deepEqual(await readIds(db, "*"), ["acme", "rival"]);
    assert.deepEqual(await readIds(db, "acme"), ["acme"]);
    await assert.rejects(db.read("rival", sql`select 1 / 0`));
    assert.deepEqual(await readIds(db, "acme"), ["acme"]);
    await assert.rejects(db.read("acme", sql`select no_such_column from tenant`));
    assert.deepEqual(await readIds(db, "rival"), ["rival"]);
    await db.transaction(originOf("acme"), async (tx) => {
      assert.deepEqual(await tx.many(allTenants()), [{ id: "acme" }]);
    });
    assert.deepEqual(await readIds(db, "rival"), ["rival"]);
    await assert.rejects(db.transaction(originOf("acme"), () => Promise.reject(new Error("no"))));
    assert.deepEqual(await readIds(db, "rival"), ["rival"]);
  });

  it("one connection shared by interleaved tenants and failing work leaks nothing", async (t) => {
    const db = (await withTenants(t)).open(1);
    const work = Array.from({ length: 60 }, async (_, index) => {
      const tenantId = index % 2 === 0 ? "acme" : "rival";
      if (index % 5 === 0) {
        const fail = db.transaction(originOf(tenantId), async (tx) => {
          await tx.many(allTenants());
          if (index % 10 === 0) await tx.run(sql`select 1 / 0`);
          throw new Error("stop");
        });
        await assert.rejects(fail);
        return;
      }
      if (index % 7 === 0) await assert.rejects(db.read(tenantId, sql`select 1 / 0`));
      if (index % 3 === 0) {
        const rows = await db.transaction(originOf(tenantId), (tx) => tx.many(allTenants()));
        assert.deepEqual(rows, [{ id: tenantId }]);
      }
      assert.deepEqual(await readIds(db, tenantId), [tenantId]);
    });
    await Promise.all(work);
    const after = sql<{ tenant: string }>`select current_setting('app.tenant', true) as tenant`;
    assert.deepEqual(await db.read("acme", after), [{ tenant: "acme" }]);
  });

  it("a tenant id that is none is refused before it becomes text of a statement", async (t) => {
    const db = (await lendDatabase(t)).open();
    const work = db.transaction(originOf("x'; drop table tenant; --"), async () => undefined);
    await assert.rejects(work, /Not a tenant id/);
  });
});

describe("transactions", { concurrency: 4 }, () => {
  it("a deadlock is run again and both sides succeed", async (t) => {
    const database = await withTenants(t);
    const { log, lines } = collectLog();
    const db = database.open(2, log);
    const rename = (id: string) => sql`update tenant set version = version + 1 where id = ${id}`;
    const firstLocks = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const run = (mine: 0 | 1, first: string, second: string) =>
      db.transaction(originOf("*"), async (tx) => {
        await tx.run(rename(first));
        firstLocks[mine].resolve();
        await firstLocks[mine === 0 ? 1 : 0].promise;
        await tx.run(rename(second));
      });
    await Promise.all([run(0, "acme", "rival"), run(1, "rival", "acme")]);
    assert.ok(lines.some(({ msg }) => msg === "transaction is run again"));
    const versions = "select version from tenant where id in ('acme', 'rival')";
    assert.deepEqual(await database.sql(versions), [{ version: 3 }, { version: 3 }]);
  });

  it("503: who meets a deadlock at every attempt is told to come again", async (t) => {
    const db = (await withTenants(t)).open(1);
    let count = 0;
    const raise = sql`
      do $$ begin raise exception 'deadlock detected' using errcode = '40P01'; end $$
    `;
    const run = db.transaction(originOf("*"), async (tx) => {
      count += 1;
      await tx.run(raise);
    });
    await assert.rejects(run, (error: ProblemError) => {
      assert.deepEqual([error.status, error.headers["retry-after"], count], [503, "2", 3]);
      return true;
    });
    assert.deepEqual(await readIds(db, "acme"), ["acme"]);
  });

  it("who guessed wrong runs again at once, knowing it, and no log tells of it", async (t) => {
    const database = await withTenants(t);
    const { log, lines } = collectLog();
    const db = database.open(1, log);
    const guesses: boolean[] = [];
    await db.transaction(originOf("acme"), async (tx) => {
      guesses.push(tx.mayGuess);
      tx.defer(sql`update tenant set version = version + 1 where id = 'acme'`);
      if (tx.mayGuess) tx.defer(sql`select require_guess(${false})`);
    });
    assert.deepEqual([guesses, lines], [[true, false], []]);
    const version = "select version from tenant where id = 'acme'";
    assert.deepEqual(await database.sql(version), [{ version: 2 }]);

    const never = db.transaction(originOf("acme"), async (tx) => {
      tx.defer(sql`select require_guess(${false})`);
    });
    await assert.rejects(never, { code: "ZG001" });
    assert.deepEqual(await database.sql(version), [{ version: 2 }]);
  });

  it("a lost connection answers 503 and the next call works", async (t) => {
    const database = await withTenants(t);
    const db = database.open(1);
    const pause = sql`select pg_sleep(10)`;
    const failsWhenCut = async (work: Promise<unknown>) => {
      const cutting = setInterval(() => {
        void database.sql(`
          select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and query like '%pg_sleep(10)' and state = 'active'
             and pid <> pg_backend_pid()`);
      }, 50);
      await assert.rejects(work, { code: "service.unavailable" });
      clearInterval(cutting);
    };
    await failsWhenCut(db.read("acme", pause));
    await failsWhenCut(db.transaction(originOf("acme"), (tx) => tx.run(pause)));
    assert.deepEqual(await readIds(db, "acme"), ["acme"]);
  });
});

describe("named statements", { concurrency: 4 }, () => {
  type Query = (db: Database, statement: ReturnType<typeof sql>) => Promise<unknown>;
  const ways: Record<string, Query> = {
    "db.read": (db, statement) => db.read("acme", statement),
    "a transaction": (db, statement) =>
      db.transaction(originOf("acme"), (tx) => tx.many(statement)),
  };

  for (const [way, query] of Object.entries(ways)) {
    it(`${way}: a statement that could not be parsed works once it can`, async (t) => {
      const database = await lendDatabase(t);
      const db = database.open(1);
      const statement = () => sql`select n from late where n = ${1}`;
      await assert.rejects(query(db, statement()), { code: "42P01" });
      await assert.rejects(query(db, statement()), { code: "42P01" });
      await database.sql("create table late as select 1 as n");
      await database.sql("grant select on late to billfold_app");
      assert.deepEqual(await query(db, statement()), [{ n: 1 }]);
      assert.deepEqual(await query(db, statement()), [{ n: 1 }]);
    });

    it(`${way}: a statement works again after values it could not take`, async (t) => {
      const db = (await lendDatabase(t)).open(1);
      const statement = (value: unknown) => sql`select ${value}::int as n`;
      await assert.rejects(query(db, statement("x")), { code: "22P02" });
      assert.deepEqual(await query(db, statement("7")), [{ n: 7 }]);
      await assert.rejects(query(db, statement("x")), { code: "22P02" });
      assert.deepEqual(await query(db, statement("8")), [{ n: 8 }]);
    });

    it(`${way}: a statement works again after a value that cannot be sent at all`, async (t) => {
      const db = (await lendDatabase(t)).open(1);
      const statement = (value: unknown) => sql`select ${value}::jsonb as n`;
      await assert.rejects(query(db, statement({ big: 1n })), TypeError);
      assert.deepEqual(await query(db, statement({ n: 7 })), [{ n: { n: 7 } }]);
      await assert.rejects(query(db, statement({ big: 1n })), TypeError);
      assert.deepEqual(await query(db, statement({ n: 8 })), [{ n: { n: 8 } }]);
    });
  }

  it("both ways share one name on one connection", async (t) => {
    const db = (await lendDatabase(t)).open(1);
    const statement = () => sql`select ${"1"}::int as n`;
    for (let round = 0; round < 2; round += 1) {
      for (const query of Object.values(ways)) {
        assert.deepEqual(await query(db, statement()), [{ n: 1 }]);
      }
    }
  });
});
