import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { JsonAssembly, partsOf } from "./json-parts.ts";
import { readJson } from "./json-thread.ts";
import { parseStrictJson } from "./strict-json.ts";

function reassembled(value: unknown): { value: unknown; parts: number } {
  const assembly = new JsonAssembly();
  let parts = 0;
  for (const part of partsOf(value)) {
    assembly.add(structuredClone(part));
    parts += 1;
  }
  return { value: assembly.value, parts };
}

describe("JSON between threads", () => {
  it("comes back as it was, whatever it is", () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: "large" }), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        assert.deepEqual(reassembled(plain).value, plain);
      }),
    );
  });

  it("comes in pieces where it is large, in its own order", () => {
    const list = Array.from({ length: 30_000 }, (_, at) => ({ at, deep: [[at], { b: "x" }] }));
    const object = Object.fromEntries(list.map((item) => [`k${item.at}`, item]));
    for (const value of [list, object, { a: { b: [list, object] }, c: 1 }, [1, [list], 2]]) {
      const came = reassembled(value);
      assert.ok(came.parts > 20, `${came.parts}`);
      assert.equal(JSON.stringify(came.value), JSON.stringify(value));
    }
  });

  it("is read by a thread as it is read here, refusals included", async () => {
    const long = "x".repeat(100_000);
    for (const text of [
      JSON.stringify({ a: [long, { b: 1.5 }], c: null }),
      JSON.stringify(Array.from({ length: 20_000 }, (_, at) => ({ at }))),
      `{"a":"${long}","a":1}`,
      `[${long}]`,
      `["${long}", 1e999]`,
    ]) {
      const expected = parseStrictJson(Buffer.from(text));
      assert.deepEqual(await readJson(Buffer.from(text), "acme"), expected);
    }
  });
});
