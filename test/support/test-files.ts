import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

/* Which files a run of the suite has, and what each of them needs. */

/** As an argument of `test/run.ts`: what depends on the database server, to try another one. */
const OF_THE_DATABASE = "--database";

export function testFiles(prefixes: readonly string[]): string[] {
  // Journeys and faults take longest: begun first, nobody waits for one of them alone at the end.
  const files = globSync("{src,test}/**/*.test.ts").sort().reverse();
  if (prefixes.includes(OF_THE_DATABASE)) {
    const folders = foldersWithStatements();
    return files.filter((file) => dependsOnDatabase(file, folders));
  }
  if (prefixes.length === 0) return files;
  return files.filter((file) => prefixes.some((prefix) => file.startsWith(prefix)));
}

/** Promises about milliseconds are tried by themselves, with nobody beside them on the machine. */
export const isAlone = (file: string): boolean => file.endsWith(".alone.test.ts");

/**
 * Promises about seconds, in files that spend most of their time waiting: they leave each other enough
 * of the machine, where a file that computes all the time would not.
 */
export const isPatient = (file: string): boolean => file.endsWith(".patient.test.ts");

/** Of the tests outside of `src`, those whose promise is kept by statements, locks or transactions. */
const KEPT_BY_THE_DATABASE = [
  "test/architecture/migrations.test.ts",
  "test/architecture/statements.test.ts",
  "test/contract/audit-of-writes.test.ts",
  "test/contract/idempotent-operations.test.ts",
  "test/contract/lists.test.ts",
  "test/contract/tenant-isolation.test.ts",
];

/**
 * Of the tests beside the code, those beside or below statements. Promises about time hold or not whatever the
 * server: one run of them is enough.
 */
function dependsOnDatabase(file: string, folders: ReadonlySet<string>): boolean {
  if (isAlone(file) || isPatient(file)) return false;
  if (!file.startsWith("src/")) return KEPT_BY_THE_DATABASE.includes(file);
  return usesServer(file) && foldersOf(file).some((folder) => folders.has(folder));
}

/** The folders in `src` that the file is in, the innermost first. */
function foldersOf(file: string): string[] {
  const folder = dirname(file);
  return folder === "src" || folder === "." ? [] : [folder, ...foldersOf(folder)];
}

const HAS_STATEMENTS = /\bsql(<[^`]*>)?`|from "pg(-boss)?"/;

function foldersWithStatements(): ReadonlySet<string> {
  const sources = globSync("src/**/*.ts").filter((file) => !file.endsWith(".test.ts"));
  return new Set(
    sources.filter((file) => HAS_STATEMENTS.test(readFileSync(file, "utf8"))).map(dirname),
  );
}

const USES_THE_SERVER = /support\/(start-api|server|kernel)\.ts"/;

function usesServer(file: string): boolean {
  return USES_THE_SERVER.test(readFileSync(file, "utf8"));
}

const usesBrowser = (file: string): boolean =>
  /support\/chromium\.ts"/.test(readFileSync(file, "utf8"));

/** Outside of these folders, files may start processes of the product, which they say by what they import. */
const SHARE_A_PROCESS = ["src/", "test/contract/", "test/architecture/"];
const STARTS_PROCESSES = /support\/(product|share-product|loop-delay)\.ts"|from "\.\//;

/** Files of one kind share processes. */
export function kindOf(file: string): "browser" | "server" | "plain" | "product" {
  if (usesBrowser(file)) return "browser";
  const isElsewhere = !SHARE_A_PROCESS.some((place) => file.startsWith(place));
  if (isElsewhere && STARTS_PROCESSES.test(readFileSync(file, "utf8"))) return "product";
  return usesServer(file) ? "server" : "plain";
}
