import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readTemplates } from "#test/support/read-templates.ts";
import { LOYALTY_YML, TEMPLATE_FILES, toFiles } from "#test/support/template-files.ts";
import { renderInAllLanguages, renderTemplate } from "./template.render.ts";
import type { RenderInput } from "./template.render-input.ts";

function compile(files: Readonly<Record<string, string>> = {}) {
  const { set } = readTemplates(toFiles({ ...TEMPLATE_FILES, ...files }));
  const template = set.templates.get("loyalty");
  assert.ok(template !== undefined);
  return template;
}

const INPUT: RenderInput = {
  pass: { id: "pass-00001", creationDate: "2026-01-15T09:30:00.000Z" },
  identifiers: { "loyalty.number": "4711" },
  data: { firstName: "Ann", since: "2024-03-31" },
  metadata: {},
  privileges: { points: { value: 120 } },
  tenant: { id: "acme", name: "Café Lune", timeZone: "Europe/Zurich" },
};

describe("renderTemplate", () => {
  it("fills every part of a pass", () => {
    const pass = renderTemplate(compile(), INPUT);
    assert.deepEqual(pass.problems, []);
    assert.deepEqual(pass.barcode, { message: "pass-00001", text: "4711", canExist: true });
    assert.equal(pass.fields.header[0]?.text, "120");
    assert.equal(pass.fields.primary[0]?.text, "Ann");
    assert.equal(pass.fields.secondary[0]?.text, "Mar 31, 2024");
    assert.equal(pass.fields.secondary[0]?.raw, "2024-03-31T00:00:00+01:00");
    assert.equal(pass.expiresAt, "2028-01-15T09:30:00.000Z");
    assert.deepEqual(pass.locations, [{ latitude: 47.37, longitude: 8.54, text: "Lune Zurich" }]);
  });

  it("gives no more than ten barcodes of a layout, and says so", () => {
    const layout = (count: number) => {
      const entry = "  - { format: PKBarcodeFormatQR, message: '{{ pass.id }}' }\n";
      return { "layouts/loyalty.apple.yml": `barcodes:\n${entry.repeat(count)}` };
    };
    const rendered = (count: number) => {
      const { layouts, problems } = renderTemplate(compile(layout(count)), INPUT);
      const { barcodes } = layouts.apple ?? {};
      return [
        Array.isArray(barcodes) ? barcodes.length : undefined,
        problems.map(({ file, line, message }) => `${file}:${line} ${message}`),
      ];
    };
    assert.deepEqual(rendered(10), [10, []]);
    const problem = "has 250 barcodes: those after the first 10 are left out";
    assert.deepEqual(rendered(250), [10, [`layouts/loyalty.apple.yml:1 ${problem}`]]);
  });

  it("gives the same pass for the same input", () => {
    const template = compile();
    assert.deepEqual(renderTemplate(template, INPUT), renderTemplate(template, INPUT));
  });

  it("speaks the holder's language, as far as there are translations", () => {
    const german = renderTemplate(compile(), { ...INPUT, locale: "de-AT" });
    assert.equal(german.language, "de");
    assert.equal(german.fields.header[0]?.label, "Punkte");
    assert.equal(german.fields.header[0]?.change, "Du hast jetzt %@ Punkte");
    assert.equal(german.fields.secondary[0]?.label, "Member since");
    assert.equal(german.fields.secondary[0]?.text, "31.03.2024");
    const french = renderTemplate(compile(), { ...INPUT, locale: "fr" });
    assert.equal(french.language, "en");
  });

  it("renders once where there is one language, and else in each", () => {
    assert.deepEqual(
      renderInAllLanguages(compile(), INPUT).others.map(({ language }) => language),
      ["de"],
    );
    const { set } = readTemplates(toFiles({ "server/passes/loyalty.yml": LOYALTY_YML }));
    const alone = set.templates.get("loyalty");
    assert.ok(alone !== undefined);
    assert.deepEqual(renderInAllLanguages(alone, INPUT).others, []);
  });

  it("makes a text that fails empty, says so, and leaves the others alone", () => {
    const template = compile({
      "server/passes/loyalty.yml": LOYALTY_YML.replace(
        "{{ data.firstName }}",
        "{{ data.since | money: 'x' }}",
      ),
    });
    const pass = renderTemplate(template, INPUT);
    assert.equal(pass.fields.primary[0]?.text, "");
    assert.equal(pass.fields.header[0]?.text, "120");
    assert.deepEqual(
      pass.problems.map(({ failure, pointer }) => [failure, pointer.join(".")]),
      [["render-failed", "fields.primary.0.value"]],
    );
  });

  it("never throws, whatever the values are", () => {
    const odd: unknown[] = [null, undefined, 7, "x", [], { toString: 1 }, { a: { b: [] } }];
    for (const value of odd) {
      const data = { firstName: value, since: value };
      const pass = renderTemplate(compile(), { ...INPUT, data, privileges: { points: value } });
      assert.equal(typeof pass.fields.primary[0]?.text, "string");
    }
  });

  it("takes the expiry of the pass before that of the template", () => {
    const pass = { ...INPUT.pass, expirationDate: "2026-12-31T23:59:00Z" };
    const rendered = renderTemplate(compile(), { ...INPUT, pass });
    assert.equal(rendered.expiresAt, "2026-12-31T23:59:00.000Z");
  });
});
