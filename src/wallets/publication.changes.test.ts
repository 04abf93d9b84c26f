import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { renderInAllLanguages } from "#src/templates/template.render.ts";
import { sampleInput } from "#src/templates/template.sample.ts";
import { readTemplates } from "#test/support/read-templates.ts";
import { TEMPLATE_FILES, toFiles } from "#test/support/template-files.ts";
import { buildPassJson, buildPassStrings } from "./apple/apple.content.ts";
import { buildGoogleClass, buildGoogleObject } from "./google/google.content.ts";
import { passTypesShowing, shownChange } from "./publication.changes.ts";

type Files = Readonly<Record<string, string>>;
/** Undefined: the file is deleted. */
type Edit = readonly [path: string, edited: (text: string) => string | undefined];

const PICTURES = ["icon", "logo", "strip", "hero"].map((name) => `images/${name}.png`);
const BASE: Files = {
  ...TEMPLATE_FILES,
  ...Object.fromEntries(PICTURES.map((path) => [path, `picture of ${path}`])),
  "locales/de.yml": "Member: Mitglied\nPoints: Punkte\n",
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
  ["locales/de.yml", replace("Mitglied", "Mitgliedschaft")],
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

/** The event of the publication that led from one set to the other. */
function publicationOf(before: Files, after: Files) {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changes = paths
    .filter((path) => before[path] !== after[path])
    .map((path) => ({ path, change: "changed" as const }));
  const data = { version: 2, changes, changeCount: changes.length };
  return [{ data }] as unknown as Parameters<typeof shownChange>[1];
}

function typesFor(wallet: "apple" | "google", before: Files, after: Files) {
  const { paths } = shownChange(wallet, publicationOf(before, after));
  return passTypesShowing(readTemplates(toFiles(after)).set, paths);
}

describe("the pass types that a publication may change", () => {
  it("have every type among them whose passes look different after any change of the files", () => {
    const edits = fc.subarray([...EDITS], { maxLength: 4 });
    let counted = 0;
    fc.assert(
      fc.property(edits, edits, (first, second) => {
        const [before, after] = [applied(first), applied(second)];
        const [old, now] = [contents(before).shown, contents(after).shown];
        for (const wallet of ["apple", "google"] as const) {
          const types = typesFor(wallet, before, after);
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
    ["a translation", ["locales/de.yml", gone], undefined, undefined],
    ["the stores", ["server/stores.yml", gone], ["loyalty"], ["loyalty"]],
    ["tasks", ["server/schedule.yml", write("tasks: []\n")], [], []],
    ["a picture that no template names", ["images/other.png", write("x")], [], []],
  ];
  for (const [name, edit, apple, google] of cases) {
    it(`after a change of ${name}`, () => {
      const after = applied([edit]);
      const types = [typesFor("apple", BASE, after), typesFor("google", BASE, after)];
      assert.deepEqual(types, [apple, google]);
    });
  }

  it("are all if the event does not list every file", () => {
    const [{ data }] = publicationOf(BASE, BASE) as unknown as [{ data: object }];
    const event = { data: { ...data, changeCount: 1 } };
    const { paths } = shownChange("apple", [event] as unknown as Parameters<typeof shownChange>[1]);
    assert.equal(passTypesShowing(readTemplates(toFiles(BASE)).set, paths), undefined);
  });
});
