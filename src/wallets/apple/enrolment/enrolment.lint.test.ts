import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ENROLMENT_FILES } from "#test/support/enrolment-tenant.ts";
import { readTemplates } from "#test/support/read-templates.ts";
import { toFiles } from "#test/support/template-files.ts";
import { lintEnrolment } from "./enrolment.lint.ts";

const TEMPLATE = "server/passes/loyalty.yml";
const LAYOUT = "layouts/loyalty.apple.yml";

/** The findings of the template after this change of its text. */
function found(change: (text: string) => string, layout = "userInfo: {}\n"): string[] {
  const files = { [TEMPLATE]: change(String(ENROLMENT_FILES[TEMPLATE])), [LAYOUT]: layout };
  const compiled = readTemplates(toFiles(files)).set.templates.get("loyalty");
  assert.ok(compiled !== undefined, "The template cannot be read.");
  return lintEnrolment(compiled).map(({ code, message }) => `${code}: ${message}`);
}

describe("the rules for signing up on Apple devices", () => {
  it("hold nothing against a loyalty card with NFC, a logo and room for the answers", () => {
    assert.deepEqual(
      found((text) => text),
      [],
    );
    assert.deepEqual(
      found((text) => text.replace(/^enrolment:\n( .*\n)+/m, "")),
      [],
    );
    assert.deepEqual(
      found((text) => text.replace(/^nfc:\n( .*\n)+/m, ""), "nfc: { message: a }\n"),
      [],
    );
    assert.deepEqual(
      found((text) => text.replace("enrolmentLogo", "logo")),
      [],
    );
  });

  it("say in plain words that Apple Wallet asks only on loyalty passes with NFC", () => {
    const rule = "apple.enrolment-hidden: Apple Wallet asks the holder only on loyalty passes";
    assert.deepEqual(
      found((text) => text.replace(/^nfc:\n( .*\n)+/m, "")),
      [`${rule} with NFC, and this one has no NFC.`],
    );
    assert.deepEqual(
      found((text) => text.replace("kind: loyalty", "kind: giftCard")),
      [`${rule} with NFC, and this one is of kind 'giftCard'.`],
    );
  });

  it("find a form without a logo, answers that could not be kept, and questions never asked", () => {
    const [logo] = found((text) => text.replace(/, enrolmentLogo: \S+/, ""));
    assert.match(logo ?? "", /^apple\.enrolment-logo-missing/);
    for (const [from, to, member] of [
      ["phone: { type: string }", "phone: { type: integer }", "phone"],
      ["land: { type: string }", "", "land"],
      ["lastName: { type: string }", "lastName: { type: string, enum: [Moon] }", "lastName"],
    ] as const) {
      const findings = found((text) => text.replace(from, to));
      const text = `'data' takes no text in '${member}', where an answer would be kept.`;
      assert.deepEqual(findings, [`apple.enrolment-member: ${text}`]);
    }
    const required = "type: object\n  required: [firstName, email, phone, postalCode]";
    const [never] = found((text) => text.replace("type: object", required));
    assert.match(never ?? "", /^apple\.enrolment-never-asks/);
  });
});
