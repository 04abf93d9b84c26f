import assert from "node:assert/strict";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { remove, start } from "#test/support/embedded-postgres.ts";
import { startStopwatch } from "#test/support/slowness.ts";

it("embedded PostgreSQL is quick at its first start and at later ones", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "billfold-test-"));
  t.after(() => remove(folder));
  const startedWithin = async () => {
    const stopwatch = startStopwatch();
    const server = await start(t, { dataDir: join(folder, "data"), durable: true });
    const elapsedMs = stopwatch();
    await server.stop();
    return elapsedMs;
  };
  const firstMs = await startedWithin();
  const laterMs = await startedWithin();
  assert.ok(firstMs < 5_000, `first start took ${firstMs} ms`);
  assert.ok(laterMs < 2_000, `second start took ${laterMs} ms`);
  t.diagnostic(`first start ${Math.round(firstMs)} ms, later ${Math.round(laterMs)} ms`);
});
