import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readTemplates } from "#test/support/read-templates.ts";
import { GERMAN_YML, TEMPLATE_FILES, toFiles } from "#test/support/template-files.ts";
import { nameFindings } from "./names.ts";

const LOYALTY = "server/passes/loyalty.yml";

/** The template for loyalty, with this translation of one of its texts to German. */
function withGerman(translation: string) {
  const german = GERMAN_YML.replace("Bring diese Karte mit.", JSON.stringify(translation));
  const { set, findings } = readTemplates(toFiles({ ...TEMPLATE_FILES, "locales/de.yml": german }));
  const compiled = set.templates.get("loyalty");
  assert.ok(compiled !== undefined);
  return [...findings, ...nameFindings(compiled, false)].map(
    ({ code, file, line, message }) => `${code} ${file}:${line} ${message}`,
  );
}

const LINE =
  TEMPLATE_FILES[LOYALTY]?.split("\n").findIndex((line) => line.includes("Bring this card.")) ?? -1;
const PLACE = `${LOYALTY}:${LINE + 1}`;

describe("names in a translation", () => {
  it("are held to the template like those of the text itself", () => {
    assert.deepEqual(withGerman("Karte {{ identifiers['loyalty.nummer'] }} mitbringen."), [
      `identifier.undeclared ${PLACE} The template does not name an identifier 'loyalty.nummer', which the translation to 'de' uses.`,
    ]);
    assert.deepEqual(withGerman("Bitte mitbringen, {{ data.vorname }}."), [
      `template.unknown-data ${PLACE} In its translation to 'de', 'data' declares no 'vorname'.`,
    ]);
    assert.deepEqual(withGerman("{{ privileges.punkte.value }} Punkte"), [
      `template.unknown-privilege ${PLACE} In its translation to 'de', there is no privilege 'punkte'.`,
    ]);
  });

  it("are in order if the template knows them", () => {
    const known =
      "{{ data.firstName }} {{ identifiers['loyalty.number'] }} {{ privileges.points.value }}";
    assert.deepEqual(withGerman(known), []);
  });
});
