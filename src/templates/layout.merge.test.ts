import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isObject } from "#kernel/json.ts";
import { deepMerge, type JsonObject } from "./layout.merge.ts";

const key = fc.constantFrom("a", "b", "c", "d");
const { object } = fc.letrec<{ node: unknown; object: JsonObject }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    fc.integer(),
    fc.string(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.integer(), { maxLength: 3 }),
    tie("object"),
  ),
  object: fc.dictionary(key, tie("node"), { maxKeys: 4, noNullPrototype: true }),
}));

function hasNull(value: unknown): boolean {
  return value === null || (isObject(value) && Object.values(value).some(hasNull));
}
/** True if the layer replaces a whole object of the base by something that is not an object. */
function takesAway(base: JsonObject, layer: JsonObject): boolean {
  return Object.entries(layer).some(([name, value]) => {
    const group = base[name];
    return isObject(group) && (!isObject(value) || takesAway(group, value));
  });
}
const withoutNull = object.filter((value) => !hasNull(value));

describe("deepMerge", () => {
  it("with nothing on top changes nothing", () => {
    fc.assert(fc.property(object, (base) => assert.deepEqual(deepMerge(base, {}), base)));
  });

  it("over nothing gives the layer without its nulls", () => {
    fc.assert(fc.property(withoutNull, (layer) => assert.deepEqual(deepMerge({}, layer), layer)));
    fc.assert(fc.property(object, (layer) => assert.equal(hasNull(deepMerge({}, layer)), false)));
  });

  it("twice is the same as once", () => {
    fc.assert(
      fc.property(object, object, (base, layer) => {
        const once = deepMerge(base, layer);
        assert.deepEqual(deepMerge(once, layer), once);
      }),
    );
  });

  it("in two steps is the same as in one, where nothing is taken away", () => {
    fc.assert(
      fc.property(object, withoutNull, withoutNull, (base, first, second) => {
        fc.pre(!takesAway(base, first));
        const apart = deepMerge(deepMerge(base, first), second);
        assert.deepEqual(apart, deepMerge(base, deepMerge(first, second)));
      }),
    );
  });

  it("leaves both documents as they were", () => {
    fc.assert(
      fc.property(object, object, (base, layer) => {
        const before = JSON.stringify([base, layer]);
        deepMerge(base, layer);
        assert.equal(JSON.stringify([base, layer]), before);
      }),
    );
  });

  it("merges objects, replaces lists and single values, and takes away at null", () => {
    const base = { a: { x: 1, y: 2 }, list: [1, 2], gone: true, kept: 1 };
    const layer = { a: { y: 3 }, list: [9], gone: null, fresh: { deep: null, z: 1 } };
    assert.deepEqual(deepMerge(base, layer), {
      a: { x: 1, y: 3 },
      list: [9],
      kept: 1,
      fresh: { z: 1 },
    });
  });

  it("takes away members of objects in lists, but no element of a list", () => {
    const layer = { list: [{ a: null, b: { c: null } }, null, [{ d: null, e: 1 }]] };
    assert.deepEqual(deepMerge({}, layer), { list: [{ b: {} }, null, [{ e: 1 }]] });
    assert.equal("polluted" in {}, false);
    const merged = deepMerge({}, JSON.parse('{"list": [{"__proto__": {"polluted": true}}]}'));
    assert.deepEqual(merged, { list: [{}] });
  });

  it("cannot reach the prototype of anything", () => {
    const merged = deepMerge({}, JSON.parse('{"__proto__": {"polluted": true}, "a": 1}'));
    assert.deepEqual(merged, { a: 1 });
    assert.equal("polluted" in {}, false);
    assert.equal(Object.getPrototypeOf(merged), Object.prototype);
  });
});
