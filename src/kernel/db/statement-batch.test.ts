import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { lendDatabase, originOf } from "#test/support/kernel.ts";
import { sql } from "./sql.ts";

const insertTenant = (id: string) => sql`
  insert into tenant (id, name, version, settings, created_at, updated_at)
  values (${id}, ${id}, 1, '{}', now(), now())
`;
const renameTenant = (name: string) => sql`update tenant set name = ${name}`;
const readName = () => sql<{ name: string }>`select name from tenant where id = 'acme'`;

describe("statements that nobody waits for", { concurrency: 4 }, () => {
  it("run in their order before the next one, which alone gives the result", async (t) => {
    const db = (await lendDatabase(t)).open(1);
    const [rows, count] = await db.transaction(originOf("acme"), async (tx) => {
      tx.defer(insertTenant("acme"));
      tx.defer(renameTenant("first"));
      tx.defer(renameTenant("second"));
      const found = await tx.many(readName());
      tx.defer(sql`select 1 as name union all select 2`);
      return [found, await tx.run(renameTenant("third"))] as const;
    });
    assert.deepEqual(rows, [{ name: "second" }]);
    assert.equal(count, 1);
    assert.deepEqual(await db.read("acme", readName()), [{ name: "third" }]);
  });

  it("run with the commit when nothing else follows", async (t) => {
    const db = (await lendDatabase(t)).open(1);
    await db.transaction(originOf("acme"), async (tx) => tx.defer(insertTenant("acme")));
    assert.deepEqual(await db.read("acme", readName()), [{ name: "acme" }]);
  });

  it("fail the commit they travel with, and everything is undone", async (t) => {
    const db = (await lendDatabase(t)).open(1);
    const work = db.transaction(originOf("acme"), async (tx) => {
      await tx.run(insertTenant("acme"));
      tx.defer(insertTenant("acme"));
      tx.defer(renameTenant("after"));
    });
    await assert.rejects(work, { code: "23505" });
    assert.deepEqual(await db.read("acme", readName()), []);
  });

  it("leave a connection that knows which statements it has, whatever failed", async (t) => {
    const db = (await lendDatabase(t)).open(1);
    await db.transaction(originOf("acme"), async (tx) => tx.defer(insertTenant("acme")));
    for (let round = 0; round < 3; round += 1) {
      const fails = db.transaction(originOf("acme"), async (tx) => {
        // One statement fails when it runs or when it is parsed; the one after it is never reached.
        tx.defer(round === 1 ? sql`select nonsense` : insertTenant("acme"));
        tx.defer(sql`select ${"never reached"}::text`);
        await tx.run(renameTenant("lost"));
      });
      await assert.rejects(fails, { code: round === 1 ? "42703" : "23505" });
      const rows = await db.transaction(originOf("acme"), async (tx) => {
        tx.defer(sql`select ${"never reached"}::text`);
        tx.defer(renameTenant(`round ${round}`));
        return await tx.many(readName());
      });
      assert.deepEqual(rows, [{ name: `round ${round}` }]);
    }
  });

  it("are not sent for a transaction that does nothing", async (t) => {
    const database = await lendDatabase(t);
    const db = database.open(1);
    await db.read("acme", readName());
    assert.equal(await db.transaction(originOf("acme"), async () => "done"), "done");
    await assert.rejects(
      db.transaction(originOf("acme"), () => Promise.reject(new Error("changed my mind"))),
      /changed my mind/,
    );
    assert.deepEqual(await db.read("acme", readName()), []);
  });

  it("go before text that libraries bring", async (t) => {
    const db = (await lendDatabase(t)).open(1);
    const { rows } = await db.transaction(originOf("acme"), async (tx) => {
      tx.defer(insertTenant("acme"));
      return await tx.runText("select name from tenant", []);
    });
    assert.deepEqual(rows, [{ name: "acme" }]);
  });
});
