import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { check } from "#test/support/check-configuration.ts";
import { TEMPLATE_FILES, toFiles } from "#test/support/template-files.ts";

const TEMPLATE = "server/passes/library.yml";
const LOCALE = "locales/de.yml";

async function findingsOf(value: string, translations: string) {
  const files = {
    ...TEMPLATE_FILES,
    [TEMPLATE]: `${TEMPLATE_FILES[TEMPLATE]}  back: [ { key: place, label: Terms, value: '${value}' } ]\n`,
    [LOCALE]: `${TEMPLATE_FILES[LOCALE]}Terms: Regeln\n${translations}`,
  };
  const found = await check(toFiles(files));
  return found
    .filter(({ code, message }) => code.startsWith("locale.") && /Caf|Two/.test(message))
    .map(({ code, message }) => `${code} ${message}`);
}

describe("the check of translations", () => {
  it("knows a text that a template writes with escapes", async () => {
    const value = '{{ "Caf\\u00e9" | t }} {{ "Two\\nlines" | t }}';
    assert.deepEqual(await findingsOf(value, 'Café: Kaffeehaus\n"Two\\nlines": Zwei\n'), []);
    assert.deepEqual(await findingsOf(value, "Café: Kaffeehaus\n"), [
      "locale.untranslated 'Two lines' is missing in de.",
    ]);
  });

  it("names a translation that no template uses", async () => {
    assert.deepEqual(await findingsOf("Terms", "Café: Kaffeehaus\n"), [
      "locale.unused No template uses 'Café'.",
    ]);
  });
});
