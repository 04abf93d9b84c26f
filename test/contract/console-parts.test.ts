import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { writeMessage } from "#kernel/http/event-stream.ts";
import { listQuery } from "../../console/src/api/list-query.ts";
import { readEvents } from "../../console/src/live/stream-reader.ts";
import { linesOf, niceMax, ticksOf } from "../../console/src/parts/chart/scale.ts";
import { nextSort, readSort } from "../../console/src/parts/table/column.ts";

/** A body that arrives in pieces of these sizes. */
function bodyOf(bytes: Uint8Array, sizes: readonly number[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      let at = 0;
      for (const size of sizes) {
        if (at < bytes.length) controller.enqueue(bytes.slice(at, at + size));
        at += size;
      }
      if (at < bytes.length) controller.enqueue(bytes.slice(at));
      controller.close();
    },
  });
}

describe("the console's reader of events", () => {
  it("reads what the product writes, however the network cuts it", async () => {
    const messages = [
      { id: "a1", event: "pass.created", data: JSON.stringify({ name: "Éloïse 🎉" }) },
      { id: "a2" },
      { id: "a3", event: "api-key.deleted", data: "{}" },
    ];
    const text = `retry: 1000\n\n${messages.map(writeMessage).join(":\n\n")}`;
    const bytes = new TextEncoder().encode(text);
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(sizes, async (some) => {
        const heard = [];
        for await (const event of readEvents(bodyOf(bytes, some))) {
          if (event.id !== "") heard.push(event);
        }
        assert.deepEqual(
          heard,
          messages.map(({ id, event = "", data = "" }) => ({ id, name: event, data })),
        );
      }),
      { numRuns: 50 },
    );
  });
});

describe("a list of the console", () => {
  it("sorts up, down and not at all, click by click", () => {
    assert.deepEqual(
      [undefined, "name", "-name", "other"].map((sort) => nextSort(sort, "name")),
      ["name", "-name", undefined, "name"],
    );
    assert.deepEqual(readSort("-name"), [{ field: "name", direction: "DESC" }]);
    assert.deepEqual(readSort(undefined), []);
  });

  it("asks in the words of the API", () => {
    const filters = [{ field: "name", operator: "contains", value: "till" }] as const;
    assert.deepEqual(listQuery({ filters, sort: readSort("name"), pageSize: 100, cursor: "c" }), {
      "filter[0].field": "name",
      "filter[0].operator": "contains",
      "filter[0].value": "till",
      "sortBy[0].field": "name",
      "sortBy[0].direction": "ASC",
      pageSize: 100,
      cursor: "c",
    });
  });
});

describe("the axes of the console's charts", () => {
  it("end at a round number that holds every value, and is not far above it", () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), (largest) => {
        const max = niceMax(largest);
        assert.ok(max >= largest && max <= Math.max(4, largest * 2.5), `${largest}: ${max}`);
        assert.ok(linesOf(max).every((line) => Number.isInteger(line) && line > 0));
      }),
    );
    assert.deepEqual([0, 3, 7, 21, 130, 999].map(niceMax), [4, 4, 10, 25, 200, 1_000]);
  });

  it("have few labels, with the first and the last among them", () => {
    assert.deepEqual(ticksOf(3, 5), [0, 1, 2]);
    assert.deepEqual(ticksOf(31, 5), [0, 8, 15, 23, 30]);
  });
});
