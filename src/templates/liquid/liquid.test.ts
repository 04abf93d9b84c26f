import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { startProcessorClock } from "#test/support/slowness.ts";
import { compileWithEngine } from "./engine.ts";
import { TextError } from "./failure.ts";
import { compileText } from "./liquid.ts";
import { compilePlain } from "./plain.ts";
import { createScope, type ScopeValues } from "./scope.ts";

const VALUES: ScopeValues = {
  pass: { id: "p1" },
  identifiers: { "loyalty.number": "42" },
  data: { name: "Ann", list: ["a", "b"], nested: { deep: [{ x: 1 }] }, big: 9_007_199_254_740_992 },
  metadata: {},
  privileges: { stamps: { value: 3 } },
  tenant: { name: "Lune", timeZone: "Europe/Zurich" },
};
const GERMAN = new Map([["Hello {name}", "Hallo {name}"]]);

function scope(values: Partial<ScopeValues> = {}) {
  return createScope({ ...VALUES, ...values }, "de-CH", (text) => GERMAN.get(text) ?? text);
}

const render = (source: string) => compileText(source).render(scope());

function failure(source: string): string {
  try {
    return `rendered ${JSON.stringify(render(source).slice(0, 50))}`;
  } catch (error) {
    assert.ok(error instanceof TextError, `${source}: ${error}`);
    return error.failure;
  }
}

const problems = (source: string) =>
  compileText(source).problems.map(({ code, index }) => `${code} at ${index}`);

describe("compileText", () => {
  const good: readonly [string, string][] = [
    ["plain", "plain"],
    ["{{ data.name }}!", "Ann!"],
    ["{{data.name}}{{ pass.id }}", "Annp1"],
    ["{{ identifiers['loyalty.number'] }}", "42"],
    ["{{ data.nested.deep[0].x }}", "1"],
    ["{{ data.missing.member }}", ""],
    ["{{ data.list }}", "ab"],
    ["{{ data.list.size }} {{ data.list.first }}", "2 a"],
    ["{{ locale }}", "de-CH"],
    ["{% if data.name == 'Ann' %}yes{% else %}no{% endif %}", "yes"],
    ["{% case data.name %}{% when 'Bo', 'Ann' %}one{% else %}other{% endcase %}", "one"],
    ["{% for i in (1..privileges.stamps.value) %}★{% endfor %}", "★★★"],
    ["{% for x in data.list reversed %}{{ forloop.index }}{{ x }}{% endfor %}", "1b2a"],
    ["{% for x in data.list limit: 1 offset: 1 %}{{ x }}{% else %}none{% endfor %}", "b"],
    ["{% for x in data.none %}{{ x }}{% else %}none{% endfor %}", "none"],
    ["{% for i in (1..9) %}{% if i == 3 %}{% break %}{% endif %}{{ i }}{% endfor %}", "12"],
    ["{% capture a %}<{{ data.name }}>{% endcapture %}{{ a }}{{ a }}", "<Ann><Ann>"],
    ["{% assign a = data.name | upcase %}{{ a }}", "ANN"],
    ["{% raw %}{{ x }}{% endraw %}{% comment %}no{% endcomment %}", "{{ x }}"],
    ["{{ 'Hello {name}' | t: name: data.name }}", "Hallo Ann"],
    ["{{ '1234.5' | money: 'CHF' }}", "CHF 1’234.50"],
    ["{{ '123456789012345.1234' | number: 4 }}", "123’456’789’012’345.1234"],
    ["{{ '2026-05-01T22:30:00Z' | date: 'long', 'short' }}", "2. Mai 2026 um 00:30"],
    ["{{ '2026-05-01' | date: '%-d. %B %Y' }}", "1. Mai 2026"],
    ["{{ '2026-05-01T22:30:00Z' | date: 'none', 'short', timeZone: 'America/New_York' }}", "18:30"],
    ["{{ '2026-05-01T18:30' | date: '%d. %H:%M', timeZone: 'America/New_York' }}", "01. 18:30"],
    ["{{ '2026-05-01T22:30:00Z' | date: timeZone: 'Asia/Tokyo' }}", "02.05.2026"],
    ["{{ '2026-05-01T22:30:00Z' | date: '%H:%M', timeZone: data.none }}", "00:30"],
    ["{{ data.none | date }}{{ data.none | money: 'EUR' }}{{ data.none | number }}", ""],
    ["{{ data.none | default: 'friend' }}", "friend"],
  ];
  for (const [source, expected] of good) {
    it(`renders ${source}`, () => {
      assert.deepEqual(problems(source), []);
      // Versions of the ICU language data differ in their apostrophes.
      assert.equal(render(source).replaceAll("'", "’").replaceAll("\u00a0", " "), expected);
    });
  }

  it("refuses a time zone that does not exist", () => {
    const source = "{{ '2026-05-01' | date: 'long', timeZone: 'Europe/Atlantis' }}";
    assert.equal(failure(source), "render-failed");
  });

  const refused: readonly [string, string][] = [
    ["{{ data.name", "liquid-syntax at 0"],
    ["{% if data.name %}x", "liquid-syntax at 0"],
    ["x {% endif %}", "liquid-syntax at 2"],
    ["Hi {{ nme }}", "unknown-variable at 6"],
    ["Hi\n{{ nme | upcase }}", "unknown-variable at 6"],
    ["{{ data.name | shout }}", "unknown-filter at 15"],
    ["{{ data.first name }}", "liquid-syntax at 3"],
    ["{% include 'etc/passwd' %}", "unknown-tag at 0"],
    ["{% render 'x' %}", "unknown-tag at 0"],
    ["{% layout 'x' %}", "unknown-tag at 0"],
    ["{% liquid echo 1 %}", "unknown-tag at 0"],
    ["{% assign a = (1..9) %}", "liquid-syntax at 14"],
    ["{{ (1..99999999) | join }}", "liquid-syntax at 3"],
    ["{{ empty.constructor }}", "liquid-syntax at 3"],
    ["{{ data.list | sample }}", "unknown-filter at 15"],
    ["{{ data.list | where_exp: 'x', 'x' }}", "unknown-filter at 15"],
  ];
  for (const [source, problem] of refused) {
    it(`refuses ${JSON.stringify(source)}`, () => {
      assert.deepEqual(problems(source), [problem]);
      assert.equal(failure(source), "render-failed");
    });
  }

  it("says which variables a text reads, wherever it reads them", () => {
    const text = compileText(
      "{% if data.a %}{{ identifiers['x.y'] | append: metadata.b }}{% endif %}{{ data[pass.id] }}",
    );
    assert.deepEqual([...text.paths].sort(), [
      "data.*",
      "data.a",
      "identifiers.x.y",
      "metadata.b",
      "pass.id",
    ]);
  });
});

