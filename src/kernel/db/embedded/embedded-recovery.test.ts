import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import {
  answerOf,
  end,
  postmasterPid,
  query,
  remove,
  spawnChild,
  start,
  undoLater,
} from "#test/support/embedded-postgres.ts";
import { startStopwatch } from "#test/support/slowness.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";

describe("embedded PostgreSQL after a crash", () => {
  let folder: string;
  let dataDir: string;

  // The cluster is created once; each test leaves it stopped.
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "billfold-test-"));
    dataDir = join(folder, "data");
    const server = await startEmbeddedPostgres({ dataDir, durable: false, log: () => undefined });
    await query(server, "create table kept as select 7 as n");
    await server.stop();
  });
  after(() => remove(folder));

  it("adopts the server of a killed process, and stops it in the end", async (t) => {
    const child = spawnChild(t, { dataDir });
    await answerOf(child);
    const pid = postmasterPid(dataDir);
    await end(child, "SIGKILL");

    const server = await start(t, { dataDir });

    assert.equal(server.adopted, true);
    assert.equal(postmasterPid(dataDir), pid);
    assert.deepEqual(await query(server, "select n from kept"), [{ n: 7 }]);
    await server.stop();
    await assert.rejects(query(server, "select 1"));
    assert.equal(existsSync(join(dataDir, "postgres", "postmaster.pid")), false);
  });

  it("replaces a left-over server that runs with other settings", async (t) => {
    const child = spawnChild(t, { dataDir });
    await answerOf(child);
    await end(child, "SIGKILL");

    const server = await start(t, { dataDir, durable: true });

    assert.equal(server.adopted, false);
    assert.deepEqual(await query(server, "select n, current_setting('fsync') as fsync from kept"), [
      { n: 7, fsync: "on" },
    ]);
  });

  it("restarts a server that was killed, at the same address, and still adopts and stops it", async (t) => {
    const child = spawnChild(t, { dataDir });
    await answerOf(child);
    await end(child, "SIGKILL");
    const messages: string[] = [];
    const server = await start(t, { dataDir, log: (message) => messages.push(message) });
    assert.equal(server.adopted, true);
    const pool = new pg.Pool(server.connection);
    pool.on("error", () => undefined);

    // First the adopted server dies, then the one started in its place.
    for (const _ of [1, 2]) {
      const pid = postmasterPid(dataDir);
      process.kill(pid, "SIGKILL");
      const elapsedMs = startStopwatch();
      for (;;) {
        const answer = await pool.query("select n from kept").catch(() => undefined);
        if (answer?.rows[0]?.n === 7 && postmasterPid(dataDir) !== pid) break;
        assert.ok(elapsedMs() < 10_000, "the server did not come back");
        await sleep(20);
      }
    }

    await pool.end();
    await server.stop();
    assert.equal(messages.filter((m) => m === "embedded database ended unexpectedly").length, 2);
    assert.equal(existsSync(join(dataDir, "postgres", "postmaster.pid")), false);
  });

  it("starts despite the pid file of a dead server whose pid belongs to someone else now", async (t) => {
    const child = spawnChild(t, { dataDir });
    await answerOf(child);
    const pid = postmasterPid(dataDir);
    await end(child, "SIGKILL");
    process.kill(pid, "SIGKILL");
    const sleeper = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    undoLater(t, () => sleeper.kill("SIGKILL"));
    for (const name of ["postmaster.pid", ".s.PGSQL.5432.lock"]) {
      const path = join(dataDir, "postgres", name);
      await writeFile(path, readFileSync(path, "utf8").replace(/^\d+/, String(sleeper.pid)));
    }

    const server = await start(t, { dataDir });

    assert.equal(server.adopted, false);
    assert.deepEqual(await query(server, "select n from kept"), [{ n: 7 }]);
    assert.equal(sleeper.exitCode, null);
  });

  it("starts despite an empty pid file, as a full disk leaves it", async (t) => {
    await writeFile(join(dataDir, "postgres", "postmaster.pid"), "");

    const server = await start(t, { dataDir });

    assert.deepEqual(await query(server, "select 1 as one"), [{ one: 1 }]);
  });

  it("keeps the server running through Ctrl-C, until stop", async (t) => {
    const child = spawnChild(t, { dataDir });
    const { connection } = await answerOf(child);
    assert.ok(child.pid !== undefined);

    process.kill(-child.pid, "SIGINT"); // A terminal signals the whole process group.
    await sleep(100);

    assert.deepEqual(await query({ connection }, "select n from kept"), [{ n: 7 }]);
    assert.equal(await end(child, "SIGTERM"), 0);
    await assert.rejects(query({ connection }, "select 1"));
  });

  it("stops for good when told to in the middle of a restart", async (t) => {
    const server = await start(t, { dataDir });
    process.kill(postmasterPid(dataDir), "SIGKILL");
    await sleep(120); // The first restart comes after 100 ms.

    await server.stop();

    await assert.rejects(query(server, "select 1"));
    const next = await start(t, { dataDir });
    assert.equal(next.adopted, false);
    assert.deepEqual(await query(next, "select n from kept"), [{ n: 7 }]);
  });
});
