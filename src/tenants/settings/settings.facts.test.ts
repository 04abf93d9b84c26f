import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkSettings } from "./settings.check.ts";

const read = (text: string) => checkSettings(Buffer.from(text), []);

describe("facts of tenant.yml", () => {
  it("are those of a file that is wrong elsewhere", () => {
    const { settings, facts } = read(
      "name: Café Lune\ntimeZone: Europe/Paris\ndefaultLocale: fr\nunknown: 1\n",
    );
    assert.equal(settings, undefined);
    assert.deepEqual(facts, { name: "Café Lune", timeZone: "Europe/Paris", defaultLocale: "fr" });
  });

  const DEFAULTS = { name: "", timeZone: "UTC", defaultLocale: "en" };
  for (const text of ["", "[1, 2]", "name: [", "name: 7\ntimeZone: Mars\ndefaultLocale: '?'\n"]) {
    it(`are the defaults where ${JSON.stringify(text)} says nothing that can be used`, () => {
      assert.deepEqual(read(text).facts, DEFAULTS);
    });
  }
});