describe("what a text translates", () => {
  const cases: readonly [source: string, literals: readonly string[], isComputed: boolean][] = [
    ["{{ data.name }}", [], false],
    ["{{ 'Ready' | t }} {{ 'Set' | t | upcase }}", ["Ready", "Set"], false],
    ["{{ 'Hello {name}' | t: name: data.name }}", ["Hello {name}"], false],
    ["{{ 'a\\nb' | t }}", ["a\nb"], false],
    ["{{ 'Caf\\u00e9' | t }}", ["Café"], false],
    ["{{ 'x\\y' | t }}", ["xy"], false],
    ['{{ "say \\x41" | t }}', ["say x41"], false],
    ["{{ 'Ready' |\u180et }}", ["Ready"], false],
    [
      "{% if data.on %}{% assign a = 'On' | t %}{% else %}{% echo 'Off' | t %}{% endif %}",
      ["On", "Off"],
      false,
    ],
    ["{% raw %}{{ 'no' | t }}{% endraw %}{% comment %}{{ 'no' | t }}{% endcomment %}", [], false],
    ["{{ data.name | t }}", [], true],
    ["{{ 7 | t }}", [], true],
    ["{{ 'a' | append: data.name | t }}", [], true],
    ["{{ 'a' | upcase | t }}", [], true],
    ["{{ data.name | default: 'None' | t }}", ["None"], true],
    ["{{ 'a' | t | t }}", ["a"], true],
    ["{{ 'a' | t }}{{ nothing }}", [], false],
  ];
  for (const [source, literals, isComputed] of cases) {
    it(`is read from ${JSON.stringify(source)}`, () => {
      const { translated } = compileText(source);
      assert.deepEqual(
        [translated.literals.toSorted(), translated.isComputed],
        [literals.toSorted(), isComputed],
      );
    });
  }
});

