import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createLocales, readTable } from "./locale.translations.ts";

const table = (texts: Record<string, string>) => new Map(Object.entries(texts));
const locales = createLocales(
  "en",
  new Map([
    ["de", table({ Points: "Punkte", Member: "Mitglied" })],
    ["de-CH", table({ Points: "Pünkt" })],
    ["en", table({ "key.only": "By key" })],
  ]),
);

describe("locales", () => {
  it("find the nearest translation, then that of the default language, then none", () => {
    assert.equal(locales.find("de-CH", "Points"), "Pünkt");
    assert.equal(locales.find("de-CH", "Member"), "Mitglied");
    assert.equal(locales.find("de", "key.only"), "By key");
    assert.equal(locales.find("de", "Nothing"), undefined);
    assert.equal(locales.find("en", "Points"), undefined);
  });

  it("serve a holder with the nearest language there is, formats as the holder writes them", () => {
    assert.deepEqual(locales.resolve("de-AT"), { language: "de", format: "de-AT" });
    assert.deepEqual(locales.resolve("de-ch"), { language: "de-CH", format: "de-ch" });
    assert.deepEqual(locales.resolve("fr-FR"), { language: "en", format: "en" });
    assert.deepEqual(locales.resolve(undefined), { language: "en", format: "en" });
  });

  it("list the default first, whether it has a file or not", () => {
    assert.deepEqual(locales.languages, ["en", "de", "de-CH"]);
    assert.deepEqual(createLocales("fr", new Map()).languages, ["fr"]);
  });

  it("always resolve to a language of theirs", () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        assert.ok(locales.languages.includes(locales.resolve(name).language));
      }),
    );
  });

  it("read nested maps as dotted keys", () => {
    const { table: read, refused } = readTable({ a: { b: "x", c: 1 }, "d.e": "y", f: ["z"] });
    assert.deepEqual(Object.fromEntries(read), { "a.b": "x", "d.e": "y" });
    assert.deepEqual(
      refused.map(({ key }) => key),
      ["a.c", "f"],
    );
  });
});
