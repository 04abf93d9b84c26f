import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import Type from "typebox";
import { defineEvent } from "#kernel/events/define.ts";
import { allEvents } from "#main/modules.ts";
import { eventsDocument } from "../../scripts/events-document.ts";
import { ROOT } from "../support/sources.ts";

describe("docs/events.md", () => {
  it("is what the definitions give: run `npm run generate` after a change", () => {
    const stored = readFileSync(join(ROOT, "docs/events.md"), "utf8");
    assert.equal(stored, eventsDocument(allEvents()));
  });

  it("tells of every event its name, when it happens, an example and each field", () => {
    const moved = defineEvent({
      name: "shelf.*.moved",
      version: 2,
      summary: "A shelf moved.",
      payload: Type.Object({
        at: Type.String({ format: "date-time", description: "When | <where>." }),
        by: Type.Union([Type.Object({ name: Type.String() }), Type.Null()]),
        items: Type.Array(Type.Object({ kind: Type.Enum(["book", "vase"]) })),
        note: Type.Optional(Type.Unknown()),
      }),
      example: { at: "2026-01-31T09:30:00.000Z", by: null, items: [{ kind: "book" }] },
    });
    const [, table, section] = eventsDocument([moved]).split(
      /^\| Event.*\n|^## shelf\.\*\.moved\n/m,
    );
    assert.match(table ?? "", /\| \[`shelf\.\*\.moved`\]\(#shelfmoved\) \| A shelf moved\. \|/);
    assert.match(section ?? "", /^\nA shelf moved\. Version 2\.\n\n```json\n\{\n {2}"at": "2026/);
    assert.deepEqual(
      (section ?? "").split("\n").filter((line) => line.startsWith("| `")),
      [
        "| `at` | time | When \\| &lt;where&gt;. |",
        "| `by` | object or null |  |",
        "| `by.name` | string |  |",
        "| `items` | array of object |  |",
        '| `items[].kind` | `"book"`, `"vase"` |  |',
        "| `note` | anything, optional |  |",
      ],
    );
  });
});
