import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { translatableTexts } from "#src/templates/public.ts";
import { renderInAllLanguages } from "#src/templates/template.render.ts";
import { sampleInput } from "#src/templates/template.sample.ts";
import type { FileEntry, StoredFiles } from "#src/tenants/public.ts";
import { readTemplates } from "#test/support/read-templates.ts";
import { TEMPLATE_FILES, toFiles } from "#test/support/template-files.ts";
import { buildPassJson, buildPassStrings } from "./apple/apple.content.ts";
import { buildGoogleClass, buildGoogleObject } from "./google/google.content.ts";
import { changesFor, passTypesAffectedBy } from "./publication.changes.ts";
import { compareContents } from "./publication.contents.ts";

type Files = Readonly<Record<string, string>>;
/** Undefined: the file is deleted. */
type Edit = readonly [path: string, edited: (text: string) => string | undefined];

const PICTURES = ["icon", "logo", "strip", "hero"].map((name) => `images/${name}.png`);
const BASE: Files = {
  ...TEMPLATE_FILES,
  ...Object.fromEntries(PICTURES.map((path) => [path, `picture of ${path}`])),
  "tenant.yml": `${TEMPLATE_FILES["tenant.yml"]}rateLimits: { default: { limit: 5, windowSeconds: 60 } }\n`,
  "locales/de.yml":
    'Member: Mitglied\nPoints: Punkte\nSeat: Platz\nGold: Gold\nreading: { room: Lesesaal }\nCafé: Kaffeehaus\n"Line one\\nLine two": Zeilen\nxyx: Silben\n',
  "server/passes/library.yml": `${TEMPLATE_FILES["server/passes/library.yml"]}  back: [ { key: room, label: "{{ 'reading.room' | t }}", value: "{{ 'Seat' | t }} {{ data.name }}" } ]\n`,
  "server/passes/gift.yml": `${TEMPLATE_FILES["server/passes/gift.yml"]}  back:
    - { key: place, label: Place, value: '{{ "Caf\\u00e9" |\u180e t }}' }
    - { key: lines, label: Lines, value: "{{ 'Line one\\\\nLine two' | t }}" }
    - { key: word, label: Word, value: "{{ 'x\\\\y\\\\x' | t }}" }
`,
  "server/passes/event.yml": String(TEMPLATE_FILES["server/passes/event.yml"]).replace(
    "fields:\n",
    "fields:\n  back: [ { key: tier, label: Tier, value: \"{{ 'Go' | append: 'ld' | t }}\" } ]\n",
  ),
  "server/apple.yml":
    "passTypeIdentifier: pass.example.lune\nteamIdentifier: ABCDE12345\nsecrets: { certificate: CERT, key: KEY }\n",
  "server/stores.yml":
    "stores: [ { id: pier, name: Pier, location: { latitude: 1, longitude: 2 } } ]\n",
  "layouts/loyalty.apple.yml": "groupingIdentifier: a\n",
  "layouts/loyalty.google.yml": "object: { accountName: A }\nclass: { countryCode: CH }\n",
};

const replace =
  (from: string | RegExp, to: string) =>
  (text: string): string =>
    text.replace(from, to);
const gone = () => undefined;
const write = (text: string) => () => text;

