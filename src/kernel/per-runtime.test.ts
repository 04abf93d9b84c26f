import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { perRuntime } from "./per-runtime.ts";
import type { Runtime } from "./runtime.ts";

const runtimeAt = (baseUrl: string) => ({ baseUrl }) as Runtime;

describe("state of a runtime", () => {
  it("is made once, from its runtime, and not before it is asked for", () => {
    let made = 0;
    const stateOf = perRuntime(({ baseUrl }) => {
      made += 1;
      return { baseUrl };
    });
    assert.equal(made, 0);
    const runtime = runtimeAt("https://one.example");
    assert.deepEqual(stateOf(runtime), { baseUrl: "https://one.example" });
    assert.equal(stateOf(runtime), stateOf(runtime));
    assert.equal(made, 1);
  });

  it("is not seen by another runtime, nor by other state of the same one", () => {
    const [namesOf, othersOf] = [perRuntime(() => new Set()), perRuntime(() => new Set())];
    const [one, other] = [runtimeAt("https://one.example"), runtimeAt("https://one.example")];
    namesOf(one).add("Ana");
    assert.deepEqual([namesOf(one).size, namesOf(other).size, othersOf(one).size], [1, 0, 0]);
  });
});
