import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

export type Source = { readonly path: string; readonly text: string };

/** Files of this repository by pattern, with `/` in their paths on every system. */
export function readSources(...patterns: string[]): Source[] {
  return globSync(patterns, { cwd: ROOT, exclude: ["**/node_modules/**", "**/vendor/**"] })
    .map((path) => path.replaceAll("\\", "/"))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));
}

export const isTest = ({ path }: Source): boolean => path.endsWith(".test.ts");
