import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { it, type TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { ROOT } from "#test/support/sources.ts";
import {
  buildsOf,
  ENTRY,
  findProgram,
  hashRules,
  type Manifest,
  manifestOf,
} from "./built-program.ts";

const SOURCE = "src/main/command-line.ts";
const OTHER = "src/kernel/errors.ts";
const WRITTEN_AT = new Date("2026-01-01T12:00:00Z");

/** A folder with two sources and their build, as `npm ci` leaves them. */
async function makeRoot(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), "billfold-built-program-"));
  t.after(() => rm(root, { recursive: true, force: true }));
  const write = async (path: string, text: string, writtenAt = WRITTEN_AT) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
    await utimes(join(root, path), writtenAt, writtenAt);
  };
  const entry = join(buildsOf(root), "built", ENTRY);
  await write("package-lock.json", "locked");
  const manifest: Manifest = {
    folder: "built",
    files: { [ENTRY]: 5, "part.js": 4 },
    rules: hashRules(root),
    sources: { [SOURCE]: [WRITTEN_AT.getTime(), 4], [OTHER]: [WRITTEN_AT.getTime(), 5] },
  };
  await write(SOURCE, "main");
  await write(OTHER, "error");
  await write(`dist/built/${ENTRY}`, "built");
  await write("dist/built/part.js", "part");
  await writeFile(manifestOf(root), JSON.stringify(manifest));
  return { root, write, entry };
}

it("a build is used as long as its sources are as they were", async (t) => {
  const { root, entry } = await makeRoot(t);
  assert.equal(findProgram(root), pathToFileURL(entry).href);
});

it("a source that was written, or has another size, or is gone, is not what was built", async (t) => {
  const { root, write } = await makeRoot(t);
  await write(OTHER, "error", new Date("2026-01-01T12:00:01Z"));
  assert.equal(findProgram(root), undefined);
  await write(OTHER, "errors");
  assert.equal(findProgram(root), undefined);
  await rm(join(root, OTHER));
  assert.equal(findProgram(root), undefined);
  await write(OTHER, "error");
  assert.notEqual(findProgram(root), undefined);
});

it("a rule, or a version of a package, that is another one needs another build", async (t) => {
  const { root, write } = await makeRoot(t);
  // As `npm prune` does.
  await write("package-lock.json", "locked", new Date("2026-01-01T13:00:00Z"));
  assert.notEqual(findProgram(root), undefined);
  await write("package-lock.json", "LOCKED");
  assert.equal(findProgram(root), undefined);
  await rm(join(root, "package-lock.json"));
  assert.equal(findProgram(root), undefined);
});

it("without a build, or with half of one, there is none", async (t) => {
  const { root, write, entry } = await makeRoot(t);
  await write("dist/built/part.js", "p");
  assert.equal(findProgram(root), undefined);
  await rm(join(root, "dist/built/part.js"));
  assert.equal(findProgram(root), undefined);
  await write("dist/built/part.js", "part");
  assert.notEqual(findProgram(root), undefined);
  await rm(entry);
  assert.equal(findProgram(root), undefined);
  const texts = ['{"folder":"built","sour', "{}", "null", '{"folder":"built"}'];
  for (const text of [...texts, '{"folder":"built","sources":{"src/a.ts":5}}']) {
    await writeFile(manifestOf(root), text);
    assert.equal(findProgram(root), undefined, text);
  }
  await rm(buildsOf(root), { recursive: true });
  assert.equal(findProgram(root), undefined);
});

it("the product has a build, which tests that start processes try", () => {
  assert.notEqual(findProgram(), undefined, "npm run build:program says why there is none");
});

it("a build is true after `npm prune --omit=dev`: it needs no package of development", async () => {
  const { sources } = JSON.parse(await readFile(manifestOf(ROOT), "utf8")) as Manifest;
  const { packages } = JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const used = Object.keys(sources).filter((path) => path.startsWith("node_modules/"));
  assert.ok(used.includes("node_modules/fastify"));
  assert.deepEqual(
    used.filter((path) => packages[path]?.dev !== undefined),
    [],
  );
});

it("the build has the commands of the sources", async () => {
  const { folder } = JSON.parse(await readFile(manifestOf(ROOT), "utf8")) as Manifest;
  const { href } = pathToFileURL(join(buildsOf(ROOT), folder, ENTRY));
  const { readWords } = (await import(href)) as typeof import("./command-line.ts");
  assert.deepEqual(Object.keys(readWords(["--version"])), ["text"]);
});