const EDITS: readonly Edit[] = [
  ["tenant.yml", replace("timeZone: Europe/Zurich", "timeZone: America/New_York")],
  ["tenant.yml", replace("name: Café Lune", "name: Café Sol")],
  ["tenant.yml", replace("defaultLocale: en", "defaultLocale: de")],
  ["server/passes/loyalty.yml", replace("Gold Club card", "Silver Club card")],
  ["server/passes/loyalty.yml", replace("images/logo.png", "images/hero.png")],
  ["server/passes/loyalty.yml", replace("locations: stores\n", "")],
  ["server/passes/coupon.yml", replace("A free coffee", "A free tea")],
  ["server/passes/coupon.yml", replace("#1f2a44", "#2f2a44")],
  ["server/passes/event.yml", replace("Concert ticket", "Ticket")],
  ["server/passes/gift.yml", replace("images/strip.png", "images/hero.png")],
  ["tenant.yml", replace("limit: 5", "limit: 6")],
  ["locales/de.yml", replace("Mitglied", "Mitgliedschaft")],
  ["locales/de.yml", replace("Gold: Gold", "Gold: Golden")],
  ["locales/de.yml", replace("Lesesaal", "Saal")],
  ["locales/de.yml", replace("Kaffeehaus", "Café")],
  ["locales/de.yml", replace("Zeilen", "Reihen")],
  ["locales/de.yml", replace("Silben", "Laute")],
  ["locales/de.yml", replace("Seat: Platz\n", "")],
  ["locales/de.yml", replace("Seat:", "Terms: Regeln\nNobody: Niemand\nSeat:")],
  ["locales/de.yml", gone],
  ["locales/fr.yml", write("Points: Pointes\n")],
  ["server/stores.yml", replace("latitude: 1", "latitude: 3")],
  ["server/stores.yml", gone],
  ["layouts/loyalty.apple.yml", replace("a", "b")],
  ["layouts/loyalty.google.yml", replace("CH", "FR")],
  ["layouts/loyalty.google.yml", gone],
  ["layouts/coupon.apple.yml", write("groupingIdentifier: c\n")],
  ["server/schedule.yml", write("tasks: []\n")],
  ...PICTURES.map((path): Edit => [path, write("another picture")]),
];

function applied(edits: readonly Edit[]): Files {
  const files: Record<string, string> = { ...BASE };
  for (const [path, edited] of edits) {
    const text = edited(files[path] ?? "");
    if (text === undefined) delete files[path];
    else files[path] = text;
  }
  return files;
}

/** What each wallet shows of a sample of each pass type. */
function contents(files: Files) {
  const { set } = readTemplates(toFiles(files));
  const shown = { apple: new Map<string, string>(), google: new Map<string, string>() };
  for (const [passType, template] of set.templates) {
    const pass = renderInAllLanguages(
      template,
      sampleInput(template, { ...set.tenant, id: "acme" }),
    );
    const images = new Map(
      Object.entries(template.template.images ?? {}).map(([slot, path]) => [slot, files[path]]),
    );
    const identity = {
      passTypeIdentifier: "pass.example.lune",
      teamIdentifier: "ABCDE12345",
      issuerId: "3388000000022141777",
      imageUrl: (slot: string) => `https://example.com/${images.get(slot)}.png`,
    };
    const tables = [...buildPassStrings(pass).tables];
    const strings = tables.map(([language, table]) => [language, [...table]]);
    const apple = [buildPassJson(template, pass, identity), strings];
    const google = [buildGoogleClass, buildGoogleObject].map((build) =>
      build(template, pass, identity),
    );
    shown.apple.set(passType, JSON.stringify([apple, [...images]]));
    shown.google.set(passType, JSON.stringify(google));
  }
  return { set, shown };
}

/** The templates as workers know them. */
function templatesOf(files: Files) {
  const { templates } = readTemplates(toFiles(files)).set;
  const known = [...templates].map(
    ([passType, each]) =>
      [passType, { template: each.template, translatable: translatableTexts(each) }] as const,
  );
  return { templates: new Map(known) };
}

/** The files of a version as the database has them. */
function storedFrom(files: Files): StoredFiles {
  const entries = Object.entries(files).map(([path, text]): [string, FileEntry] => {
    const hash = createHash("sha256").update(text).digest();
    return [path, { path, hash, size: Buffer.byteLength(text) }];
  });
  return { entries: new Map(entries), read: async (path) => Buffer.from(String(files[path])) };
}

async function typesFor(wallet: "apple" | "google", before: Files, after: Files) {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changes = paths.filter((path) => before[path] !== after[path]).map((path) => ({ path }));
  const compared = await compareContents(storedFrom(before), storedFrom(after));
  return passTypesAffectedBy(templatesOf(after), changesFor(wallet, changes, compared));
}