describe("hostile texts", () => {
  const double = "{% assign a = 'xxxxxxxxxxxxxxxx' %}";
  const hostile: readonly [string, string, string][] = [
    ["a long loop", "{% for i in (1..999999999) %}x{% endfor %}", "too-slow"],
    [
      "loops in loops",
      "{% for i in (1..1000) %}{% for j in (1..1000) %}{% endfor %}{% endfor %}",
      "too-slow",
    ],
    ["numbers that no longer grow", "{% for i in (data.big..9007199254740999) %}x{% endfor %}", ""],
    [
      "doubling by append",
      `${double}{% for i in (1..60) %}{% assign a = a | append: a %}{% endfor %}{{ a }}`,
      "too-large",
    ],
    [
      "doubling by capture",
      `${double}{% for i in (1..60) %}{% capture a %}{{ a }}{{ a }}{% endcapture %}{% endfor %}`,
      "too-large",
    ],
    [
      "replacing nothing by much",
      `${double}{% for i in (1..9) %}{% assign a = a | replace: '', a %}{% endfor %}`,
      "too-large",
    ],
    ["a large output", "{% for i in (1..1000) %}0123456789012345678{% endfor %}", "too-large"],
    [
      "comparing long lists",
      `{% assign l = '${"x,".repeat(3_000)}' | split: ',' %}{% for i in (1..1000) %}{% if l contains 'q' %}{% endif %}{% endfor %}`,
      "too-large",
    ],
    [
      "long lists in case",
      `{% assign l = '${"x,".repeat(3_000)}' | split: ',' %}{% for i in (1..1000) %}{% case l %}{% when l %}{% endcase %}{% endfor %}`,
      "too-large",
    ],
    ["deep nesting", "{% if data.name %}".repeat(400), "render-failed"],
    ["an object", "{{ data }}", "render-failed"],
  ];
  for (const [name, source, expected] of hostile) {
    it(`stops ${name} at once`, () => {
      const elapsedMs = startProcessorClock();
      const outcome = failure(source);
      assert.equal(outcome, expected === "" ? 'rendered ""' : expected);
      assert.ok(elapsedMs() < 500);
    });
  }

  const hidden = [
    "{% raw %}{% endif %}{% endraw %}",
    "{% comment %}{% endif %}{% endcomment %}",
    "{{ '{% endif %}' }}",
    "{% # {% endif %}",
  ];
  for (const end of hidden) {
    it(`counts no end of a tag in ${end} when it limits the nesting`, () => {
      const nested = (depth: number) =>
        `{% if data.name %}${end}`.repeat(depth) + "{% endif %}".repeat(depth);
      assert.match(failure(nested(15)), /^rendered/);
      assert.equal(failure(nested(17)), "render-failed");
    });
  }

  it("counts no beginning of a tag inside of raw or comment when it limits the nesting", () => {
    const begin = "{% if data.name %}".repeat(20);
    assert.equal(render(`{% raw %}${begin}{% endraw %}`), begin);
    assert.equal(render(`{% comment %}${begin}{% endcomment %}`), "");
  });

  it("gives the same outcome each time: no clock decides", () => {
    for (let round = 0; round < 20; round += 1) {
      assert.equal(failure(hostile[1]?.[1] ?? ""), "too-slow");
    }
  });

  it("shows nothing of what JavaScript adds to a value", () => {
    for (const member of ["toString", "hasOwnProperty", "map"]) {
      assert.equal(render(`{{ data.${member} }}{{ data['${member}'] }}`), "");
      assert.equal(render(`{{ data.list.${member} | size }}`), "0");
      assert.equal(render(`{% for i in (1..1) %}{{ forloop.${member} }}{% endfor %}`), "");
    }
    for (const member of ["__proto__", "constructor", "prototype", "toString", "map"]) {
      assert.equal(render(`{% assign m = '${member}' %}{{ data.name[m] }}{{ data[m][m] }}`), "");
    }
  });

  it("refuses the names by which JavaScript is entered", () => {
    for (const member of ["__proto__", "constructor", "prototype"]) {
      for (const text of [
        `{{ data.${member} }}`,
        `{{ data['${member}'].x }}`,
        `{% if data.${member} %}{% endif %}`,
      ]) {
        assert.equal(compileText(text).problems[0]?.code, "unknown-variable", text);
      }
    }
  });

  const money = (count: number) => {
    const codes = Array.from({ length: count }, (_, at) =>
      [at, at / 26, at / 676].map((place) => String.fromCharCode(65 + (place % 26))).join(""),
    );
    return `{% assign all = '${codes}' | split: ',' %}{% for c in all %}{{ 1 | money: c | slice: 0 }}{% endfor %}`;
  };

  it("charges for every formatter, whoever has made it before", () => {
    for (let round = 0; round < 3; round += 1) {
      assert.equal(failure(money(900)), "too-slow");
      assert.match(failure(money(70)), /^rendered/);
    }
    const days =
      "{% for i in (1..300) %}{{ '2026-01-01' | date: '%A %B %A %B %A %B' }}{% endfor %}";
    assert.equal(failure(days), "too-large");
  });

  it("charges for lists that say nothing", () => {
    const list = `{% assign l = '${",".repeat(4_000)}x' | split: ',' %}`;
    assert.equal(failure(`${list}{% for i in (1..900) %}{{ l | size }}{% endfor %}`), "too-large");
    assert.equal(failure(`${list}{% for i in (1..900) %}{{ l }}{% endfor %}`), "too-large");
  });

  it("lets all texts of a pass take only so many steps together", () => {
    const text = compileText("{% for i in (1..900) %}{{ i }}{% endfor %}");
    const shared = scope();
    const outcomes = Array.from({ length: 20 }, () => {
      try {
        return text.render(shared).length > 0;
      } catch {
        return false;
      }
    });
    assert.equal(outcomes[0], true);
    assert.equal(outcomes.at(-1), false);
  });
});

