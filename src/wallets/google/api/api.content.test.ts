import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changeOf, pathsOf } from "./api.content.ts";

describe("what changes at Google", () => {
  const before = pathsOf({
    id: "1",
    seatInfo: { seat: { value: "4" }, row: { value: "C" } },
    barcode: { value: "x", alternateText: "y" },
    uris: [{ id: "a" }],
    balance: { string: "4" },
  });

  it("has null for members that are gone, inside objects too", () => {
    const content = { id: "1", seatInfo: { seat: { value: "5" } }, uris: [{ id: "b" }] };
    assert.deepEqual(changeOf({ ...content, balance: "5" }, before), {
      id: "1",
      seatInfo: { seat: { value: "5" }, row: null },
      barcode: null,
      uris: [{ id: "b" }],
      balance: "5",
    });
    assert.deepEqual(content.seatInfo, { seat: { value: "5" } }, "the content stays as it is");
  });

  it("is the content itself if Google has nothing yet", () => {
    assert.deepEqual(changeOf({ id: "1" }, []), { id: "1" });
  });
});
