import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { closest } from "./spelling.ts";

describe("closest", () => {
  const known = ["background", "foreground", "label", "kind", "key", "passTypeIdentifier"];

  for (const [name, meant] of [
    ["backgroud", "background"],
    ["Background", "background"],
    ["lable", "label"],
    ["kidn", "kind"],
    ["keys", "key"],
    ["passtypeidentifer", "passTypeIdentifier"],
    ["colour", undefined],
    ["x", undefined],
    ["", undefined],
    ["b".repeat(100_000), undefined],
  ] as const) {
    it(`of '${name.slice(0, 20)}' is ${meant}`, () => assert.equal(closest(name, known), meant));
  }

  it("is the name itself when it is known", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, maxLength: 20 }), { minLength: 1 }),
        (names) => {
          const [name = ""] = names;
          assert.equal(closest(name, names)?.toLowerCase(), name.toLowerCase());
        },
      ),
    );
  });
});
