import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { check } from "#test/support/check-configuration.ts";
import { LOYALTY_YML, TEMPLATE_FILES, toFiles } from "#test/support/template-files.ts";

const PATH = "server/passes/loyalty.yml";

async function isUnknown(currency: string): Promise<boolean> {
  const field = `- { key: worth, label: Worth, value: "1", format: { currency: ${currency} } }`;
  const text = LOYALTY_YML.replace(/^ {2}back:\n/m, `  back:\n    ${field}\n`);
  assert.notEqual(text, LOYALTY_YML);
  const found = await check(toFiles({ ...TEMPLATE_FILES, [PATH]: text }));
  return found.some(({ code }) => code === "template.unknown-currency");
}

describe("a currency", () => {
  for (const currency of [
    ...["EUR", "CHF", "JPY", "VES", "VED", "XAF", "XCG", "ZWG"],
    ...["XAU", "XAG", "XPT", "XPD", "CLF", "CHE", "CHW", "UYI", "UYW", "COU", "USN", "MXV", "BOV"],
    ...["XDR", "XSU", "XUA", "XAD", "XBA", "XBB", "XBC", "XBD", "XTS", "XX" + "X"],
  ]) {
    it(`${currency} of ISO 4217 is a currency`, async () => {
      assert.equal(await isUnknown(currency), false);
    });
  }

  for (const currency of ["XYZ", "EUX", "ABC"]) {
    it(`${currency} is none, and the check says so`, async () => {
      assert.equal(await isUnknown(currency), true);
    });
  }
});
