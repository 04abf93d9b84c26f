import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { check } from "#test/support/check-configuration.ts";
import { startProcessorClock } from "#test/support/slowness.ts";
import { TEMPLATE_FILES, toFiles } from "#test/support/template-files.ts";
import { lintPassJson } from "./pass-json.lint.ts";

const PATH = "layouts/loyalty.apple.yml";

async function findingsOf(layout: string) {
  const found = await check(toFiles({ ...TEMPLATE_FILES, [PATH]: layout }));
  return found.filter(({ file, code }) => file === PATH && code.startsWith("apple.layout-"));
}

/** Each layout, the text that the finding points to, and what it says. */
const REFUSED: readonly [layout: string, line: number, message: RegExp][] = [
  ['associatedStoreIdentifiers:\n  - "1"\n', 2, /associatedStoreIdentifiers\.0.*whole number/],
  ["appLaunchURL: lune://card\n", 1, /appLaunchURL.*associatedStoreIdentifiers/],
  ['expirationDate: "2027-01-01"\n', 1, /expirationDate.*time and zone/],
  ["storeCard:\n  backFields:\n    - { key: a, value: 1 }\n    - { key: a, value: 2 }\n", 3, /'a'/],
  [
    "storeCard:\n  primaryFields:\n    - { key: a, label: b }\n",
    3,
    /primaryFields\.0\.value.*missing/,
  ],
  ["userInfo: {}\nmanagementURL: our page\n", 2, /managementURL.*address/],
  ["semantics: { eventStartDate: tomorrow }\n", 1, /semantics\.eventStartDate.*date/],
  ['semantics: { flightNumber: "{{ pass.id }}" }\n', 1, /flightNumber.*whole number/],
  ["semantics:\n  seats:\n    - { seatRow: 7 }\n", 3, /seats\.0\.seatRow.*text/],
  ["barcodes: { format: x }\n", 1, /barcodes.*list/],
  ["sharingProhibited: 'yes'\n", 1, /true or false/],
  ["locations: [{ latitude: 47.1 }]\n", 1, /locations\.0\.longitude.*missing/],
  ["beacons: [{ proximityUUID: nearby }]\n", 1, /UUID/],
  [
    "storeCard:\n  backFields:\n    - { key: a, value: soon, dateStyle: PKDateStyleShort }\n",
    3,
    /date/,
  ],
  ["expirationDate: 2027-02-30T18:00:00Z\n", 1, /expirationDate.*date/],
  ["relevantDates: [{ endDate: 2027-02-28T18:00:00Z }]\n", 1, /endDate.*needs 'startDate'/],
  [
    "storeCard:\n  backFields:\n    - { key: a, value: null }\n",
    3,
    /backFields\.0\.value.*missing/,
  ],
  ["storeCard: { backFields: [null] }\n", 1, /backFields\.0.*object/],
  [
    "storeCard: { backFields: [{ key: a, value: b, textAlignment: left }] }\n",
    1,
    /PKTextAlignment/,
  ],
];

