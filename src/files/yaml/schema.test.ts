import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import Type, { type TSchema } from "typebox";
import { Settings } from "typebox/system";
import type { Finding } from "../finding.ts";
import { checkYaml } from "./schema.ts";
import { readYaml } from "./yaml-file.ts";

const strict = { additionalProperties: false };
const Template = Type.Object(
  {
    kind: Type.Union([Type.Literal("loyalty"), Type.Literal("coupon"), Type.Literal("generic")]),
    name: Type.String({ minLength: 1, maxLength: 20 }),
    style: Type.Optional(Type.Enum(["round", "square"])),
    colors: Type.Optional(
      Type.Object(
        {
          background: Type.String({ pattern: "^#[0-9a-f]{6}$", hint: "Like '#1f2a44'." }),
          label: Type.Optional(Type.String({ pattern: "^#" })),
        },
        strict,
      ),
    ),
    fields: Type.Optional(
      Type.Array(
        Type.Object(
          { key: Type.String(), width: Type.Optional(Type.Integer({ maximum: 9 })) },
          strict,
        ),
        { maxItems: 3 },
      ),
    ),
    expiration: Type.Optional(
      Type.Union([
        Type.Object({ after: Type.String() }, strict),
        Type.Object({ at: Type.String() }, strict),
      ]),
    ),
    locations: Type.Optional(
      Type.Union([
        Type.Literal("stores"),
        Type.Array(Type.Object({ latitude: Type.Number() }, strict)),
      ]),
    ),
    barcode: Type.Optional(
      Type.Union([
        Type.Object(
          { format: Type.Literal("qr"), message: Type.String(), level: Type.String() },
          strict,
        ),
        Type.Object({ format: Type.Literal("aztec"), message: Type.String() }, strict),
      ]),
    ),
    amount: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
    limits: Type.Optional(
      Type.Record(Type.String({ pattern: "^[a-z]+$" }), Type.Integer({ minimum: 1 }), strict),
    ),
    "a/b": Type.Optional(Type.Object({}, strict)),
  },
  strict,
);

const BASE = "kind: loyalty\nname: Gold\n";

function check(text: string, schema: TSchema = Template): Finding[] {
  const { file, findings } = readYaml("t.yml", Buffer.from(text));
  assert.ok(file !== undefined, JSON.stringify(findings));
  return checkYaml("t.yml", file, schema);
}

function said(text: string): string[] {
  return check(text).map(
    ({ code, line, column, message, hint }) => `${line}:${column} ${code} ${message} ${hint}`,
  );
}

