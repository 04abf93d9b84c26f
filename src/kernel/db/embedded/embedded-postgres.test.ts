import assert from "node:assert/strict";
import { existsSync, readdirSync, statSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  answerOf,
  end,
  makeFolder,
  query,
  remove,
  spawnChild,
  start,
} from "#test/support/embedded-postgres.ts";
import { DataDirectoryInUse } from "./embedded-lock.ts";
import { capLog } from "./embedded-log.ts";

describe("embedded PostgreSQL", () => {
  let folder: string;
  let dataDir: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "billfold-test-"));
    dataDir = join(folder, "data");
  });
  after(() => remove(folder));

  it("starts in an empty folder, and keeps its data", async (t) => {
    const first = await start(t, { dataDir, durable: true });
    await query(first, "create table kept as select 'Zürich' as city");
    await first.stop();
    assert.equal(existsSync(join(dataDir, "postgres", "postmaster.pid")), false);

    const second = await start(t, { dataDir, durable: true });
    assert.deepEqual(await query(second, "select * from kept"), [{ city: "Zürich" }]);
    assert.equal(second.adopted, false);
    assert.deepEqual(second.connection, first.connection);
  });

  it("is durable, checksummed, sorts the same everywhere and admits only its own user", async (t) => {
    const server = await start(t, { dataDir, durable: true, maxConnections: 33 });

    const [settings] = await query(
      server,
      `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
              current_setting('data_checksums') as checksums, current_setting('server_encoding') as encoding,
              current_setting('listen_addresses') as tcp, current_setting('max_connections') as connections,
              (select rolsuper from pg_roles where rolname = current_user) as super,
              (select datlocprovider::text || datlocale from pg_database where datname = current_database()) as locale`,
    );
    assert.deepEqual(settings, {
      fsync: "on",
      commit: "on",
      checksums: "on",
      encoding: "UTF8",
      tcp: process.platform === "win32" ? "127.0.0.1" : "",
      connections: "33",
      super: false,
      locale: "bC.UTF-8",
    });
    assert.equal(statSync(join(dataDir, "postgres.password")).mode & 0o777, 0o600);
    assert.equal(statSync(join(dataDir, "postgres")).mode & 0o777, 0o700);
    const stranger = { connection: { ...server.connection, password: "guess" } };
    await assert.rejects(query(stranger, "select 1"), { code: "28P01" });
  });

  it("tells a second process, or a second start in this one, who holds the folder", async (t) => {
    const server = await start(t, { dataDir });

    await assert.rejects(start(t, { dataDir }), DataDirectoryInUse);
    const { error, message } = await answerOf(spawnChild(t, { dataDir }));

    assert.equal(error, "DataDirectoryInUse");
    assert.ok(message?.includes(dataDir) && message.includes(`pid ${process.pid}`), message);
    assert.match(message ?? "", /use another DATA_DIR.*DATABASE_URL/);
    assert.deepEqual(await query(server, "select 1 as one"), [{ one: 1 }]);
    await server.stop();
    assert.equal((await start(t, { dataDir })).adopted, false);
  });

  it("lets exactly one of three racing processes have an empty folder", async (t) => {
    const dataDir = join(await makeFolder(t), "data");
    const children = [1, 2, 3].map(() => spawnChild(t, { dataDir }));

    const answers = await Promise.all(children.map(answerOf));

    const winner = answers.findIndex((answer) => answer.error === undefined);
    assert.deepEqual(
      answers.flatMap((answer) => answer.error ?? []),
      ["DataDirectoryInUse", "DataDirectoryInUse"],
    );
    const child = children[winner];
    assert.ok(child !== undefined);
    for (const answer of answers) {
      if (answer.message !== undefined) assert.match(answer.message, RegExp(`pid ${child.pid}`));
    }
    assert.equal(await end(child, "SIGTERM"), 0);
  });

  it("recovers from a process killed while it made the cluster", async (t) => {
    const dataDir = join(await makeFolder(t), "data");
    const child = spawnChild(t, { dataDir });
    const halfMade = () =>
      existsSync(dataDir) &&
      readdirSync(dataDir).some(
        (name) =>
          name.startsWith("postgres.init-") &&
          existsSync(join(dataDir, name, "cluster", "PG_VERSION")),
      );
    while (!halfMade()) await sleep(2);
    await end(child, "SIGKILL");
    assert.equal(existsSync(join(dataDir, "postgres")), false);

    const server = await start(t, { dataDir });

    assert.deepEqual(await query(server, "select 1 as one"), [{ one: 1 }]);
    const names = await readdir(dataDir);
    assert.deepEqual(
      names.filter((name) => name.startsWith("postgres.init-")),
      [],
    );
  });

  it("keeps its socket path short and private when the data folder's path is long", async (t) => {
    const dataDir = join(await makeFolder(t), "long".repeat(30), "data");
    const server = await start(t, { dataDir });

    assert.deepEqual(await query(server, "select 1 as one"), [{ one: 1 }]);
    const { host } = server.connection;
    assert.ok(Buffer.byteLength(join(host, ".s.PGSQL.5432")) <= 103, host);
    assert.equal(statSync(host).mode & 0o777, 0o700);
    assert.equal(statSync(host).uid, statSync(join(dataDir, "postgres")).uid);
    await server.stop();
    assert.equal(existsSync(host), false);
  });

  it("refuses a cluster of another PostgreSQL and a folder that is none", async (t) => {
    const dataDir = join(await makeFolder(t), "data");
    await mkdir(join(dataDir, "postgres", "base"), { recursive: true });
    await writeFile(join(dataDir, "postgres.password"), "secret\n");
    await writeFile(join(dataDir, "postgres", "PG_VERSION"), "12\n");
    await assert.rejects(start(t, { dataDir }), /made by PostgreSQL 12/);

    await rm(join(dataDir, "postgres", "PG_VERSION"));
    await assert.rejects(start(t, { dataDir }), /holds files but no database/);
  });

  it("bounds its log", async (t) => {
    const path = join(await makeFolder(t), "postgres.log");
    await writeFile(path, "x".repeat(100));
    await capLog(path, 100);
    assert.equal(statSync(path).size, 100);
    await capLog(path, 99);
    assert.equal(statSync(path).size, 0);
    assert.equal(statSync(`${path}.1`).size, 100);
  });
});
