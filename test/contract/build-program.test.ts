import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { it, type TestContext } from "node:test";
import { findProgram } from "#main/built-program.ts";
import { buildProgram } from "../../scripts/build-program.ts";

/** What `npm ci` builds, of a product of two modules. */

const ENTRY_SOURCE = "src/main/command-line.ts";
const FILES = {
  "package.json": '{"type":"module","imports":{"#src/*":"./src/*"}}',
  "package-lock.json": "{}",
  "tsconfig.json": "{}",
  "scripts/build-program.ts": "",
  "src/main/built-program.ts": "",
  "src/other.ts": "export const said: string = 'first';\n",
  "vendor/facts.json": '{"known":1}',
  [ENTRY_SOURCE]: `import { said } from "#src/other.ts";
    import facts from "../../vendor/facts.json" with { type: "json" };
    export const helper = new URL("../helper.ts", import.meta.url).href;
    export const here = import.meta.dirname;
    export { facts, said };\n`,
  "src/helper.ts": "export { said } from './other.ts';\n",
};
const TWO_DAYS_MS = 48 * 3_600_000;

async function makeRoot(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), "billfold-build-"));
  t.after(() => rm(root, { recursive: true, force: true }));
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  for (const [path, text] of Object.entries(FILES)) await write(path, text);
  const build = async () => {
    await buildProgram(root);
    const address = findProgram(root);
    assert.ok(address !== undefined);
    return address;
  };
  return { root, write, build };
}

const folderOf = (address: string) => dirname(new URL(address).pathname);

it("has the addresses of the sources, and those of modules that are named by their address are its own", async (t) => {
  const { root, build } = await makeRoot(t);
  const address = await build();
  const built = await import(address);
  assert.deepEqual([built.said, built.here], ["first", join(root, "src/main")]);
  assert.equal(folderOf(built.helper), folderOf(address));
  assert.equal((await import(built.helper)).said, "first");
});

it("is made anew when a source or a rule has changed, and only then", async (t) => {
  const { root, write, build } = await makeRoot(t);
  const first = await build();
  assert.equal(await build(), first);
  await write("src/other.ts", "export const said: string = 'second';\n");
  assert.equal(findProgram(root), undefined);
  const second = await build();
  assert.equal((await import(second)).said, "second");
  await write("vendor/facts.json", '{"known":22}');
  assert.equal(findProgram(root), undefined);
  const third = await build();
  assert.deepEqual((await import(third)).facts, { known: 22 });
  await write("package-lock.json", "{ }");
  assert.equal(findProgram(root), undefined);
  assert.notEqual(await build(), third);
});

it("stays for a day after it was replaced, however old it is", async (t) => {
  const { root, write, build } = await makeRoot(t);
  const first = folderOf(await build());
  const past = new Date(Date.now() - TWO_DAYS_MS);
  await utimes(first, past, past);
  await write("src/other.ts", "export const said: string = 'second';\n");
  await build();
  assert.ok(existsSync(first), "a product may run from it");
  await utimes(first, past, past);
  await write("src/other.ts", "export const said: string = 'third!';\n");
  await build();
  assert.ok(!existsSync(first));
  const left = (await readdir(join(root, "dist"))).filter((name) => name !== "program.json");
  assert.equal(left.length, 2, left.join());
});

it("is made anew when it has lost a file, whichever", async (t) => {
  const { root, build } = await makeRoot(t);
  const address = await build();
  for (const name of await readdir(folderOf(address))) {
    await rm(join(folderOf(address), name));
    assert.equal(findProgram(root), undefined, name);
    assert.equal(await build(), address, name);
  }
  assert.equal((await readdir(join(root, "dist"))).length, 2);
});

const NOT_BUILT = [
  "import.meta.filename",
  'import.meta.resolve("./helper.ts")',
  "new URL('./helper.ts', import.meta.url)",
  'new URL("helper.ts", import.meta.url)',
];

it("fails, and leaves nothing, where a module uses its address in a way that cannot be kept right", async (t) => {
  const { root, write } = await makeRoot(t);
  for (const text of NOT_BUILT) {
    await write("src/other.ts", `export const said = ${text};\n`);
    await assert.rejects(
      buildProgram(root),
      /other\.ts uses import\.meta in a way that is not built/,
      text,
    );
    assert.equal(findProgram(root), undefined);
    assert.deepEqual(await readdir(join(root, "dist")), []);
  }
});
