import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { createPorts } from "#kernel/port.ts";
import { allProvisions } from "#main/modules.ts";
import { factsOf } from "#test/support/read-templates.ts";
import { startStopwatch } from "#test/support/slowness.ts";
import { GENERIC_YML, TEMPLATE_FILES, toFiles } from "#test/support/template-files.ts";
import { ruleAddresses } from "./check.ts";
import { examineSafely, type SandboxOptions } from "./sandbox.ts";

const RULES = ruleAddresses(createPorts(allProvisions()));
const PATH = "server/passes/library.yml";

function withText(text: string): Map<string, Buffer> {
  const value = JSON.stringify(text);
  return toFiles({
    ...TEMPLATE_FILES,
    [PATH]: GENERIC_YML.replace('"{{ data.name }}"', () => value),
  });
}

async function module(t: TestContext, code: string): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), "billfold-sandbox-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "worker.mjs");
  await writeFile(file, code);
  return pathToFileURL(file);
}

function program(t: TestContext, code: string): Promise<URL> {
  return module(
    t,
    `process.once("message", () => process.send(3, () => { ${code} }));
     process.send("ready");`,
  );
}

/** A helper that hangs while it loads its code, as often as `times`, and then finds nothing. */
function stuckProgram(t: TestContext, times: number): Promise<URL> {
  return module(
    t,
    `import { appendFileSync, readFileSync } from "node:fs";
     const starts = new URL("./starts", import.meta.url);
     appendFileSync(starts, "x");
     process.once("disconnect", () => process.exit());
     if (readFileSync(starts).length <= ${times}) await new Promise(() => setInterval(() => {}, 1000));
     const nothing = { findings: [], images: [], namesAllImages: true, stores: [], named: [] };
     process.once("message", () => process.send(nothing));
     process.send("ready");`,
  );
}

async function errorsIn(files: Map<string, Buffer>, options?: Partial<SandboxOptions>) {
  const { findings } = await examineSafely(
    { files, tenant: factsOf(files) },
    { rules: RULES, ...options },
  );
  return findings.filter(({ severity }) => severity === "error");
}

async function timed(files: Map<string, Buffer>) {
  const elapsedMs = startStopwatch();
  const findings = await errorsIn(files);
  return { findings, ms: elapsedMs() };
}

describe("examineSafely", () => {
  it("finds nothing wrong with good templates", async () => {
    assert.deepEqual(await errorsIn(toFiles(TEMPLATE_FILES)), []);
  });

  const hostile: readonly [string, string, string][] = [
    ["an endless loop", "{% for i in (1..99999999999) %}{% endfor %}", "template.too-slow"],
    [
      "loops in loops",
      "{% for i in (1..1000) %}{% for j in (1..1000) %}x{% endfor %}{% endfor %}",
      "template.too-slow",
    ],
    [
      "a memory bomb",
      "{% assign a = 'xxxxxxxxxxxxxxxx' %}{% for i in (1..99) %}{% assign a = a | append: a %}{% endfor %}",
      "template.too-large",
    ],
    [
      "a huge output",
      "{% for i in (1..1000) %}0123456789012345678{% endfor %}",
      "template.too-large",
    ],
    ["an include of a file", "{% include '/etc/passwd' %}", "template.unknown-tag"],
    ["deep nesting", "{% if data.name %}".repeat(400), "template.liquid-syntax"],
    ["a failure", "{{ data.name | money: 'EUR' }}", "template.render-failed"],
  ];
  for (const [name, text, code] of hostile) {
    it(`ends soon on ${name}, with a finding at its line, and no more memory`, async () => {
      const before = process.memoryUsage().rss;
      const usual = await timed(toFiles(TEMPLATE_FILES));
      const { findings, ms } = await timed(withText(text));
      assert.ok(ms < usual.ms + 2_000, `${ms} instead of ${usual.ms}`);
      assert.deepEqual(
        findings.map((finding) => [finding.code, finding.file, finding.line]),
        [[code, PATH, 10]],
      );
      assert.ok(process.memoryUsage().rss - before < 150 * 1024 * 1024);
    });
  }

  it("shows nothing of JavaScript to a template", async () => {
    assert.deepEqual(await errorsIn(withText("x{{ data.toString }}")), []);
    for (const name of ["__proto__", "constructor", "constructor.constructor"]) {
      const [finding] = await errorsIn(withText(`x{{ data.${name} }}`));
      assert.equal(finding?.code, "template.unknown-variable", name);
    }
  });

  it("stops what does not stop by itself, and names the file it was in", async (t) => {
    const [finding] = await errorsIn(toFiles(TEMPLATE_FILES), {
      program: await program(t, "for (;;);"),
      budgetMs: 200,
    });
    assert.equal(finding?.code, "template.too-slow");
    assert.equal(finding?.file, [...toFiles(TEMPLATE_FILES).keys()][3]);
  });

  it("stops what takes more memory than it may, and lives on", async (t) => {
    const [finding] = await errorsIn(toFiles(TEMPLATE_FILES), {
      program: await program(t, "const all = []; for (;;) all.push(new Array(1000).fill({}));"),
      memoryMb: 32,
      budgetMs: 20_000,
    });
    assert.equal(finding?.code, "template.too-large");
  });

  it("says so when the helper dies", async (t) => {
    const [finding] = await errorsIn(toFiles(TEMPLATE_FILES), {
      program: await program(t, "throw new Error('broken');"),
    });
    assert.equal(finding?.code, "template.render-failed");
  });

  it("begins anew when a helper hangs without the files", { timeout: 30_000 }, async (t) => {
    const options = { program: await stuckProgram(t, 1), readyMsMax: 5_000 };
    assert.deepEqual(await errorsIn(toFiles(TEMPLATE_FILES), options), []);
  });

  it("503: blames no file when no helper gets the files", { timeout: 30_000 }, async (t) => {
    const options = { program: await stuckProgram(t, 99), readyMsMax: 500 };
    await assert.rejects(errorsIn(toFiles(TEMPLATE_FILES), options), { code: "service.busy" });
  });

  it("tells of each set what it tells alone, whatever was examined before it", async () => {
    const broken = withText("{{ data.name | money: 'EUR' }}");
    const alone = await errorsIn(broken);
    assert.equal(alone.length, 1);
    for (let count = 0; count < 3; count += 1) {
      assert.deepEqual(await errorsIn(toFiles(TEMPLATE_FILES)), []);
      assert.deepEqual(await errorsIn(broken), alone);
    }
  });

  it("examines the next set after one that was stopped", async (t) => {
    const stuck = await errorsIn(toFiles(TEMPLATE_FILES), {
      program: await program(t, "for (;;);"),
      budgetMs: 200,
    });
    assert.equal(stuck[0]?.code, "template.too-slow");
    assert.deepEqual(await errorsIn(toFiles(TEMPLATE_FILES)), []);
  });

  it("serves many at once", async () => {
    const all = await Promise.all(
      Array.from({ length: 5 }, () => errorsIn(toFiles(TEMPLATE_FILES))),
    );
    assert.deepEqual(all, [[], [], [], [], []]);
  });
});
