import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { type Change, runPushCrash } from "./push-crash.ts";

for (const change of ["updates", "publication"] as const) {
  it(`${change}: every device is told, and the ledger is right, when the worker is killed in a fan-out of 10,000`, (t) =>
    killInFanOut(t, change));
}

async function killInFanOut(t: TestContext, change: Change): Promise<void> {
  const [devices, kills] = [10_000, 3];
  const undos: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const undo of undos) await undo();
  });
  const owner = { after: (undo: () => Promise<void>) => void undos.unshift(undo) };
  const result = await runPushCrash(owner, devices, kills, change);

  t.diagnostic(JSON.stringify(result));
  assert.ok(
    result.toldAtKill.every((told) => told > 0 && told < devices),
    "it was killed in the middle",
  );
  assert.equal(result.told, devices);
  const { fetched } = result;
  assert.equal(fetched, devices / 50);
  assert.deepEqual(result.ledger, { pushed: devices - fetched, fetched });
  assert.deepEqual(result.delivered, { "0": devices - fetched, "1": fetched });
  // At most two batches of a thousand were under way at each kill.
  assert.ok(result.duplicates <= kills * 2_000, String(result.duplicates));
}
