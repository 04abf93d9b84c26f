import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { chmod, chown, cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import {
  answerOf,
  end,
  makeFolder,
  makeOpenFolder,
  query,
  remove,
  spawnChild,
  start,
} from "#test/support/embedded-postgres.ts";
import { lockDataDirectory } from "./embedded-lock.ts";

const UNKNOWN_UID = 54_321;
const isRoot = process.getuid?.() === 0;

/** A user that is neither root nor nobody and is listed in /etc/passwd, as initdb requires. */
function findOrdinaryUid(): number {
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  const others = users.filter((line) => !line.startsWith("nobody:"));
  return others.map((line) => Number(line.split(":")[2])).find((uid) => uid > 0) ?? NaN;
}

function installedPackage(): string {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const entry = import.meta.resolve(`@embedded-postgres/${system}-${process.arch}`);
  return join(dirname(fileURLToPath(entry)), "..");
}

let packageFolder: string;
let packageRoot: string;

/** One copy of the 60 MB for a `describe`; each test brings it into the state that it needs. */
function sharePackage(): void {
  before(async () => {
    packageFolder = await mkdtemp(join(tmpdir(), "billfold-test-"));
    packageRoot = join(packageFolder, "package");
    await cp(installedPackage(), packageRoot, {
      recursive: true,
      filter: (path) => !path.endsWith(".a"),
    });
  });
  after(() => remove(packageFolder));
}

/** The package as `npm ci --ignore-scripts` leaves it, in a folder of the given mode. */
async function packageWithoutLinks(folderMode: number): Promise<string> {
  const lib = join(packageRoot, "native", "lib");
  for (const entry of await readdir(lib, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) await rm(join(lib, entry.name));
  }
  await chmod(packageFolder, folderMode);
  return packageRoot;
}

describe("embedded PostgreSQL binaries", () => {
  sharePackage();

  it("makes the links an install script would have made", async (t) => {
    const folder = await makeOpenFolder(t);
    const root = await packageWithoutLinks(0o755);

    const server = await start(t, {
      dataDir: join(folder, "data"),
      binaries: { packageRoot: root, copyParents: [] },
    });

    assert.deepEqual(await query(server, "select 1 as one"), [{ one: 1 }]);
  });

  it("says how to go on when the binaries cannot run, and frees the folder", async (t) => {
    const folder = await makeFolder(t);
    const root = join(folder, "package");
    await mkdir(root);
    await writeFile(join(root, "package.json"), '{ "version": "18.0.0" }');
    const dataDir = join(folder, "data");

    await assert.rejects(
      start(t, { dataDir, binaries: { packageRoot: root, copyParents: [] } }),
      /set DATABASE_URL/,
    );
    (await lockDataDirectory(dataDir)).release();
  });
});

// Only root can switch to another user; for other users, the other suites cover the ordinary case.
if (isRoot) {
  const ORDINARY_UID = findOrdinaryUid();

  describe("embedded PostgreSQL started by root", () => {
    sharePackage();

    it("works where the server's user can enter neither checkout nor data folder", async (t) => {
      const home = await makeFolder(t); // 0700, as mkdtemp makes it.
      const open = await makeOpenFolder(t);
      const root = await packageWithoutLinks(0o700);
      const cache = join(open, "cache");
      const dataDir = join(home, "data");
      const binaries = { packageRoot: root, copyParents: [cache] };

      const first = await start(t, { dataDir, binaries });
      await query(first, "create table kept as select 7 as n");
      await first.stop();
      const second = await start(t, { dataDir, binaries });

      assert.deepEqual(await query(second, "select n from kept"), [{ n: 7 }]);
      assert.ok(existsSync(join(dataDir, "postgres", "PG_VERSION")), "the data is in DATA_DIR");
      const copies = await readdir(cache);
      assert.equal(copies.length, 1);
      assert.match(copies[0] ?? "", /^postgres-18\./);
    });

    it("never runs binaries from a folder that someone else made or can write", async (t) => {
      const home = await makeFolder(t);
      const open = await makeOpenFolder(t);
      const root = await packageWithoutLinks(0o700);
      const foreign = join(open, "foreign");
      const writable = join(open, "writable");
      await mkdir(foreign);
      await chown(foreign, ORDINARY_UID, ORDINARY_UID);
      await mkdir(writable);
      await chmod(writable, 0o777);

      await assert.rejects(
        start(t, {
          dataDir: join(home, "data"),
          binaries: { packageRoot: root, copyParents: [foreign, writable] },
        }),
        /foreign is not a folder that only its owner.*\n.*writable is not a folder/,
      );
      assert.deepEqual([...(await readdir(foreign)), ...(await readdir(writable))], []);
    });

    it("serves an ordinary user, whose data root and then that user can open again", async (t) => {
      const folder = await makeOpenFolder(t);
      const root = await packageWithoutLinks(0o755);
      const dataDir = join(folder, "data");
      await mkdir(dataDir);
      await chown(dataDir, ORDINARY_UID, ORDINARY_UID);
      // The package belongs to root and lacks its links, so the ordinary user must run a copy.
      const asOrdinary = { dataDir, uid: ORDINARY_UID, binaries: { packageRoot: root } };

      const first = spawnChild(t, { ...asOrdinary, sql: "create table kept as select 7 as n" });
      assert.equal((await answerOf(first)).message, undefined);
      assert.equal(statSync(join(dataDir, "postgres")).uid, ORDINARY_UID);
      assert.ok(existsSync(join(dataDir, "binaries")));
      assert.equal(await end(first, "SIGTERM"), 0);

      const asRoot = await start(t, { dataDir });
      assert.deepEqual(await query(asRoot, "select n from kept"), [{ n: 7 }]);
      await asRoot.stop();

      const again = spawnChild(t, { ...asOrdinary, sql: "select n from kept" });
      assert.equal((await answerOf(again)).message, undefined);
      assert.equal(await end(again, "SIGTERM"), 0);
    });

    it("says what is missing when the system does not know the user", async (t) => {
      const folder = await makeFolder(t);
      await chown(folder, UNKNOWN_UID, UNKNOWN_UID);
      const root = await packageWithoutLinks(0o755);
      const options = {
        dataDir: join(folder, "data"),
        uid: UNKNOWN_UID,
        binaries: { packageRoot: root },
      };

      const { message } = await answerOf(spawnChild(t, options));

      assert.match(message ?? "", /uid 54321 has no entry in \/etc\/passwd/);
    });

    it("tells an ordinary user that the data is not theirs", async (t) => {
      const folder = await makeOpenFolder(t);
      const dataDir = join(folder, "data");
      await mkdir(join(dataDir, "postgres"), { recursive: true });
      await chown(dataDir, ORDINARY_UID, ORDINARY_UID);

      const { message } = await answerOf(spawnChild(t, { dataDir, uid: ORDINARY_UID }));

      assert.match(message ?? "", /belongs to the user with uid 0/);
    });
  });
}
