import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changeFormat, valuesIn } from "./change.ts";

describe("a message about a change", () => {
  const formats: readonly [string, string, number][] = [
    ["You now have %@ points", "You now have %@ points", 1],
    ["20% more: %@", "20%% more: %@", 1],
    ["20%% more: %@", "20%% more: %@", 1],
    ["%@% of all", "%@%% of all", 1],
    ["%@ of %@", "%@ of %@", 2],
    ["100 %%@", "100 %%@", 0],
    ["%1$@ of %d", "%%1$@ of %%d", 0],
    ["%%%@%", "%%%@%%", 1],
  ];
  for (const [message, format, count] of formats) {
    it(`${message} is ${format}, with ${count} of the value`, () => {
      assert.equal(changeFormat(message), format);
      assert.equal(changeFormat(format), format);
      assert.equal(valuesIn(message), count);
    });
  }
});
