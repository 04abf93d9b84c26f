import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { newRequestId, takeRequestId } from "./request-id.ts";

const MADE = /^req_[0-9A-Za-z]{22}$/;

describe("takeRequestId", () => {
  it("keeps an id that is harmless everywhere", () => {
    for (const id of ["a", "4bf92f35-77b3.4da6:a_b", "x".repeat(128)]) {
      assert.equal(takeRequestId(id), id);
    }
  });

  it("makes a new one for everything else", () => {
    for (const id of [undefined, "", "x".repeat(129), "a b", "a\n", "é", "<script>", ["a", "b"]]) {
      assert.match(takeRequestId(id), MADE);
    }
  });

  it("property: whatever is sent, the id is safe to log and to send", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (header) => {
        assert.match(takeRequestId(header), /^[\w.:-]{1,128}$/);
      }),
    );
  });

  it("never makes the same id twice", () => {
    const ids = new Set(Array.from({ length: 20_000 }, newRequestId));
    assert.equal(ids.size, 20_000);
  });
});
