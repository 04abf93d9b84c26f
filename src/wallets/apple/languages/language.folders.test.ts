import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { languageFolders } from "./language.folders.ts";

describe("the folders of languages in a bundle", () => {
  const cases: readonly [languages: string[], folders: string[]][] = [
    [
      ["en", "zh-CN", "pt-BR"],
      ["en", "zh-Hans", "pt-BR"],
    ],
    [
      ["zh", "zh-TW"],
      ["zh-Hans", "zh-Hant"],
    ],
    [["zh-HK"], ["zh-Hant"]],
    [
      ["zh-SG", "zh-MO"],
      ["zh-Hans", "zh-Hant"],
    ],
    [
      ["zh-TW", "zh-HK"],
      ["zh-Hant", "zh-HK"],
    ],
    [
      ["zh-HK", "zh-TW"],
      ["zh-HK", "zh-Hant"],
    ],
    [
      ["zh-MO", "zh-HK", "zh-SG", "zh-CN"],
      ["zh-Hant", "zh-HK", "zh-SG", "zh-Hans"],
    ],
    [
      ["zh-HK", "zh-TW", "zh-Hant"],
      ["zh-HK", "zh-TW", "zh-Hant"],
    ],
    [
      ["zh-CN", "zh-Hans"],
      ["zh-CN", "zh-Hans"],
    ],
    [
      ["zh-Hant", "zh-Hans-HK"],
      ["zh-Hant", "zh-Hans"],
    ],
  ];
  for (const [languages, folders] of cases) {
    it(`are ${folders.join(", ")} for ${languages.join(", ")}`, () => {
      assert.deepEqual([...languageFolders(languages).values()], folders);
    });
  }
});
