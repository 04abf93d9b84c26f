import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changeOf, keptPaths, pathsOf } from "./api.content.ts";

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

describe("members that were taken away", () => {
  const content = { id: "1", seatInfo: { seat: { value: "5" } } };
  const before = [
    "id",
    "barcode",
    "barcode.value",
    "seatInfo",
    "seatInfo.row",
    "seatInfo.row.value",
  ];

  it("are kept if Google's answer shows them, inside objects too", () => {
    const answer = { ...content, barcode: { value: "x" } };
    assert.deepEqual(keptPaths(content, before, answer), ["barcode", "barcode.value"]);
    const seatInfo = { ...content.seatInfo, row: { value: "C" } };
    const paths = keptPaths(content, before, { ...content, seatInfo });
    assert.deepEqual(paths, ["seatInfo.row", "seatInfo.row.value"]);
  });

  it("are gone if the answer has nothing in their place", () => {
    const barcode = { kind: "walletobjects#barcode", type: "BARCODE_TYPE_UNSPECIFIED", value: "" };
    assert.deepEqual(keptPaths(content, before, { ...content, version: "2", barcode }), []);
  });
});
