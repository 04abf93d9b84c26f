import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { canonicalLocale, isTimeZone } from "./intl.ts";

describe("canonicalLocale", () => {
  it("gives tags in one form, and nothing for what is none", () => {
    assert.equal(canonicalLocale("PT-br"), "pt-BR");
    assert.equal(canonicalLocale("not a language"), undefined);
  });
});

describe("isTimeZone", () => {
  it("knows the names of the IANA database, and no others", () => {
    assert.equal(isTimeZone("Europe/Paris"), true);
    assert.equal(isTimeZone("Europe/Atlantis"), false);
    assert.equal(isTimeZone(""), false);
  });
});
