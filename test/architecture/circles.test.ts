import assert from "node:assert/strict";
import { posix } from "node:path";
import { describe, it } from "node:test";
import { isTest, readSources, type Source } from "#test/support/sources.ts";

type Graph = ReadonlyMap<string, readonly string[]>;

/** The imports of a file. Types count too: a reader of one file must then read the other. */
function importsOf({ path, text }: Source): string[] {
  const pattern = /^(?:import|export)\s[^;"]*?"([.#][^"]+)"/gm;
  return [...text.matchAll(pattern)].map(([, target = ""]) =>
    target.startsWith(".")
      ? posix.join(posix.dirname(path), target)
      : target.replace(/^#src\//, "src/").replace(/^#(kernel|main)\//, "src/$1/"),
  );
}

function graphOf(sources: readonly Source[]): Graph {
  const paths = new Set(sources.map(({ path }) => path));
  return new Map(
    sources.map((source) => [source.path, importsOf(source).filter((path) => paths.has(path))]),
  );
}

/** Finds one circle, listed from a file back to the same file; undefined if there is none. */
function findCircle(graph: Graph): readonly string[] | undefined {
  const done = new Set<string>();
  const way: string[] = [];
  const visit = (path: string): readonly string[] | undefined => {
    if (done.has(path)) return undefined;
    const start = way.indexOf(path);
    if (start !== -1) return [...way.slice(start), path];
    way.push(path);
    for (const target of graph.get(path) ?? []) {
      const circle = visit(target);
      if (circle !== undefined) return circle;
    }
    way.pop();
    done.add(path);
    return undefined;
  };
  for (const path of graph.keys()) {
    const circle = visit(path);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

describe("imports", () => {
  it("go in no circle, those of types included", () => {
    const sources = readSources("src/**/*.ts").filter((source) => !isTest(source));
    assert.ok(sources.length > 300);
    assert.equal(findCircle(graphOf(sources)), undefined);
  });

  it("are followed until a circle closes", () => {
    const planted = graphOf([
      { path: "src/a/x.ts", text: 'import { y } from "./y.ts";\n' },
      { path: "src/a/y.ts", text: 'import type {\n  Z,\n} from "#src/b/public.ts";\n' },
      { path: "src/b/public.ts", text: 'export type { Z } from "../a/x.ts";\n' },
      { path: "src/b/z.ts", text: 'import "../a/x.ts";\n' },
    ]);
    const circle = ["src/a/x.ts", "src/a/y.ts", "src/b/public.ts", "src/a/x.ts"];
    assert.deepEqual(findCircle(planted), circle);
  });
});
