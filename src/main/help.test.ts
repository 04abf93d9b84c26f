import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { ROOT } from "#test/support/sources.ts";
import { SETTING_NAMES } from "./config.ts";
import { renderHelp } from "./help.ts";

describe("settings in words", () => {
  it("the help names every setting there is, and no other", () => {
    const [, settings = ""] = renderHelp("1.2.3").split("npm start\n\n");
    const named = [...settings.matchAll(/^ {2}([A-Z][A-Z_, ]*[A-Z])/gm)].flatMap(([, names = ""]) =>
      names.split(", "),
    );
    assert.deepEqual(named.sort(), [...SETTING_NAMES].sort());
  });

  it("the README has a row for every setting there is, and for no other", () => {
    const [, section = ""] = readFileSync(join(ROOT, "README.md"), "utf8").split("\n## Settings\n");
    const [table = ""] = section.split("\n## ");
    const named = [...table.matchAll(/^\| (`[A-Z_`, ]+`) \|/gm)].flatMap(([, names = ""]) =>
      names.replaceAll("`", "").split(", "),
    );
    assert.deepEqual(named.sort(), [...SETTING_NAMES].sort());
  });
});
