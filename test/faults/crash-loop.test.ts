import assert from "node:assert/strict";
import { it } from "node:test";
import { faultsOf, runCrashLoop, summarise } from "./crash-loop.ts";

it("no acknowledged write is lost, doubled or torn when the product is killed under load", async (t) => {
  const result = await runCrashLoop({ rounds: 5 });

  t.diagnostic(summarise(result));
  assert.deepEqual(faultsOf(result), []);
  assert.ok(result.acknowledged > 0);
  assert.equal(result.databaseKills, 1);
});
