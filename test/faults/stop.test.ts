import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { allJobs } from "#main/modules.ts";
import { collectLog, openDatabase, originOf, wireJobs } from "#test/support/kernel.ts";
import {
  findPostmaster,
  freePort,
  makeDataDir,
  type Product,
  removeDataDir,
  runProduct,
  startProduct,
  waitUntilGone,
  withProductDatabase,
} from "#test/support/product.ts";
import type { TestDatabase } from "#test/support/server.ts";
import { startStopwatch } from "#test/support/slowness.ts";
import { shareApi } from "#test/support/start-api.ts";
import { checkDatabase } from "./database-check.ts";
import { WriteJournal } from "./write-journal.ts";
import { createLoadTenants, writeUntilBroken } from "./write-load.ts";

const WRITERS = 6;
const STOP_MS_MAX = 30_000;

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

async function assertFree(port: number): Promise<void> {
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  server.close();
}

async function assertRefused(env: Record<string, string>, reason: RegExp): Promise<void> {
  const { code, stderr } = await runProduct({ env });
  assert.equal(code, 1);
  const lines = linesOf(stderr);
  assert.equal(lines.length, 1, stderr);
  assert.match(lines[0] ?? "", reason);
}

/** All on one folder: making a database anew takes twice as long as a start on one that is there. */
describe("a product on a data folder of its own", () => {
  let dataDir: string;

  before(async () => {
    dataDir = await makeDataDir();
  });
  after(() => removeDataDir(dataDir));

  describe("that is told to stop", () => {
    it("SIGTERM under load: everything done is answered, nothing is left running, exit code 0", async () => {
      const port = await freePort();
      const env = { DATA_DIR: dataDir, PORT: String(port) };
      const journal = new WriteJournal();
      const product = await startProduct({ env });
      await createLoadTenants(product, WRITERS);
      // Half a request and a silent connection. Neither may delay the stop.
      const halfway = connect(port, "127.0.0.1").on("error", () => undefined);
      halfway.write("GET /api/warmup HTTP/1.1\r\nHost: x\r\n");
      const silent = connect(port, "127.0.0.1").on("error", () => undefined);
      const load = Promise.all(
        Array.from({ length: WRITERS }, (_, writer) => writeUntilBroken(product, journal, writer)),
      );
      await sleep(600);

      const elapsedMs = startStopwatch();
      const exiting = product.kill("SIGTERM");
      await sleep(20);
      const exit = await Promise.race([product.kill("SIGTERM"), exiting]);
      await load;
      halfway.destroy();
      silent.destroy();

      assert.deepEqual(exit, { code: 0, signal: null }, product.output());
      assert.ok(elapsedMs() < STOP_MS_MAX);
      assert.equal(findPostmaster(dataDir), undefined);
      await assertFree(port);
      await checkAfterwards(journal);
    });

    async function checkAfterwards(journal: WriteJournal): Promise<void> {
      const product = await startProduct({ env: { DATA_DIR: dataDir } });
      const report = await withProductDatabase({ dataDir }, async (client) => {
        const { rows } = await client.query<{ id: string }>("select request_id as id from audit");
        const done = new Set(rows.map(({ id }) => id));
        const unanswered = journal.writes.filter(
          ({ outcome, requestId }) => outcome !== "acknowledged" && done.has(requestId),
        );
        return { unanswered, ...(await checkDatabase(client, journal)) };
      });
      assert.deepEqual(report, { unanswered: [], lost: [], duplicates: [], torn: [] });
      assert.deepEqual(journal.surprises, []);
      assert.ok(journal.count("acknowledged") > 0);

      // A terminal signals the whole process group, but only the product may stop the database.
      const exit = await product.killGroup("SIGINT");
      assert.deepEqual(exit, { code: 0, signal: null }, product.output());
      assert.equal(findPostmaster(dataDir), undefined);
      assert.doesNotMatch(product.output(), /ended unexpectedly|did not close/);
    }

    it("SIGTERM during the start leaves no database server behind", async () => {
      const product = runProduct({
        env: { DATA_DIR: dataDir, PORT: "0" },
        // Sends SIGTERM when the database server is up, long before the product is ready.
        command: [
          "sh",
          "-c",
          `"$0" "$@" & pid=$!; while [ ! -s ${dataDir}/postgres/postmaster.pid ]; do sleep 0.05; done; kill -TERM $pid; wait $pid`,
          process.execPath,
        ],
      });
      const { code, stdout, stderr } = await product;

      assert.equal(code, 0, stderr);
      assert.match(stdout, /is stopping/);
      assert.doesNotMatch(stdout, /is running/);
      assert.equal(findPostmaster(dataDir), undefined);
    });
  });

  describe("that runs", () => {
    let first: Product;

    before(async () => {
      first = await startProduct({ env: { DATA_DIR: dataDir } });
    });
    after(() => first.kill("SIGTERM"));

    it("a second process is told who holds the folder, and the first one goes on", async () => {
      const held = new RegExp(`in use by .*${first.pid}`);
      await assertRefused({ DATA_DIR: dataDir, PORT: "0" }, held);
      assert.equal((await first.get("/api/warmup")).status, 200);
    });

    it("a folder that is removed ends it within seconds with a line that says so, and its database server with it", async () => {
      const postmaster = findPostmaster(dataDir) ?? 0;
      const elapsedMs = startStopwatch();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });

      assert.deepEqual(await first.exit, { code: 1, signal: null }, first.output());
      assert.ok(elapsedMs() < 20_000);
      assert.match(
        first.output(),
        /^The database in .* was removed .* start again to begin anew\.$/m,
      );
      await waitUntilGone(postmaster);
    });
  });
});

