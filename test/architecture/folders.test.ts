import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, it } from "node:test";
import { isTest, ROOT, readSources, type Source } from "#test/support/sources.ts";

/** A folder contains one noun, or two that belong together. A third noun needs its own folder. */
const NOUNS_MAX = 2;
/** Four files with the same prefix need their own folder, unless the folder has their name. */
const PREFIX_FILES_MAX = 3;

/** In these kinds of files, the first word of the name is a noun of the product. */
const NOUN_FILE =
  /^([a-z]+)[a-z-]*\.(?:schema|errors|events|repository|service|client|jobs|routes|listeners|cache)\.ts$/;
const OWN_FILES = new Set(["module.ts", "public.ts"]);

const isProduct = (source: Source): boolean =>
  !isTest(source) && !/^src\/(kernel|main)\//.test(source.path);

function byFolder(sources: readonly Source[]): Map<string, string[]> {
  const folders = new Map<string, string[]>();
  for (const { path } of sources.filter(isProduct)) {
    const folder = posix.dirname(path);
    folders.set(folder, [...(folders.get(folder) ?? []), posix.basename(path)]);
  }
  return folders;
}

function nounProblems(sources: readonly Source[]): string[] {
  return [...byFolder(sources)].flatMap(([folder, files]) => {
    const nouns = new Set(files.flatMap((file) => NOUN_FILE.exec(file)?.[1] ?? []));
    return nouns.size > NOUNS_MAX ? [`${folder} holds ${[...nouns].sort().join(", ")}`] : [];
  });
}

/** For example, `deliveries` has the name of `delivery.`, and `api-keys` that of `api-key.`. */
function isNamedAfter(folder: string, prefix: string): boolean {
  const stem = prefix.replace(/(?:y|s)$/, "");
  return posix.basename(folder).startsWith(stem);
}

function prefixProblems(sources: readonly Source[]): string[] {
  return [...byFolder(sources)].flatMap(([folder, files]) => {
    const others = files.filter((file) => !OWN_FILES.has(file));
    const groups = Map.groupBy(others, (file) => file.split(".")[0] ?? "");
    return [...groups].flatMap(([prefix, group]) =>
      group.length > PREFIX_FILES_MAX && !isNamedAfter(folder, prefix)
        ? [`${folder}/${prefix}.* are ${group.length} files`]
        : [],
    );
  });
}

const sources = readSources("src/**/*.ts");

describe("folders", () => {
  it(`hold at most ${NOUNS_MAX} nouns`, () => {
    assert.deepEqual(nounProblems(sources), []);
  });

  it(`are made of prefixes that more than ${PREFIX_FILES_MAX} files share`, () => {
    assert.deepEqual(prefixProblems(sources), []);
  });

  it("each have their line in src/README.md, and no line is without its folder", () => {
    const text = readFileSync(posix.join(ROOT, "src/README.md"), "utf8");
    const told = [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, folder]) => `src/${folder}`);
    const there = new Set(sources.map(({ path }) => posix.dirname(path)));
    for (const { path } of readSources("src/**/*.{html,js}")) there.add(posix.dirname(path));
    assert.deepEqual(told.toSorted(), [...there].sort());
  });

  it("are looked at as they are", () => {
    const plant = (...paths: string[]) =>
      paths.map((path) => ({ path: `src/x/${path}`, text: "" }));
    const crowded = plant("pass.schema.ts", "scan-log.routes.ts", "device.repository.ts");
    assert.deepEqual(nounProblems(crowded), ["src/x holds device, pass, scan"]);
    const alike = plant("lane.a.ts", "lane.b.ts", "lane.c.ts", "lane.ts");
    assert.deepEqual(prefixProblems(alike), ["src/x/lane.* are 4 files"]);
    const own = alike.map(({ path }) => ({ path: path.replace("src/x/", "src/lanes/"), text: "" }));
    assert.deepEqual(prefixProblems(own), []);
  });
});