describe("the pass types that a publication may change", () => {
  it("have every type among them whose passes look different after any change of the files", async () => {
    const edits = fc.subarray([...EDITS], { maxLength: 4 });
    let counted = 0;
    await fc.assert(
      fc.asyncProperty(edits, edits, async (first, second) => {
        const [before, after] = [applied(first), applied(second)];
        const [old, now] = [contents(before).shown, contents(after).shown];
        for (const wallet of ["apple", "google"] as const) {
          const types = await typesFor(wallet, before, after);
          for (const [passType, content] of now[wallet]) {
            if (old[wallet].get(passType) === content) continue;
            counted += 1;
            assert.ok(types === undefined || types.includes(passType), `${wallet} ${passType}`);
          }
        }
      }),
      { numRuns: 60 },
    );
    assert.ok(counted > 0);
  });

  const cases: readonly [string, Edit, unknown, unknown][] = [
    ["a template", ["server/passes/coupon.yml", replace("coffee", "tea")], ["coupon"], ["coupon"]],
    ["a layout of Apple's", ["layouts/coupon.apple.yml", write("a: b\n")], ["coupon"], []],
    ["a layout of Google's", ["layouts/coupon.google.yml", write("{}\n")], [], ["coupon"]],
    ["Apple's settings", ["server/apple.yml", write("x: y\n")], undefined, []],
    ["Google's settings", ["server/google.yml", write("x: y\n")], [], undefined],
    ["the settings of the tenant", ["tenant.yml", replace("Lune", "Sol")], undefined, undefined],
    ["limits alone", ["tenant.yml", replace("limit: 5", "limit: 6")], [], []],
    ["a comment alone", ["tenant.yml", replace("name:", "# Ours\nname:")], [], []],
    ["Apple's pushes", ["server/apple.yml", (text) => `${text}push: { type: alert }\n`], [], []],
    ["Apple's secrets", ["server/apple.yml", replace("CERT", "OTHER")], undefined, []],
    ["all translations", ["locales/de.yml", gone], undefined, undefined],
    ["a language", ["locales/fr.yml", write("Points: Pointes\n")], undefined, undefined],
    // The event translates what its text puts together, which may be anything.
    [
      "a text",
      ["locales/de.yml", replace("Punkte", "P")],
      ["loyalty", "event"],
      ["loyalty", "event"],
    ],
    [
      "a text within a text",
      ["locales/de.yml", replace("Platz", "Sitz")],
      ["event", "library"],
      ["event", "library"],
    ],
    [
      "a text of a group",
      ["locales/de.yml", replace("room: Lesesaal", "room: Saal")],
      ["event", "library"],
      ["event", "library"],
    ],
    ...["Kaffeehaus", "Zeilen", "Silben"].map((word): (typeof cases)[number] => [
      `the translation ${word} of a text that is written with escapes`,
      ["locales/de.yml", replace(word, "Anders")],
      ["event", "gift"],
      ["event", "gift"],
    ]),
    [
      "a text that is no longer translated",
      ["locales/de.yml", replace("Points: Punkte\n", "")],
      ["loyalty", "event"],
      ["loyalty", "event"],
    ],
    ["the order of texts", ["locales/de.yml", replace(/(Member.*\n)(Points.*\n)/, "$2$1")], [], []],
    ["the stores", ["server/stores.yml", gone], ["loyalty"], ["loyalty"]],
    ["tasks", ["server/schedule.yml", write("tasks: []\n")], [], []],
    ["a picture that no template names", ["images/other.png", write("x")], [], []],
  ];
  for (const [name, edit, apple, google] of cases) {
    it(`after a change of ${name}`, async () => {
      const after = applied([edit]);
      for (const [wallet, types] of [
        ["apple", apple],
        ["google", google],
      ] as const) {
        const found = await typesFor(wallet, BASE, after);
        assert.deepEqual(found?.toSorted(), (types as string[] | undefined)?.toSorted(), wallet);
      }
    });
  }

  it("are all if nobody knows which files have changed", () => {
    assert.equal(passTypesAffectedBy(templatesOf(BASE), undefined), undefined);
  });
});
