import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./sources.ts";

/** What a document shows in a fence of its own. */
export type Block = {
  readonly document: string;
  /** Of its first line of content, counted from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
};

export type Document = { readonly path: string; readonly text: string };

/** Everything written for people, the README first. */
export function readDocuments(): Document[] {
  const paths = globSync(["*.md", "docs/**/*.md"], { cwd: ROOT })
    .map((path) => path.replaceAll("\\", "/"))
    .sort();
  return [...new Set(["README.md", ...paths])].map((path) => ({
    path,
    text: readFileSync(join(ROOT, path), "utf8"),
  }));
}

export function blocksOf({ path, text }: Document): Block[] {
  const fences = text.matchAll(/^( *)```(\w*)\n(.*?)^\1```$/gms);
  return [...fences].map(({ index, 1: indent = "", 2: language = "", 3: content = "" }) => ({
    document: path,
    line: text.slice(0, index).split("\n").length + 1,
    language,
    text: content.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
}
