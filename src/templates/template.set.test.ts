import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readTemplates } from "#test/support/read-templates.ts";
import { LOYALTY_YML, TEMPLATE_FILES, toFiles } from "#test/support/template-files.ts";

const found = (files: Readonly<Record<string, string>>) =>
  readTemplates(toFiles({ ...TEMPLATE_FILES, ...files })).findings.map(
    ({ code, file, line, column }) => `${code} ${file}:${line}:${column}`,
  );
const loyalty = (from: string, to: string) => {
  assert.ok(LOYALTY_YML.includes(from), from);
  return { "server/passes/loyalty.yml": LOYALTY_YML.replace(from, () => to) };
};

describe("readTemplates", () => {
  it("reads a template of each kind without a finding", () => {
    assert.deepEqual(found({}), []);
    const { set } = readTemplates(toFiles(TEMPLATE_FILES));
    assert.equal(set.templates.size, 7);
    assert.deepEqual(set.tenant, {
      name: "Café Lune",
      timeZone: "Europe/Zurich",
      defaultLocale: "en",
    });
    assert.deepEqual(set.locales.languages, ["en", "de"]);
  });

  /**
   * The place of the first `needle` in the changed file. A finding about the whole file has no
   * place.
   */
  const placeOf = (text: string, needle: string | undefined): string => {
    if (needle === undefined) return "null:null";
    const before = text.slice(0, text.indexOf(needle)).split("\n");
    assert.ok(text.includes(needle), needle);
    return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
  };

  const mistakes: readonly [string, Readonly<Record<string, string>>, string, string?][] = [
    [
      "a variable that does not exist",
      loyalty("{{ data.firstName }}", "{{ date.firstName }}"),
      "template.unknown-variable",
      "date.firstName",
    ],
    [
      "data that is not declared",
      loyalty("{{ data.firstName }}", "{{ data.fistName }}"),
      "template.unknown-data",
      "data.fistName",
    ],
    [
      "a privilege that is not given",
      loyalty("{{ privileges.points.value }}", "{{ privileges.point.value }}"),
      "template.unknown-privilege",
      "privileges.point.value",
    ],
    [
      "a filter that does not exist",
      loyalty("{{ data.firstName }}", "{{ data.firstName | shout }}"),
      "template.unknown-filter",
      "shout",
    ],
    [
      "a key used twice",
      loyalty("key: number", "key: since "),
      "template.duplicate-key",
      "since , label: Number",
    ],
    [
      "a block of another kind",
      loyalty("locations: stores", "event: { name: x }"),
      "template.wrong-block",
      "event:",
    ],
    ["a duration that is none", loyalty("P2Y", "2 years"), "template.expiration", "2 years"],
    [
      "two formats at once",
      loyalty("{ date: medium }", "{ date: medium, currency: EUR }"),
      "template.mixed-format",
      "{ date: medium",
    ],
    [
      "a boarding pass without its transport",
      {
        "server/passes/flight.yml":
          "name: x\nkind: boardingPass\norganization: x\ndescription: x\n",
      },
      "template.transit-missing",
      "kind",
    ],
    [
      "a layout of nothing",
      { "layouts/none.apple.yml": "a: 1" },
      "template.layout-without-template",
    ],
    [
      "a mistake in a layout",
      { "layouts/loyalty.google.yml": "object:\n  note: 'a {{ nothing }}'\n" },
      "template.unknown-variable",
      "nothing",
    ],
    [
      "a mistake in the second line of a text",
      { "layouts/loyalty.apple.yml": "userInfo:\n  note: |\n    One\n    {{ nothing }}\n" },
      "template.unknown-variable",
      "nothing",
    ],
    [
      "a language that does not exist",
      { "locales/deutsch_.yml": "a: b" },
      "locale.unknown-language",
    ],
    [
      "a translation that is no text",
      { "locales/fr.yml": "Points: Points\nMember: 7\n" },
      "locale.not-text",
      "Member",
    ],
    [
      "a pass type that cannot be",
      { "server/passes/a b.yml": LOYALTY_YML },
      "template.pass-type-name",
    ],
  ];
  for (const [name, files, code, needle] of mistakes) {
    it(`finds ${name}, and where`, () => {
      const [[path, text] = ["", ""]] = Object.entries(files);
      assert.deepEqual(found(files), [`${code} ${path}:${placeOf(text, needle)}`]);
    });
  }

  it("refuses regular expressions in the schema of the data", () => {
    const codes = found(
      loyalty("firstName: { type: string }", "firstName: { type: string, pattern: '^(a+)+$' }"),
    );
    assert.match(codes.join(), /schema\.unknown-property/);
  });
});
