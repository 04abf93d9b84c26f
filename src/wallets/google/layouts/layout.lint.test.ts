import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { check, placeOf } from "#test/support/check-configuration.ts";
import { goodFiles } from "#test/support/good-configuration.ts";

const FILE = "layouts/club.google.yml";

async function lint(layout: string, file = FILE) {
  const findings = await check(goodFiles({ [file]: layout }));
  return findings
    .filter(({ severity, code }) => severity !== "info" || code.startsWith("google."))
    .map(({ severity, code, file: where, line, column, message, hint }) => {
      assert.match(message, /^\S.*\.$/);
      assert.match(hint, /^\S.*[.?]$/);
      return {
        severity,
        code: code.replace("google.layout-", ""),
        file: where,
        line,
        column,
        hint,
      };
    });
}

type Case = readonly [layout: string, code: string, at: string, hint?: RegExp];

/** What Google refuses on every pass. */
const REFUSED: readonly Case[] = [
  ["class: { isuerName: Club }", "unknown-member", "isuerName", /'issuerName'/],
  ["class: { program_name: Club }", "unknown-member", "program_name", /'programName'/],
  ["object: { note: x }", "unknown-member", "note"],
  ["object: { cardTitle: x }", "unknown-member", "cardTitle"],
  ["object: { textModulesData: [{ header: a }, { bodi: b }] }", "unknown-member", "bodi", /'body'/],
  [
    'object: { appLinkData: { webAppLinkInfo: { appTarget: { targetUri: { url: "https://x.example" } } } } }',
    "unknown-member",
    "url",
    /'uri'/,
  ],
  ["object: { accountName: 5 }", "wrong-type", "accountName", /quotes/],
  ["class: { countryCode: [PT] }", "wrong-type", "countryCode"],
  ["class: { enableSmartTap: sometimes }", "wrong-type", "enableSmartTap", /true or false/],
  ["class: { redemptionIssuers: '338' }", "wrong-type", "redemptionIssuers", /a list/],
  ["class: { redemptionIssuers: [first] }", "wrong-type", "first", /whole number/],
  ['object: { barcode: "{{ pass.id }}" }', "wrong-type", "barcode", /members of Barcode/],
  ["object: { groupingInfo: { sortIndex: 1.5 } }", "wrong-type", "sortIndex", /whole number/],
  ["object: { textModulesData: [null] }", "wrong-type", "null"],
  [
    "object: { barcode: { type: QRCODE, value: x } }",
    "unknown-value",
    "type: QRCODE",
    /QR_CODE\?$/,
  ],
  [
    "class: { multipleDevicesAndHoldersAllowedStatus: everybody }",
    "unknown-value",
    "multipleDevices",
    /MULTIPLE_HOLDERS, ONE_USER_ALL_DEVICES/,
  ],
  [
    "class: { viewUnlockRequirement: \"{{ 'no' | upcase }}\" }",
    "unknown-value",
    "viewUnlockRequirement",
  ],
  ["class: { reviewStatus: DRAFT }", "review-status", "reviewStatus"],
  ["class: { reviewStatus: DRAF }", "unknown-value", "reviewStatus", /DRAFT\?$/],
  ["class: { reviewStatus: null }", "review-status", "reviewStatus"],
  [
    'object: { heroImage: { sourceUri: { uri: "http://x.example/hero.png" } } }',
    "image-address",
    "uri:",
  ],
  [
    'object: { heroImage: { sourceUri: { uri: "http://x.example/{{ pass.id }}.png" } } }',
    "image-address",
    "uri:",
  ],
  ["object: { heroImage: { sourceUri: { uri: hero.png } } }", "image-address", "uri:"],
  ["object: { secondaryLoyaltyPoints: { label: Miles } }", "member-missing", "secondary"],
  [
    "object: { rotatingBarcode: { initialRotatingBarcodeValues: { values: [a], periodMillis: '1' } } }",
    "member-missing",
    "initial",
  ],
];

const FITTING: readonly string[] = [
  "class: { reviewStatus: UNDER_REVIEW, countryCode: PT }",
  "class: { reviewStatus: underReview, enableSmartTap: true, redemptionIssuers: ['3388000000012345678'] }",
  "class: { heroImage: null, isuerName: null }",
  "object: { state: \"{% if data.tier == 'Bridge' %}COMPLETED{% else %}ACTIVE{% endif %}\" }",
  'object: { passConstraints: { screenshotEligibility: "{{ data.firstName }}" } }',
  'object: { groupingInfo: { sortIndex: "{{ privileges.points.value }}" } }',
  'object: { heroImage: { sourceUri: { uri: "{{ data.firstName }}" } } }',
  'object: { heroImage: { sourceUri: { uri: "https://x.example/{{ pass.id }}.png" } } }',
  'object: { secondaryLoyaltyPoints: { label: Miles, balance: { int: "7" } } }',
  "object: { loyaltyPoints: { label: Miles } }",
  "object: { barcode: { type: qrCode, value: x } }",
];

describe("a layout for Google Wallet", () => {
  for (const [layout, code, at, hint] of REFUSED) {
    it(`gives ${code} for ${layout}`, async () => {
      const [found, ...others] = await lint(layout);
      assert.deepEqual(others, []);
      // Google adds members and words, so a template with one that is not in the table can be published.
      const severity = code.startsWith("unknown-") ? "warning" : "error";
      assert.deepEqual([found?.severity, found?.code, found?.file], [severity, code, FILE]);
      assert.deepEqual({ line: found?.line, column: found?.column }, placeOf(layout, at));
      if (hint !== undefined) assert.match(found?.hint ?? "", hint);
    });
  }

  for (const layout of FITTING) {
    it(`has nothing against ${layout}`, async () => {
      assert.deepEqual(await lint(layout), []);
    });
  }

  it("warns of what the service or Google sets itself", async () => {
    const layout = `class: { callbackOptions: { url: "https://x.example" }, notifyPreference: NOTIFY_ON_UPDATE }
object: { messages: [], hasUsers: true }
`;
    assert.deepEqual(
      (await lint(layout)).map(({ severity, code, line }) => [severity, code, line]),
      [
        ["warning", "own-member", 1],
        ["warning", "own-member", 1],
        ["warning", "own-member", 2],
        ["warning", "own-member", 2],
      ],
    );
  });

  it("is checked by the type that the template has at Google", async () => {
    const ofFlight = await lint("class: { programName: x }", "layouts/ferry.google.yml");
    assert.deepEqual(
      ofFlight.map(({ code }) => code),
      ["unknown-member"],
    );
    assert.deepEqual(await lint("object: { securityProgramLogo: null }"), []);
    const carrier = "class: { flightHeader: { operatingFlightNumber: '7' } }";
    assert.deepEqual(await lint(carrier, "layouts/ferry.google.yml"), []);
  });
});
