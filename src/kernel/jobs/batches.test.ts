import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { abortAfter } from "#test/support/abort-after.ts";
import { collectLog, lendDatabase, testClock } from "#test/support/kernel.ts";
import { systemCall } from "../call.ts";
import type { Runtime } from "../runtime.ts";
import { tenantNotFound } from "../tenant.errors.ts";
import { inBatches, purgeInTurns } from "./batches.ts";

type Owner = Parameters<typeof lendDatabase>[0];

/** So many old rows of each tenant, of which a batch takes ten. */
async function start(owner: Owner, rows: Record<string, number>) {
  const { log, lines } = collectLog();
  const db = (await lendDatabase(owner)).open();
  const context = systemCall({ db, log, clock: testClock } as Runtime, "thing.purge");
  const order: string[] = [];
  const purge = (signal: AbortSignal, fail = (_tenantId: string): unknown => undefined) =>
    purgeInTurns(
      context,
      Object.keys(rows),
      {
        rowsMax: 10,
        async run({ tenantId }) {
          order.push(tenantId);
          const error = fail(tenantId);
          if (error !== undefined) throw error;
          const count = Math.min(10, rows[tenantId] ?? 0);
          rows[tenantId] = (rows[tenantId] ?? 0) - count;
          return count;
        },
      },
      signal,
    );
  return { purge, order, lines };
}

const never = new AbortController().signal;

describe("the purge of many tenants", () => {
  it("takes turns, and goes on until nothing is left: no number of batches ends it", async (t) => {
    const rows = { few: 3, many: 25, most: 5_000 };
    const { purge, order } = await start(t, rows);
    await purge(never);
    assert.deepEqual(rows, { few: 0, many: 0, most: 0 });
    assert.deepEqual(order.slice(0, 6), ["few", "many", "most", "many", "most", "many"]);
    assert.equal(order.length, 1 + 3 + 501);
  });

  it("stops between two batches when it is told to", async (t) => {
    const rows = { a: 100, b: 100 };
    const { purge } = await start(t, rows);
    await purge(AbortSignal.abort());
    assert.deepEqual(rows, { a: 100, b: 100 });
    await purge(abortAfter(3));
    assert.deepEqual(rows, { a: 80, b: 90 });
  });

  it("goes on without a tenant whose batch failed, and says so, and without one that has ended", async (t) => {
    const rows = { broken: 20, ended: 20, whole: 20 };
    const { purge, order, lines } = await start(t, rows);
    await purge(never, (tenantId) => {
      if (tenantId === "ended") return tenantNotFound({ tenantId });
      return tenantId === "broken" ? new Error("as if") : undefined;
    });
    assert.deepEqual(rows, { broken: 20, ended: 20, whole: 0 });
    assert.deepEqual(order, ["broken", "ended", "whole", "whole", "whole"]);
    assert.deepEqual(
      lines.map(({ tenantId, op, msg }) => [tenantId, op, msg]),
      [["broken", "thing.purge", "a batch of a tenant failed: the next run tries it again"]],
    );
  });

  it("fails if no batch of any tenant succeeded, so that the queue tries it again", async (t) => {
    const { purge, order } = await start(t, { one: 20, other: 20 });
    await assert.rejects(
      purge(never, () => new Error("no database")),
      /no database/,
    );
    assert.deepEqual(order, ["one", "other"]);
  });
});

describe("a batch that is repeated", () => {
  it("ends with one that is not full, or when it is told to, and counts all", async () => {
    const counts = [10, 10, 4, 10];
    const batch = async () => counts.shift() ?? 0;
    assert.equal(await inBatches(10, never, batch), 24);
    assert.equal(await inBatches(10, AbortSignal.abort(), batch), 0);
    assert.deepEqual(counts, [10]);
  });
});
