import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { renderInAllLanguages } from "#src/templates/template.render.ts";
import { sampleInput } from "#src/templates/template.sample.ts";
import { stringsOf } from "#test/support/apple-bundle.ts";
import { readTemplates } from "#test/support/read-templates.ts";
import { TEMPLATE_FILES, toFiles } from "#test/support/template-files.ts";
import { buildUnsigned, shareFiles } from "./bundle.build.ts";
import type { BundleMessage } from "./bundle.message.ts";

const IDENTITY = { passTypeIdentifier: "pass.example.lune", teamIdentifier: "ABCDE12345" };

function build(passType: string, message: BundleMessage, files: Record<string, string> = {}) {
  const { set } = readTemplates(toFiles({ ...TEMPLATE_FILES, ...files }));
  const template = set.templates.get(passType);
  assert.ok(template !== undefined);
  const input = sampleInput(template, { ...set.tenant, id: "acme" });
  const rendered = renderInAllLanguages(template, input);
  const shared = shareFiles([]);
  const made = buildUnsigned(shared, { template, rendered, identity: IDENTITY, message });
  const byName = new Map(made.files.map(({ name, content }) => [name, content]));
  const json = JSON.parse(String(byName.get("pass.json")));
  return { json, strings: stringsOf(byName) };
}

const PLAIN = { title: null, content: "Your table is ready.", localizedContent: {}, earlier: 0 };

describe("the last message of a pass", () => {
  it("stands on the back, and the phone shows it when it changes", () => {
    const { json } = build("loyalty", PLAIN);
    assert.deepEqual(json.storeCard.backFields.at(-1), {
      key: "billfold-message",
      label: "Café Lune",
      value: "Your table is ready.",
      changeMessage: "%@",
    });
    const titled = build("coupon", { ...PLAIN, title: "Lunch" });
    assert.equal(titled.json.coupon.backFields[0].label, "Lunch");
  });

  it("speaks the languages that it was sent in, and those of the tenant", () => {
    const localizedContent = { en: "Ready.", de: "Bereit.", "pt-BR": "Pronto." };
    const { json, strings } = build("loyalty", { ...PLAIN, content: null, localizedContent });
    assert.equal(json.storeCard.backFields.at(-1).value, "Ready.");
    assert.deepEqual(Object.keys(strings).toSorted(), ["de", "en", "pt-BR"]);
    assert.equal(strings.de?.["Ready."], "Bereit.");
    assert.equal(strings["pt-BR"]?.["Ready."], "Pronto.");
    assert.equal(strings["pt-BR"]?.Points, "Points");
    const keys = Object.values(strings).map((table) => Object.keys(table).toSorted());
    assert.deepEqual(keys[0], keys[1]);
    assert.deepEqual(keys[1], keys[2]);
  });

  it("in a region starts from the texts of its language, and counts each language once", () => {
    const localizedContent = { en: "Ready.", "DE-at": "Fertig.", "de-AT": "Twice.", EN: "Twice." };
    const { strings } = build("loyalty", { ...PLAIN, content: null, localizedContent });
    assert.deepEqual(Object.keys(strings).toSorted(), ["de", "de-AT", "en"]);
    assert.equal(strings["de-AT"]?.["Ready."], "Fertig.");
    assert.ok(strings.de?.Points !== "Points");
    assert.equal(strings["de-AT"]?.Points, strings.de?.Points);
  });

  it("differs from the one before also if its text is the same, in every language", () => {
    const localizedContent = { en: "Ready.", de: "Bereit." };
    const message = { ...PLAIN, content: null, localizedContent };
    const values = [0, 1, 2].map((earlier) => {
      const { json, strings } = build("loyalty", { ...message, earlier });
      const { value } = json.storeCard.backFields.at(-1);
      return [value, strings.de?.[value]];
    });
    assert.deepEqual(values, [
      ["Ready.", "Bereit."],
      ["Ready.\u2060", "Bereit.\u2060"],
      ["Ready.", "Bereit."],
    ]);
  });

  it("takes another language where the tenant's own was not sent", () => {
    const localizedContent = { fr: "Prêt." };
    const { json, strings } = build("library", { ...PLAIN, content: null, localizedContent });
    assert.equal(json.generic.backFields[0].value, "Prêt.");
    assert.deepEqual(strings.fr ?? {}, {});
  });

  it("stands on the back of a poster too", () => {
    const path = "server/passes/library.yml";
    const text = String(TEMPLATE_FILES[path]).replace("strip: images", "artwork: images");
    const { json } = build("library", PLAIN, { [path]: text });
    for (const style of ["generic", "posterGeneric"]) {
      assert.equal(json[style].backFields.at(-1).key, "billfold-message", style);
    }
  });

  it("stays where a layout replaces all fields of the back", () => {
    const layout = 'storeCard: { backFields: [ { key: own, value: "Only this" } ] }\n';
    const { json } = build("loyalty", PLAIN, { "layouts/loyalty.apple.yml": layout });
    const keys = json.storeCard.backFields.map(({ key }: { key: string }) => key);
    assert.deepEqual(keys, ["own", "billfold-message"]);
  });
});
