import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { describe, it } from "node:test";
import { createPorts } from "#kernel/port.ts";
import { allProvisions } from "#main/modules.ts";
import { checkYaml, readYaml } from "#src/files/public.ts";
import { imageFindings } from "#src/templates/images/image.checks.ts";
import { templateCheck } from "#src/templates/public.ts";
import { Stores } from "#src/templates/schema/store.ts";
import { renderInAllLanguages } from "#src/templates/template.render.ts";
import { sampleInput } from "#src/templates/template.sample.ts";
import { Template } from "#src/templates/template.schema.ts";
import { appleImages } from "#src/wallets/apple/apple.images.ts";
import { buildGoogleClass } from "#src/wallets/google/google.content.ts";
import { googleImages } from "#src/wallets/google/google.images.ts";
import { factsOf, readTemplates } from "#test/support/read-templates.ts";

const DEMO = join(import.meta.dirname, "../../demo");
/** Drawings from which the pictures are made. They are not part of the configuration. */
const NOT_PUBLISHED = /^artwork\//;
const BYTES_MAX = 600 * 1024;

const files = new Map(
  readdirSync(DEMO, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path): [string, Buffer] => [
      relative(DEMO, path).split(sep).join("/"),
      readFileSync(path),
    ])
    .filter(([path]) => !NOT_PUBLISHED.test(path))
    .sort(([left], [right]) => (left < right ? -1 : 1)),
);

const templatePaths = [...files.keys()].filter((path) => path.startsWith("server/passes/"));

/** Texts that Liquid translates, such as `{{ 'Ready' | t }}`. */
const TRANSLATED = /'([^']+)' \| t\b/g;

function dataOf({ data }: Template): Record<string, { enum?: unknown[] }> {
  return (
    (data as { properties?: Record<string, { enum?: unknown[] }> } | undefined)?.properties ?? {}
  );
}

function read(path: string) {
  const { file, findings } = readYaml(path, files.get(path) ?? Buffer.alloc(0));
  assert.deepEqual(findings, [], path);
  assert.ok(file, path);
  return file;
}

describe("the demo tenant", () => {
  it("has a loyalty card, a coupon, an event ticket and a membership", () => {
    assert.deepEqual(
      templatePaths.map((path) => path.replace("server/passes/", "")),
      ["coupon.yml", "event-ticket.yml", "loyalty.yml", "membership.yml"],
    );
  });

  it("is made of files that each fit their schema", () => {
    for (const path of files.keys()) if (path.endsWith(".yml")) read(path);
    for (const path of templatePaths) {
      assert.deepEqual(checkYaml(path, read(path), Template), [], path);
    }
    const stores = "server/stores.yml";
    assert.deepEqual(checkYaml(stores, read(stores), Stores), []);
  });

  it("compiles without a finding", () => {
    const { set, findings } = readTemplates(files);

    assert.deepEqual(findings, []);
    assert.deepEqual(set.locales.languages, ["en", "fr"]);
    assert.equal(set.stores.length, 4);
  });

  it("has every text in both languages", () => {
    const { templates, locales } = readTemplates(files).set;
    const texts = [...templates.values()].flatMap(({ values, template }) => [
      ...values.filter(({ text }) => text.isLiteral).map(({ text }) => text.source),
      ...values.flatMap(({ text }) => [...text.source.matchAll(TRANSLATED)].map(([, key]) => key)),
      ...Object.values(dataOf(template)).flatMap((member) => member.enum ?? []),
    ]);

    const french = locales.tables.get("fr");
    const untranslated = texts.filter((text) => french?.has(String(text)) !== true);

    assert.deepEqual(untranslated, []);
  });

  it("translates nothing that no template says", () => {
    const { templates, locales } = readTemplates(files).set;
    const said = [...templates.values()]
      .flatMap(({ values, template }) => [
        ...values.map(({ text }) => text.source),
        ...Object.values(dataOf(template)).flatMap((member) => member.enum ?? []),
      ])
      .join("\n");

    const idle = [...(locales.tables.get("fr")?.keys() ?? [])].filter((key) => !said.includes(key));

    assert.deepEqual(idle, []);
  });

  it("has images that nothing is to be said of", async () => {
    const templates = templatePaths.map((path) => {
      const file = read(path);
      return {
        template: file.value as Template,
        place: (pointer: readonly string[]) => ({ file: path, ...file.at(pointer) }),
      };
    });

    assert.deepEqual(await imageFindings(templates, files, [appleImages, googleImages]), []);
  });

  it("gives the whole lint nothing to warn of", async () => {
    const secrets = { read: async () => undefined };

    const findings = await templateCheck.check({
      tenantId: "cafe-lune",
      files,
      tenant: factsOf(files),
      ports: createPorts(allProvisions()),
      secrets,
    });

    assert.deepEqual(
      findings.filter(({ severity }) => severity !== "info"),
      [],
    );
  });

  it("has its concert begin on the clocks of Paris, also at Google", () => {
    const { set } = readTemplates(files);
    const template = set.templates.get("event-ticket");
    assert.ok(template !== undefined);
    const pass = renderInAllLanguages(
      template,
      sampleInput(template, { ...set.tenant, id: "demo" }),
    );
    const { content } = buildGoogleClass(template, pass, {
      issuerId: "1",
      imageUrl: () => undefined,
    });
    const { start } = content.dateTime as { start: string };
    assert.equal(start, "2027-03-05T20:30:00+01:00");
  });

  it("weighs little", () => {
    const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0);

    assert.ok(bytes < BYTES_MAX, `${bytes} bytes`);
  });
});
