import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { hashSources, markSources } from "../../console/build/sources.ts";

const SOURCES = [
  "console/index.html",
  "console/vite.config.ts",
  "package-lock.json",
  "console/build/build.ts",
  "console/src/main.ts",
  "console/src/parts/button.tsx",
];
const WRITTEN_AT = new Date("2026-01-01T00:00:00Z");
const LATER = new Date("2026-01-01T00:00:01Z");

async function prepareSources(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), "billfold-sources-"));
  t.after(() => rm(root, { recursive: true, force: true }));
  const write = async (path: string, text: string, at: Date) => {
    await mkdir(join(root, path, ".."), { recursive: true });
    await writeFile(join(root, path), text);
    await utimes(join(root, path), at, at);
  };
  for (const path of SOURCES) await write(path, `// ${path}`, WRITTEN_AT);
  const look = async () => ({ mark: await markSources(root), hash: await hashSources(root) });
  return { root, write, look };
}

describe("the sources of the console", () => {
  it("have the same mark and hash until something happens to them", async (t) => {
    const { look } = await prepareSources(t);
    assert.deepEqual(await look(), await look());
  });

  it("have another mark and hash if one was written anew, with the same size", async (t) => {
    const { write, look } = await prepareSources(t);
    await write("console/src/main.ts", "one", WRITTEN_AT);
    const before = await look();
    await write("console/src/main.ts", "two", LATER);
    const after = await look();
    assert.notEqual(after.mark, before.mark);
    assert.notEqual(after.hash, before.hash);
  });

  it("have another mark and hash if one was added, and the same hash once it is removed", async (t) => {
    const { root, write, look } = await prepareSources(t);
    const before = await look();
    await write("console/src/parts/new.tsx", "", WRITTEN_AT);
    const added = await look();
    assert.notEqual(added.mark, before.mark);
    assert.notEqual(added.hash, before.hash);
    await rm(join(root, "console/src/parts/new.tsx"));
    const removed = await look();
    assert.notEqual(removed.mark, added.mark);
    assert.equal(removed.hash, before.hash);
  });

  it("have another mark, and the same hash, if one was only touched", async (t) => {
    const { root, look } = await prepareSources(t);
    const before = await look();
    await utimes(join(root, "console/src/main.ts"), LATER, LATER);
    const after = await look();
    assert.notEqual(after.mark, before.mark);
    assert.equal(after.hash, before.hash);
  });

  it("have a mark even if one vanishes after it was listed, but no hash", async (t) => {
    const { root } = await prepareSources(t);
    // It is listed by its name, whether it is there or not.
    await rm(join(root, "package-lock.json"));
    assert.match(await markSources(root), /^package-lock\.json gone$/m);
    await assert.rejects(hashSources(root), { code: "ENOENT" });
  });
});
