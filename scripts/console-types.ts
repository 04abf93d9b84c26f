import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import openapiTypescript, { astToString, type OpenAPI3 } from "openapi-typescript";

/*
 * Writes the types of all operations for the console, from openapi.json. They are for the type checker
 * alone: a build of the console needs none, so they stand beside its sources and are not committed. The
 * generator needs a TypeScript that is a library, which the package `typescript` is here.
 */

const ROOT = join(import.meta.dirname, "..");
const FOLDER = join(ROOT, "console/generated");
const FILE = join(FOLDER, "schema.ts");

type Json = null | string | number | boolean | readonly Json[] | { readonly [name: string]: Json };

const description = await readFile(join(ROOT, "openapi.json"));
const head = `// Follows from openapi.json with the hash ${createHash("sha256").update(description).digest("hex")}\n`;
const known = await readFile(FILE, "utf8").catch(() => "");
if (!known.startsWith(head)) {
  const plain = withoutTexts(JSON.parse(description.toString("utf8")) as Json, false);
  const types = await openapiTypescript(plain as unknown as OpenAPI3);
  await mkdir(FOLDER, { recursive: true });
  await writeFile(FILE, head + astToString(types));
}

/** Texts change often and matter to no type. Members of records may have the same names. */
function withoutTexts(value: Json, isRecord: boolean): Json {
  if (Array.isArray(value)) return value.map((part: Json) => withoutTexts(part, false));
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(
    ([name]) => isRecord || !["description", "summary", "example", "examples"].includes(name),
  );
  return Object.fromEntries(
    kept.map(([name, part]) => [name, withoutTexts(part, !isRecord && name === "properties")]),
  );
}
