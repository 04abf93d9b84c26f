import assert from "node:assert/strict";
import { posix } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { SCOPES } from "#src/api-keys/public.ts";
import { ROOT, readSources, type Source } from "#test/support/sources.ts";

const sources = readSources("console/src/**/*.{ts,tsx}");
const pages = sources.filter(({ path }) =>
  /\/.+\/page\.ts$/.test(path.slice("console/src".length)),
);
const folders = new Set(pages.map(({ path }) => posix.dirname(path)));

/**
 * The page that a file belongs to; undefined for what all pages share. A page in the folder of another
 * one is a part of it.
 */
const pageOf = (path: string): string | undefined =>
  [...folders]
    .filter((folder) => path.startsWith(`${folder}/`))
    .sort((left, right) => left.length - right.length)[0];

function foreignImports(files: readonly Source[]): string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)].flatMap(([, target = ""]) => {
      const to = pageOf(posix.join(posix.dirname(path), target));
      return to === undefined || to === pageOf(path) ? [] : [`${path} imports ${target}`];
    }),
  );
}

const member = ({ text }: Source, name: string): string | undefined =>
  new RegExp(`^  ${name}: "([^"]*)"`, "m").exec(text)?.[1];

type Lists = Readonly<Record<string, Readonly<Record<string, Record<string, unknown>>>>>;

const load = (path: string): Promise<Lists> =>
  import(pathToFileURL(posix.join(ROOT, path)).href) as Promise<Lists>;

describe("the console", () => {
  it("has pages that stand alone: none imports another, and nothing shared imports a page", () => {
    assert.ok(pages.length >= 2);
    assert.deepEqual(foreignImports(sources), []);
    const text = 'import { page } from "../overview/page.ts"';
    assert.equal(foreignImports([{ path: "console/src/frame/x.ts", text }]).length, 1);
  });

  it("has pages with the name of their folder, and addresses and letters of their own", () => {
    const paths = new Set(sources.map(({ path }) => path));
    for (const page of pages) {
      const folder = posix.dirname(page.path);
      assert.equal(member(page, "id"), posix.basename(folder));
      assert.ok(paths.has(`${folder}/${member(page, "id")}.page.tsx`), folder);
    }
    for (const name of ["id", "path", "letter"]) {
      const values = pages.map((page) => member(page, name)).filter((value) => value !== undefined);
      assert.equal(new Set(values).size, values.length, name);
    }
  });

  it("stores no token: storages of the browser keep preferences and one-time verifiers", () => {
    const users = sources.filter(({ text }) =>
      /\b(localStorage|sessionStorage|indexedDB)\b/.test(text),
    );
    assert.deepEqual(
      users.map(({ path }) => path),
      [
        "console/src/parts/table/use-columns.ts",
        "console/src/session/authorization.ts",
        "console/src/words/language.ts",
      ],
    );
  });

  it("says everything in English and in French", async () => {
    const lists = sources.filter(({ path }) => path.endsWith("/words.ts"));
    assert.ok(lists.length >= 5);
    for (const { path } of lists) {
      const { en = {}, fr = {} } = (await load(path)).words ?? {};
      assert.deepEqual(Object.keys(fr), Object.keys(en), path);
      for (const [name, english] of Object.entries(en as Record<string, unknown>)) {
        const french = (fr as Record<string, unknown>)[name];
        assert.equal(typeof french, typeof english, `${path} ${name}`);
        const texts = [english, french].map(String);
        assert.ok(
          texts.every((text) => text.trim() !== ""),
          `${path} ${name}`,
        );
        // Short words may be the same in both.
        if (typeof english === "string" && english.includes(" ")) {
          assert.notEqual(french, english, `${path} ${name}`);
        }
        // The apostrophe of a keyboard is a quotation mark in print.
        if (typeof english === "string") assert.doesNotMatch(texts.join(), /'/, `${path} ${name}`);
      }
    }
  });

  it("knows every scope of the API, in plain words", async () => {
    const { ALL_SCOPES } = await load("console/src/api-keys/scopes.ts");
    const told = (ALL_SCOPES as unknown as { name: string; bearer: string }[])
      .map(({ name, bearer }) => `${name} ${bearer}`)
      .sort();
    assert.deepEqual(told, SCOPES.map(({ name, bearer }) => `${name} ${bearer}`).sort());
  });
});
