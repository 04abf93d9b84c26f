import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { it } from "node:test";
import { collectLog, lendDatabase, testClock } from "#test/support/kernel.ts";
import { systemCall } from "../call.ts";
import type { Runtime } from "../runtime.ts";
import { createResealJob } from "./sealed.jobs.ts";
import { type RowKey, resealColumn, type SealedColumn } from "./sealed-column.ts";
import { createSealer, type Sealer } from "./sealer.ts";

/** A table of the kernel with a key of several columns and types. */
const column: SealedColumn = {
  table: "idempotent_answer",
  column: "answer",
  key: ["tenant_id", "credential_id", "op", "key_hash"],
  purpose: "test",
  contextOf: placeOf,
  essential: false,
};

function placeOf(key: RowKey): string {
  return `${key.tenant_id} ${(key.key_hash as Buffer).toString("hex")}`;
}

const [old, fresh] = [randomBytes(32), randomBytes(32)];
const both = createSealer([fresh, old]);
const ROWS = 450;

it("everything is sealed anew once, in every batch; what does not open is counted and kept", async (t) => {
  const database = await lendDatabase(t);
  const before = createSealer([old]);
  const keys = Array.from({ length: ROWS }, () => randomBytes(8));
  const tenants = keys.map((_key, index) => (index % 2 === 0 ? "acme" : "rival"));
  const sealed = keys.map((key_hash, index) =>
    before.seal("test", placeOf({ tenant_id: tenants[index], key_hash }), Buffer.from(`${index}`)),
  );
  const damaged = Buffer.concat([sealed[7] ?? Buffer.alloc(0), Buffer.of(0)]);
  sealed[7] = damaged;
  await database.sql(
    `insert into idempotent_answer
     select tenant_id, 'key', 'thing.make', key_hash, 'hash', answer, now()
       from unnest($1::text[], $2::bytea[], $3::bytea[]) as row (tenant_id, key_hash, answer)`,
    [tenants, keys, sealed],
  );

  const { log, lines } = collectLog();
  const db = database.open(2, log);
  const callOf = (sealer: Sealer) =>
    systemCall({ db, sealer, clock: testClock, log } as Runtime, "master-key.reseal");
  const { signal } = new AbortController();
  assert.deepEqual(await resealColumn(callOf(both), column, signal), {
    sealed: ROWS - 1,
    unopened: 1,
  });
  assert.deepEqual(await resealColumn(callOf(both), column, signal), { sealed: 0, unopened: 1 });

  const after = createSealer([fresh]);
  const rows = await database.sql("select tenant_id, key_hash, answer from idempotent_answer");
  assert.equal(rows.length, ROWS);
  for (const row of rows) {
    const index = keys.findIndex((key) => key.equals(row.key_hash as Buffer));
    const plain = after.open("test", placeOf(row), row.answer as Buffer);
    if (index === 7) assert.deepEqual(row.answer, damaged);
    else assert.equal(plain?.toString(), `${index}`);
  }

  const job = createResealJob(() => [column]);
  await job.run(callOf(both), {}, signal);
  assert.ok(lines.some((line) => line.level === "error" && line.count === 1));
  assert.ok(!lines.some((line) => String(line.msg).includes("can be dropped")));
  await database.sql("delete from idempotent_answer where answer = $1", [damaged]);
  await job.run(callOf(both), { keyId: both.mark.toString("hex") }, signal);
  assert.ok(lines.some((line) => String(line.msg).includes("can be dropped")));

  const other = { keyId: before.mark.toString("hex") };
  await assert.rejects(job.run(callOf(both), other, signal), /another master key/);
  await assert.rejects(job.run(callOf(both), {}, AbortSignal.abort()), { name: "AbortError" });
});