describe("plain texts", () => {
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.double());
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b", "c.d", "0", "length"), tie("value"), { maxKeys: 3 }),
    ),
  }));
  const segment = fc.constantFrom(
    ".a",
    ".b",
    "['c.d']",
    '["0"]',
    "[0]",
    "[1]",
    ".length",
    "['a b']",
  );
  const path = fc
    .tuple(
      fc.constantFrom("data", "pass", "identifiers", "locale"),
      fc.array(segment, { maxLength: 3 }),
    )
    .map(([root, segments]) => `{{ ${root}${segments.join("")} }}`);
  const literal = fc.string().filter((text) => !/[{}]/.test(text));
  const source = fc.array(fc.oneof(path, literal), { maxLength: 6 }).map((parts) => parts.join(""));

  const outcome = (run: () => string): string => {
    try {
      return `= ${run()}`;
    } catch (error) {
      return `! ${(error as TextError).failure}`;
    }
  };

  it("give what the engine gives for them", () => {
    fc.assert(
      fc.property(source, value, value, (text, data, identifiers) => {
        const plain = compilePlain(text);
        assert.ok(plain !== undefined, text);
        const values = { data, identifiers } as ScopeValues;
        assert.equal(
          outcome(() => plain.render(scope(values))),
          outcome(() => compileWithEngine(text).render(scope(values))),
        );
      }),
      { numRuns: 300 },
    );
  });

  it("leave to the engine what is more than a path", () => {
    for (const text of [
      "{{ a | b }}",
      "{{- data.a -}}",
      "{% if x %}",
      "{{ data.size }}",
      "{{ x }}",
    ]) {
      assert.equal(compilePlain(text), undefined, text);
    }
  });
});

describe("any text at all", () => {
  it("compiles and renders to a text or a named failure", () => {
    const piece = fc.constantFrom(
      ...["{{", "}}", "{%", "%}", "|", "data", ".", "[", "]", "'", '"', "(1..3)", "for i in", "if"],
      ...["endif", "endfor", "assign a =", "a", "date", "t:", "-", " ", "\n", "0", "\\", "{", "}"],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 15 }), (pieces) => {
        failure(pieces.join(""));
      }),
      { numRuns: 1_000 },
    );
  });
});
