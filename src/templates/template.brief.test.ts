import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { readTemplates } from "#test/support/read-templates.ts";
import { LOYALTY_YML, TENANT_YML, toFiles } from "#test/support/template-files.ts";
import { briefText } from "./template.brief.ts";
import { codeTexts, nameTexts } from "./template.holder.ts";
import { renderTemplate } from "./template.render.ts";
import type { RenderInput } from "./template.render-input.ts";

const MESSAGE = 'message: "{{ pass.id }}"';

function compile(message: string, more: Readonly<Record<string, string>> = {}) {
  const loyalty = LOYALTY_YML.replace(MESSAGE, `message: ${JSON.stringify(message)}`);
  const files = { "tenant.yml": TENANT_YML, "server/passes/loyalty.yml": loyalty, ...more };
  const template = readTemplates(toFiles(files)).set.templates.get("loyalty");
  assert.ok(template !== undefined);
  return template;
}

const word = fc.constantFrom("", " ", "A-1", "é", "😀", "0", "x".repeat(40), "a\nb", "{", "}}");
const value = fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null), fc.array(word));
const input: fc.Arbitrary<RenderInput> = fc.record({
  pass: fc.record({ id: fc.constantFrom("ps_1", "ps_2") }),
  identifiers: fc.record({ "loyalty.number": word }),
  data: fc.record({ firstName: value, since: value, deep: fc.record({ code: value }) }),
  metadata: fc.record({ tier: value }),
  privileges: fc.constant({ points: { value: 3 } }),
  tenant: fc.constant({ id: "acme", name: "Café Lune", timeZone: "Europe/Zurich" }),
});

const PIECES = [
  "M-",
  " ",
  "{{ pass.id }}",
  "{{pass.id}}",
  "{{ identifiers['loyalty.number'] }}",
  "{{ data.firstName }}",
  "{{ data.deep.code }}",
  "{{ data.deep }}",
  "{{ data.nothing.there }}",
  "{{ metadata.tier | upcase }}",
  "{{ data.firstName | default: 'none' }}",
  "{% if data.since %}S{% endif %}",
  "{% for i in (1..400) %}.{% endfor %}",
  "{{ privileges.points.value }}",
  "{{ locale }}",
];

describe("a brief text", () => {
  it("is exactly what the full rendering gives, or says that it cannot tell", () => {
    let told = 0;
    const pieces = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(pieces, fc.array(input, { minLength: 3, maxLength: 6 }), (texts, inputs) => {
        const message = texts.join("");
        const compiled = compile(message);
        const [source] = codeTexts(compiled);
        const brief = briefText(source ?? "", compiled.locales.defaultLocale);
        for (const given of inputs) {
          const made = brief(given);
          if (made === undefined) continue;
          told += 1;
          assert.equal(made, renderTemplate(compiled, given).barcode?.message);
        }
      }),
      { numRuns: 40 },
    );
    assert.ok(told > 40, `${told} were told`);
  });

  it("cannot tell what depends on privileges or the language, or takes long", () => {
    const given = fc.sample(input, 1)[0] as RenderInput;
    for (const source of PIECES.slice(-3)) {
      assert.equal(briefText(source, "en")(given), undefined, source);
    }
    for (const source of PIECES.slice(0, 12)) {
      assert.notEqual(briefText(source, "en")(given), undefined, source);
    }
  });
});

describe("the texts of a code", () => {
  it("are the barcode, as the default language has it, and barcodes of the layouts", () => {
    const layouts = {
      "layouts/loyalty.apple.yml":
        'barcodes: [ { message: "A{{ pass.id }}", altText: "{{ pass.id }}" } ]\n',
      "layouts/loyalty.google.yml": 'object: { barcode: { value: "G{{ pass.id }}" } }\n',
      "locales/en.yml": '"{{ data.firstName }}": "E{{ data.firstName }}"\n',
    };
    assert.deepEqual(codeTexts(compile("{{ data.firstName }}", layouts)), [
      "E{{ data.firstName }}",
      "A{{ pass.id }}",
      "G{{ pass.id }}",
    ]);
    assert.deepEqual(nameTexts(compile("x")), ["{{ data.firstName }}"]);
  });
});