describe("the check of layouts for Apple Wallet", () => {
  for (const [layout, line, message] of REFUSED) {
    it(`refuses ${JSON.stringify(layout.trim())}`, async () => {
      const found = await findingsOf(layout);
      const [first] = found;
      assert.ok(first !== undefined, "nothing was found");
      assert.deepEqual(
        [first.code, first.severity, first.line],
        ["apple.layout-refused", "error", line],
      );
      assert.match(first.message, message);
      assert.ok(found.every(({ code }) => code === "apple.layout-refused"));
    });
  }

  it("names what iPhones refuse before any number of names that they ignore", async () => {
    const ignored = Array.from({ length: 25 }, (_, at) => `unknownMember${at}: true\n`);
    const found = await findingsOf(`${ignored.join("")}sharingProhibited: 'yes'\n`);
    const [error, ...others] = Map.groupBy(found, ({ code }) => code)
      .keys()
      .toArray()
      .sort();
    assert.deepEqual([error, others], ["apple.layout-refused", ["apple.layout-unknown"]]);
    assert.equal(found.length, 25);
  });

  it("takes null for a member that is taken away, also in a list", async () => {
    const layout = `storeCard:
  backFields:
    - { key: a, value: b, label: null, changeMessage: null, dateStyle: null }
relevantDates: [{ date: 2027-02-28T18:00:00Z, startDate: null, endDate: null }]
appLaunchURL: null
`;
    assert.deepEqual(await findingsOf(layout), []);
  });

  it("warns of a name that iOS ignores, with the one that was meant", async () => {
    const layout = "managmentURL: https://lune.example\nsemantics: { venueNames: x }\n";
    const found = await findingsOf(layout);
    assert.deepEqual(
      found.map(({ code, severity, line }) => [code, severity, line]),
      [
        ["apple.layout-unknown", "warning", 1],
        ["apple.layout-unknown", "warning", 2],
      ],
    );
    assert.match(found[0]?.message ?? "", /'managementURL'/);
    assert.match(found[1]?.message ?? "", /'venueName'/);
  });

  it("warns of change messages that iOS shows its own words for", async () => {
    for (const [message, count] of [
      ["%@ of %@", 1],
      ["20% more: %@", 1],
      ["20%% more: %@", 0],
    ]) {
      const layout = `storeCard: { backFields: [{ key: a, value: b, changeMessage: "${message}" }] }\n`;
      const found = await findingsOf(layout);
      assert.equal(found.length, count, String(message));
      assert.ok(found.every(({ code }) => code === "apple.layout-unknown"));
    }
  });

  it("warns of an interval of more than a day, which iOS ignores", async () => {
    for (const [endDate, count] of [
      ["2027-02-28T18:00:00Z", 0],
      ["2027-02-28T18:00:01Z", 1],
      ["2027-03-05T18:00:00Z", 1],
    ] as const) {
      const layout = `relevantDates: [{ startDate: 2027-02-27T18:00:00Z, endDate: ${endDate} }]\n`;
      const found = await findingsOf(layout);
      assert.equal(found.length, count, endDate);
      for (const { code, severity, message } of found) {
        assert.deepEqual([code, severity], ["apple.layout-unknown", "warning"]);
        assert.match(message, /relevantDates\.0\.endDate.*24 hours/);
      }
    }
  });

  it("warns, and refuses nothing, where other data may give the right form", async () => {
    const found = await findingsOf('expirationDate: "{{ data.level }}"\n');
    assert.deepEqual(
      found.map(({ code, severity }) => [code, severity]),
      [["apple.layout-doubtful", "warning"]],
    );
    assert.match(found[0]?.message ?? "", /^With sample data/);
  });

  it("warns of a key that only the data of some passes make that of another field", async () => {
    const codesOf = async (...keys: readonly string[]) => {
      const fields = keys.map((key) => `    - { key: "${key}", value: b }\n`);
      const found = await findingsOf(`storeCard:\n  backFields:\n${fields.join("")}`);
      assert.ok(found.every(({ message }) => /key' is 'sample-pass-0001', as that/.test(message)));
      return found.map(({ line, code }) => `${line} ${code}`);
    };
    const [refused, doubtful] = ["apple.layout-refused", "apple.layout-doubtful"];
    const written = "sample-pass-0001";
    assert.deepEqual(await codesOf("{{ pass.id }}", "{{ pass.id }}"), [
      `3 ${doubtful}`,
      `4 ${doubtful}`,
    ]);
    assert.deepEqual(await codesOf(written, "{{ pass.id }}"), [`3 ${doubtful}`, `4 ${doubtful}`]);
    assert.deepEqual(await codesOf(written, "{{ pass.id }}", written), [
      `3 ${refused}`,
      `4 ${doubtful}`,
      `5 ${refused}`,
    ]);
  });

  it("goes through thousands of equal keys once", () => {
    const keys = Array.from({ length: 8_000 }, (_, at) => (at < 4_000 ? "{{ data.key }}" : "a"));
    const fieldsOf = (names: readonly string[]) => ({
      storeCard: { backFields: names.map((name) => ({ key: name, value: "b" })) },
    });
    const keyAt = () => ({ file: PATH, line: 1, column: 1 });
    const apple = { source: fieldsOf(keys), keyAt, values: [], render: () => ({}) };
    const layouts = { apple, googleClass: undefined, googleObject: undefined };
    const usedMs = startProcessorClock();
    const found = lintPassJson({ layouts }, fieldsOf(keys.map(() => "a")));
    assert.ok(usedMs() < 1_000, `${usedMs()} ms`);
    assert.deepEqual(
      [found.length, found[0]?.code, found[0]?.line],
      [25, "apple.layout-refused", 1],
    );
  });

  it("takes what is right, also what only newer systems know", async () => {
    const layout = `associatedStoreIdentifiers: [1234567890]
appLaunchURL: lune://card/{{ pass.id }}
expirationDate: 2027-01-01T18:00+01:00
managementURL: https://lune.example/{{ pass.id }}
semantics: { eventStartDate: 2027-01-01T18:00:00Z, balance: { amount: "12.50", currencyCode: EUR } }
userInfo: { anything: [1, { goes: true }] }
storeCard:
  backFields:
    - { key: more, value: "{{ pass.id }}", dataDetectorTypes: [] }
    - { key: when, value: 2027-01-01T18:00Z, timeStyle: PKDateStyleShort, ignoresTimeZone: true }
featuredActions: [{ identifier: a, type: b, url: "https://lune.example" }]
upcomingPassInformation:
  - { identifier: a, name: b, dateInformation: { date: 2027-01-01T18:00:00Z }, URLs: { sellURL: "https://lune.example" } }
`;
    assert.deepEqual(await findingsOf(layout), []);
  });
});
