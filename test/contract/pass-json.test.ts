import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { requirePassJson } from "#src/simulator/pkpass/pass-json.ts";
import { renderInAllLanguages } from "#src/templates/template.render.ts";
import { sampleInput } from "#src/templates/template.sample.ts";
import { passJsonProblems } from "#src/wallets/apple/pass-json/pass-json.check.ts";
import { buildPassJson } from "#src/wallets/public.ts";
import { readTemplates } from "#test/support/read-templates.ts";
import {
  NFC_KEY,
  POSTER_EVENT_YML,
  RICH_FLIGHT_YML,
  TEMPLATE_FILES,
  toFiles,
} from "#test/support/template-files.ts";

const IDENTITY = {
  passTypeIdentifier: "pass.example.lune",
  teamIdentifier: "ABCDE12345",
  service: { url: "https://example.com/wallet", authenticationToken: "0123456789abcdef" },
  isVoided: true,
};
const DEMO = join(import.meta.dirname, "../../demo");
const demo = readdirSync(DEMO, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".yml"))
  .map((path): [string, Buffer] => [path, readFileSync(join(DEMO, path))]);
const near = `nfc: { message: "{{ pass.id }}", encryptionPublicKey: ${NFC_KEY} }
beacons: [{ uuid: 6e9e7d2a-6f3c-4b53-9c2b-0b4c2f3a1d11, major: 1, minor: 65535, text: Near }]
locations: [{ latitude: 47.37, longitude: 8.54, text: Here }]
`;
const own = toFiles({
  ...TEMPLATE_FILES,
  "server/passes/poster.yml": POSTER_EVENT_YML.replace(/^nfc:.*$/m, "").concat(near),
  "server/passes/rich.yml": RICH_FLIGHT_YML,
});

/** What iOS takes without looking at it. */
const IGNORED: readonly object[] = [
  { storeCard: { tags: ["a", "b"] } },
  { storeCard: { tags: [null, { key: "a" }, { key: "a" }] } },
  { storeCard: { tags: [{ label: "a" }, { label: "b" }] }, ours: [null] },
];

/** What iOS refuses, and what it takes, at one place in a pass that is right. */
const MEMBERS: readonly [member: object, isRight: boolean][] = [
  [{ expirationDate: "2028-02-29T18:00:00+01:00" }, true],
  [{ expirationDate: "2027-02-29T18:00:00+01:00" }, false],
  [{ expirationDate: "2027-04-31T18:00Z" }, false],
  [{ expirationDate: null, appLaunchURL: null, locations: null }, true],
  [{ appLaunchURL: "lune://card", associatedStoreIdentifiers: null }, false],
  [{ description: null }, false],
  [{ relevantDates: [{ date: "2027-02-28T18:00Z", startDate: null, endDate: null }] }, true],
  [{ relevantDates: [{ startDate: "2027-02-28T18:00Z", endDate: "2027-02-28T19:00Z" }] }, true],
  [{ relevantDates: [{ endDate: "2027-02-28T19:00Z" }] }, false],
  [{ generic: { backFields: [{ key: "a", value: "b", dateStyle: null }] } }, true],
  [{ generic: { backFields: [{ key: "a", value: null }] } }, false],
  [{ generic: { backFields: [null] } }, false],
  [{ generic: { backFields: [{ key: "a", value: 1 }], headerFields: [] } }, true],
  [
    {
      generic: {
        backFields: [{ key: "a", value: 1 }],
        headerFields: [{ key: "a", value: 1 }],
      },
    },
    false,
  ],
  [
    {
      generic: { backFields: [{ key: "a", value: 1 }] },
      posterGeneric: { headerFields: [{ key: "a", value: 1 }] },
    },
    true,
  ],
];

describe("what is published about pass.json", () => {
  for (const [whose, files] of [
    ["the examples", own],
    ["the demo", new Map(demo)],
  ] as const) {
    it(`fits every template of ${whose}, by the rules of the check and of the phone`, () => {
      const { set, findings } = readTemplates(files);
      assert.deepEqual(
        findings.filter(({ severity }) => severity === "error"),
        [],
      );
      assert.ok(set.templates.size >= 4);
      for (const template of set.templates.values()) {
        const input = sampleInput(template, { ...set.tenant, id: "acme" });
        const json = buildPassJson(template, renderInAllLanguages(template, input), IDENTITY);
        assert.deepEqual(passJsonProblems(json), [], template.passType);
        requirePassJson(JSON.parse(JSON.stringify(json)));
      }
    });
  }

  for (const [member, isRight] of MEMBERS) {
    it(`${isRight ? "allows" : "forbids"} ${JSON.stringify(member)}, to the check and to the phone`, () => {
      const json = { organizationName: "Lune", description: "Card", ...member };
      assert.equal(passJsonProblems(json).length === 0, isRight);
      if (isRight) requirePassJson(json);
      else assert.throws(() => requirePassJson(json), /\w/);
    });
  }

  for (const member of IGNORED) {
    it(`leaves ${JSON.stringify(member)} to those who may know it: a warning, and the phone takes it`, () => {
      const json = { organizationName: "Lune", description: "Card", ...member };
      const kinds = new Set(passJsonProblems(json).map(({ kind }) => kind));
      assert.deepEqual([...kinds], ["unknown"]);
      requirePassJson(json);
    });
  }
});