describe("checkYaml", () => {
  it("finds nothing where there is nothing", () => {
    assert.deepEqual(said(`${BASE}expiration: { at: now }\nlocations: stores\namount:\n`), []);
  });

  const cases: [string, string, string[]][] = [
    [
      "a property missing in the file",
      "name: Gold\n",
      ["1:1 schema.missing-property 'kind' is missing in the file. Add 'kind:' with a value."],
    ],
    [
      "a property missing in a group, at the name of the group",
      `${BASE}colors:\n  label: '#fff'\n`,
      [
        "3:1 schema.missing-property 'background' is missing in 'colors'. Add 'background:' with a value.",
      ],
    ],
    [
      "a property missing in an item, at the item",
      `${BASE}fields:\n  - key: a\n  - width: 1\n`,
      ["5:5 schema.missing-property 'key' is missing in 'fields[1]'. Add 'key:' with a value."],
    ],
    [
      "an unknown property, at its name, with what was meant",
      `${BASE}colors:\n  background: '#000000'\n  lable: '#fff'\n`,
      [
        "5:3 schema.unknown-property 'lable' is not a known property of 'colors'. Did you mean 'label'?",
      ],
    ],
    [
      "an unknown property with no likely meaning",
      `${BASE}fields: [{ key: a, zzz: 1 }]\n`,
      [
        "3:20 schema.unknown-property 'zzz' is not a known property of 'fields[0]'. Known properties: key, width.",
      ],
    ],
    [
      "an unknown property where none is known",
      `${BASE}a/b: { c~/d: 1 }\n`,
      [
        "3:8 schema.unknown-property 'c~/d' is not a known property of 'a/b'. Check the spelling, or remove the property.",
      ],
    ],
    [
      "an unknown property called constructor",
      `${BASE}constructor: 1\n`,
      [
        "3:1 schema.unknown-property 'constructor' is not a known property of the file. Known properties: kind, name, style, colors, fields, expiration, locations, barcode, amount, limits, a/b.",
      ],
    ],
    [
      "a number where a text belongs",
      "kind: loyalty\nname: 2024\n",
      ["2:7 schema.wrong-type 'name' must be a text, not a number. Put the value in quotes."],
    ],
    [
      "nothing where a text belongs",
      "kind: loyalty\nname:\n",
      ["2:6 schema.wrong-type 'name' must be a text, not empty. Give it a value, or remove it."],
    ],
    [
      "a text where a number belongs",
      `${BASE}fields: [{ key: a, width: '3' }]\n`,
      [
        "3:27 schema.wrong-type 'fields[0].width' must be a whole number, not a text. Remove the quotes, if there are any.",
      ],
    ],
    [
      "a group where a list belongs",
      `${BASE}fields:\n  key: a\n`,
      [
        "4:3 schema.wrong-type 'fields' must be a list, not a group of properties. Start each item with '- ' on a line of its own.",
      ],
    ],
    [
      "a file that is a list",
      "- a\n",
      [
        "1:1 schema.wrong-type The file must be a group of properties, not a list. Write a value of the type expected.",
      ],
    ],
    [
      "a word that is not one of a union",
      "kind: loyality\nname: Gold\n",
      [
        "1:7 schema.not-allowed 'kind' must be one of 'loyalty', 'coupon', 'generic'. Did you mean 'loyalty'?",
      ],
    ],
    [
      "a word that is not in a list",
      `${BASE}style: other\n`,
      [
        "3:8 schema.not-allowed 'style' must be one of 'round', 'square'. Use one of the values allowed.",
      ],
    ],
    [
      "a text in another form, with what is expected",
      `${BASE}colors: { background: red }\n`,
      ["3:23 schema.pattern 'colors.background' is not in the form expected. Like '#1f2a44'."],
    ],
    [
      "a text too long",
      "kind: loyalty\nname: aaaaaaaaaaaaaaaaaaaaaaaaa\n",
      [
        "2:7 schema.out-of-range 'name' must not have more than 20 characters. Stay within the limits.",
      ],
    ],
    [
      "a list too long",
      `${BASE}fields: [{key: a}, {key: b}, {key: c}, {key: d}]\n`,
      ["3:9 schema.out-of-range 'fields' must not have more than 3 items. Stay within the limits."],
    ],
    [
      "only the mistake in the member of a union that was meant",
      `${BASE}expiration: { at: 1 }\n`,
      [
        "3:19 schema.wrong-type 'expiration.at' must be a text, not a number. Put the value in quotes.",
      ],
    ],
    [
      "the same in a union of a word and a list",
      `${BASE}locations:\n  - latitude: north\n`,
      [
        "4:15 schema.wrong-type 'locations[0].latitude' must be a number, not a text. Remove the quotes, if there are any.",
      ],
    ],
    [
      "the word and the list, where it is neither",
      `${BASE}locations: shops\n`,
      [
        "3:12 schema.wrong-type 'locations' must be 'stores' or a list, not a text. Start each item with '- ' on a line of its own.",
      ],
    ],
    [
      "the same where a word tells the members apart",
      `${BASE}barcode: { format: qr, message: 1 }\n`,
      [
        "3:1 schema.missing-property 'level' is missing in 'barcode'. Add 'level:' with a value.",
        "3:33 schema.wrong-type 'barcode.message' must be a text, not a number. Put the value in quotes.",
      ],
    ],
    [
      "what a union can be, when it is none of it",
      `${BASE}amount: much\n`,
      [
        "3:9 schema.wrong-type 'amount' must be a number or empty, not a text. Remove the quotes, if there are any.",
      ],
    ],
    [
      "a value in a map, and a bad name in it",
      `${BASE}limits:\n  a: 0\n  B: 1\n`,
      [
        "4:6 schema.out-of-range 'limits.a' must be >= 1. Stay within the limits.",
        "5:3 schema.unknown-property 'B' is not a known property of 'limits'. Check the spelling, or remove the property.",
      ],
    ],
  ];
  for (const [about, text, expected] of cases) {
    it(`finds ${about}`, () => assert.deepEqual(said(text), expected));
  }

  it("finds every mistake and leaves the settings of the process alone", () => {
    const before = Settings.Get().maxErrors;
    const fields = Array.from({ length: 30 }, (_, i) => `  - { kex: ${i}, key: a }\n`).join("");
    const findings = check(`${BASE}fields:\n${fields}`);
    assert.equal(findings.filter(({ code }) => code === "schema.unknown-property").length, 30);
    assert.equal(Settings.Get().maxErrors, before);
  });

  it("stops at a screenful", () => {
    const fields = Array.from({ length: 3_000 }, () => "  - { kex: 1 }\n").join("");
    assert.equal(check(`${BASE}fields:\n${fields}`).length, 50);
  });

  it("never throws, and finds something exactly when something is wrong", () => {
    const keys = [
      "kind",
      "name",
      "colors",
      "fields",
      "expiration",
      "locations",
      "barcode",
      "limits",
      "at",
      "x",
    ];
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom("loyalty", "stores", "qr", 1, null, true),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys), tie("tree"), { noNullPrototype: true }),
      ),
    }));
    const whole = Type.Object({ kind: Type.Any(), name: Type.Any() });
    fc.assert(
      fc.property(tree, (value) => {
        const findings = check(JSON.stringify(value));
        for (const { line, column } of findings) assert.ok(line === 1 && (column ?? 0) > 0);
        if (check(JSON.stringify(value), whole).length > 0) assert.ok(findings.length > 0);
      }),
      { numRuns: 500 },
    );
  });
});
