import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { FOLDERS, normalizePath, placeOf } from "./folder.path.ts";

const part = fc.oneof(
  fc.constantFrom("..", ".", "", "inbox", "processed", "error", "etc", "a.csv", "...", "..\\.."),
  fc.string({ maxLength: 8 }),
);

describe("paths of the file drop", () => {
  it("lead to the root, to one of three folders, to a file directly in one, or nowhere", () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), fc.boolean(), (parts, isAbsolute) => {
        const place = placeOf(`${isAbsolute ? "/" : ""}${parts.join("/")}`);
        if (place.kind === "file") {
          assert.ok(FOLDERS.includes(place.folder));
          assert.ok(!["", ".", ".."].includes(place.name) && !place.name.includes("/"));
        }
      }),
    );
  });

  it("are absolute once they are normalised, and stay as they are from then on", () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const once = normalizePath(parts.join("/"));
        assert.match(once ?? "", /^\//);
        assert.equal(normalizePath(once), once);
      }),
    );
  });

  const MEANT: Readonly<Record<string, string>> = {
    "": "/",
    ".": "/",
    "..": "/",
    "../../../etc/passwd": "/etc/passwd",
    "/inbox/../../inbox/a.csv": "/inbox/a.csv",
    "/inbox/./a.csv": "/inbox/a.csv",
    "//inbox//a.csv/": "/inbox/a.csv",
    "/inbox/x/../../processed": "/processed",
    "inbox/...": "/inbox/...",
  };
  for (const [sent, path] of Object.entries(MEANT)) {
    it(`mean '${path}' by '${sent}'`, () => assert.equal(normalizePath(sent), path));
  }

  it("are nowhere if they are not UTF-8, or too long", () => {
    for (const sent of [undefined, `/inbox/${"a".repeat(1_024)}`]) {
      assert.deepEqual(placeOf(sent), { kind: "nowhere" });
    }
  });
});