describe("beside a process with the role api", () => {
  const masterKey = randomBytes(32).toString("base64");
  /** This process has the role. */
  const running = shareApi({ env: { MASTER_KEY: masterKey, ROLES: "api" } });
  let database: TestDatabase;
  let dataDir: string;

  before(async () => {
    database = running().database;
    dataDir = await makeDataDir();
  });
  after(() => removeDataDir(dataDir));

  it("a process with the role worker runs what one with the role api leaves to it", async (t) => {
    const db = openDatabase(database.connection, 2, collectLog().log);
    const jobs = await wireJobs(database.connection, db, allJobs(), collectLog().log);
    t.after(async () => {
      await jobs.stop();
      await db.close();
    });
    // A job that also runs on a schedule, because such a job needs no payload.
    const definition = allJobs().find(({ cron }) => cron !== undefined);
    assert.ok(definition !== undefined);
    const state = async () => {
      const [row] = await running().sql(
        "select state::text from pgboss.job_common where name = $1 order by created_on desc limit 1",
        [definition.name],
      );
      return row?.state;
    };
    await db.transaction(originOf("*"), async (tx) => tx.enqueue(definition, {}));
    await sleep(500);
    assert.equal(await state(), "created", "a process with the role api runs no jobs");

    const worker = await startProduct({
      env: {
        DATA_DIR: dataDir,
        DATABASE_URL: database.url,
        MASTER_KEY: masterKey,
        ROLES: "worker",
      },
    });
    const elapsedMs = startStopwatch();
    for (let now = await state(); now !== "completed" && now !== undefined; now = await state()) {
      assert.ok(elapsedMs() < 15_000, `the job is ${now}`);
      await sleep(100);
    }

    assert.deepEqual(await worker.kill("SIGTERM"), { code: 0, signal: null }, worker.output());
  });

  it("a start says which port is taken", async () => {
    const { port } = new URL(running().url);
    await assertRefused(
      { DATA_DIR: dataDir, PORT: port, DATABASE_URL: database.url, MASTER_KEY: masterKey },
      new RegExp(`Port ${port} .*in use.* PORT`),
    );
  });

  it("a start refuses another master key, and takes it beside the former one", async () => {
    const other = randomBytes(32).toString("base64");
    const env = { DATABASE_URL: database.url, MASTER_KEY: other };
    await assertRefused(
      { DATA_DIR: dataDir, ...env, PORT: "0" },
      /MASTER_KEY .*MASTER_KEY_PREVIOUS/,
    );

    const rotated = await startProduct({
      env: { DATA_DIR: dataDir, ...env, MASTER_KEY_PREVIOUS: masterKey },
    });
    assert.deepEqual(await rotated.kill("SIGTERM"), { code: 0, signal: null });
  });

  it("a start says that the database cannot be reached, without its password", async () => {
    const port = await freePort();
    const { code, stderr } = await runProduct({
      env: {
        DATA_DIR: dataDir,
        PORT: "0",
        DATABASE_URL: `postgres://me:hunter2@localhost:${port}/x`,
      },
    });
    assert.equal(code, 1);
    assert.equal(linesOf(stderr).length, 1, stderr);
    assert.match(stderr, /ECONNREFUSED/);
    assert.doesNotMatch(stderr, /hunter2/);
  });

  it("a start reports every wrong setting at once, and no value", async () => {
    const env = { PORT: "http", DEMO: "maybe", DATABASE_URL: "mysql://me:hunter2@db/x" };
    const { code, stderr } = await runProduct({ env });

    assert.equal(code, 1);
    assert.equal(linesOf(stderr).length, 4);
    for (const name of Object.keys(env)) assert.match(stderr, new RegExp(`^  ${name} `, "m"));
    assert.doesNotMatch(stderr, /hunter2|maybe/);
  });
});

it("an unsupported Node is told which one is needed, in one line", async () => {
  // Makes Node report an older version of itself.
  const pretend =
    "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.20.2'})";
  const { code, stderr } = await runProduct({
    env: {},
    command: [process.execPath, `--import=${pretend}`],
  });

  assert.equal(code, 1);
  assert.equal(linesOf(stderr).length, 1, stderr);
  assert.match(stderr, /needs Node 24\.12 or newer, this is 20\.20\.2/);
});
