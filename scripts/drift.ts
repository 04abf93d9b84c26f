import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg, { type ClientConfig } from "pg";
import { startEmbeddedPostgres } from "#kernel/db/embedded/embedded-postgres.ts";
import { writeDocument } from "#kernel/http/openapi/write.ts";
import { buildApiDocument } from "#main/api-document.ts";
import { allEvents, allRoutes } from "#main/modules.ts";
import { prepareDatabase } from "#main/open-database.ts";
import { consoleEvents } from "./console-events.ts";
import { consoleFindings } from "./console-findings.ts";
import { consoleKeys } from "./console-keys.ts";
import { consoleScopes } from "./console-scopes.ts";
import { consoleSnippets } from "./console-snippets.ts";
import { eventsDocument } from "./events-document.ts";
import { everyFinding, findingsDocument } from "./findings-document.ts";
import { findBreakingChanges } from "./openapi-breaking.ts";
import { dumpSchema } from "./schema-dump.ts";
import { templatesDocument } from "./templates-document.ts";

/*
 * Compares generated files with their sources: `npm run drift` checks, `npm run generate` writes.
 * Also reports changes of the API that break callers of the last release.
 */

const ROOT = join(import.meta.dirname, "..");

type Generated = { readonly path: string; readonly text: string };

async function generate(): Promise<Generated[]> {
  const document = buildApiDocument({ routes: allRoutes(), events: allEvents() });
  return [
    { path: "openapi.json", text: writeDocument(document) },
    { path: "console/src/api/operation-scopes.ts", text: consoleScopes(document) },
    { path: "console/src/parts/events/catalogue.ts", text: consoleEvents(allEvents()) },
    { path: "console/src/parts/findings/catalogue.json", text: consoleFindings(everyFinding()) },
    {
      path: "console/src/webhooks/deliveries/receiver-snippets.ts",
      text: consoleSnippets(await readFile(join(ROOT, "docs/webhooks.md"), "utf8")),
    },
    { path: "console/src/templates/editor/file-keys.json", text: consoleKeys() },
    { path: "docs/findings.md", text: findingsDocument() },
    { path: "docs/templates.md", text: templatesDocument() },
    { path: "docs/events.md", text: eventsDocument(allEvents()) },
    { path: "db/schema.sql", text: await withServer(dumpFresh) },
  ];
}

async function withServer<Result>(work: (admin: ClientConfig) => Promise<Result>): Promise<Result> {
  const url = process.env.DATABASE_URL;
  if (url !== undefined && url !== "") return await work({ connectionString: url });
  const dataDir = await mkdtemp(join(tmpdir(), "billfold-drift-"));
  const server = await startEmbeddedPostgres({ dataDir, log: () => undefined, durable: false });
  try {
    return await work(server.connection);
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function dumpFresh(admin: ClientConfig): Promise<string> {
  const name = `billfold_drift_${randomBytes(6).toString("hex")}`;
  await withClient(admin, (client) => client.query(`create database ${name}`));
  try {
    const fresh = inDatabase(admin, name);
    await prepareDatabase(fresh);
    return await withClient(fresh, dumpSchema);
  } finally {
    await withClient(admin, (client) => client.query(`drop database ${name} with (force)`));
  }
}

/** `connectionString` has priority over `database`, so the name must be changed in the address. */
function inDatabase(admin: ClientConfig, database: string): ClientConfig {
  if (admin.connectionString === undefined) return { ...admin, database };
  const url = new URL(admin.connectionString);
  url.pathname = `/${database}`;
  return { ...admin, connectionString: url.href };
}

async function withClient<Result>(
  connection: ClientConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function git(...command: string[]): string | undefined {
  try {
    const stdio = ["ignore", "pipe", "ignore"] as const;
    return execFileSync("git", command, { cwd: ROOT, encoding: "utf8", stdio: [...stdio] });
  } catch {
    return undefined; // No repository, tag or file, so there is no earlier document.
  }
}

/** The document of the last release or, before the first release, of the last commit. */
function promisedDocument(): { readonly from: string; readonly document: unknown } | undefined {
  const from = git("describe", "--tags", "--abbrev=0")?.trim() ?? "HEAD";
  const text = git("show", `${from}:openapi.json`);
  return text === undefined ? undefined : { from, document: JSON.parse(text) };
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(join(ROOT, path), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

function firstDifference(stored: string, generated: string): number {
  const [left, right] = [stored.split("\n"), generated.split("\n")];
  return right.findIndex((line, index) => line !== left[index]) + 1 || right.length + 1;
}

const isWriting = process.argv.includes("--write");
const problems: string[] = [];
for (const { path, text } of await generate()) {
  const stored = await read(path);
  if (stored === text) continue;
  if (isWriting) {
    await writeFile(join(ROOT, path), text);
    console.log(`${path} written`);
  } else {
    const line = firstDifference(stored, text);
    problems.push(`${path} is not what its sources give (line ${line}): run npm run generate`);
  }
}
const promised = promisedDocument();
if (promised !== undefined) {
  const now = buildApiDocument({ routes: allRoutes(), events: allEvents() });
  const changes = findBreakingChanges(promised.document, JSON.parse(JSON.stringify(now)));
  problems.push(...changes.map((change) => `breaks callers of ${promised.from}: ${change}`));
}
for (const problem of problems) console.error(problem);
if (problems.length === 0 && !isWriting) console.log("no drift");
process.exitCode = problems.length === 0 || isWriting ? 0 : 1;
