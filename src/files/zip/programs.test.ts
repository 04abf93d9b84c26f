import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { readZip } from "#test/support/read-zip.ts";
import { buildZip, readHonestZip } from "#test/support/zip-attacks.ts";
import { toFileSet } from "../file-set.ts";
import { writeZip } from "./zip.ts";

/*
 * Round trips through common programs. Code that shares nothing with the product also reads and
 * writes the archives, because a machine may have none of these programs.
 */

const run = promisify(execFile);
const SURROUNDINGS = { LC_ALL: "C.UTF-8", PATH: "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin" };

type Program = {
  readonly name: string;
  unpack(archive: string, folder: string): Promise<void>;
  pack(folder: string, archive: string): Promise<void>;
};

const infoZip: Program = {
  name: "zip and unzip",
  async unpack(archive, folder) {
    await run("unzip", ["-tq", archive], { env: SURROUNDINGS });
    await run("unzip", ["-q", archive, "-d", folder], { env: SURROUNDINGS });
  },
  async pack(folder, archive) {
    await run("zip", ["-qr", archive, "."], { cwd: folder, env: SURROUNDINGS });
  },
};

const infoZipPipe: Program = {
  ...infoZip,
  name: "zip into a pipe",
  async pack(folder, archive) {
    await run("sh", ["-c", 'zip -qr - . | cat > "$0"', archive], {
      cwd: folder,
      env: SURROUNDINGS,
    });
  },
};

const python: Program = {
  name: "Python's zipfile",
  async unpack(archive, folder) {
    await run("python3", ["-m", "zipfile", "-t", archive], { env: SURROUNDINGS });
    await run("python3", ["-m", "zipfile", "-e", archive, folder], { env: SURROUNDINGS });
  },
  async pack(folder, archive) {
    const names = (await readdir(folder)).map((name) => join(folder, name));
    await run("python3", ["-m", "zipfile", "-c", archive, ...names], { env: SURROUNDINGS });
  },
};

const ownHands: Program = {
  name: "code that shares nothing with the product",
  async unpack(archive, folder) {
    await writeFolder(folder, readHonestZip(await readFile(archive)));
  },
  async pack(folder, archive) {
    const files = [...(await readFolder(folder))].map(([name, content]) => ({ name, content }));
    await writeFile(archive, buildZip(files));
  },
};

async function present(program: string, ...args: string[]): Promise<boolean> {
  return run(program, args, { env: SURROUNDINGS }).then(
    () => true,
    () => false,
  );
}

async function programs(): Promise<Program[]> {
  const found = [ownHands];
  if ((await present("zip", "-v")) && (await present("unzip", "-v"))) {
    found.push(infoZip, infoZipPipe);
  }
  if (await present("python3", "-c", "import zipfile")) found.push(python);
  return found;
}

async function writeFolder(folder: string, files: ReadonlyMap<string, Buffer>): Promise<void> {
  for (const [path, content] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

async function readFolder(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = new Map<string, Buffer>();
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    files.set(relative(folder, path), await readFile(path));
  }
  return files;
}

const files = toFileSet([
  ["tenant.yml", Buffer.from("name: Café Lune\n")],
  ["server/passes/gold.yml", Buffer.from("kind: loyalty\n".repeat(500))],
  ["images/logo@2x.png", Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * i) % 251))],
  ["images/Straße – été.png", Buffer.from([0])],
  ["locales/empty.yml", Buffer.alloc(0)],
  ["branding/with space.txt", Buffer.from("x\r\ny\0z")],
]);

describe("an archive", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "billfold-zip-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("goes through other programs and comes back byte for byte", async (t) => {
    for (const program of await programs()) {
      const place = await mkdtemp(join(folder, "p"));
      const [ours, theirs, unpacked] = ["ours.zip", "theirs.zip", "unpacked"].map((name) =>
        join(place, name),
      ) as [string, string, string];
      await mkdir(unpacked);
      await writeFile(ours, await writeZip(files, new Date("2026-02-28T12:00:00Z")));

      await program.unpack(ours, unpacked);
      assert.deepEqual(toFileSet(await readFolder(unpacked)), files, `unpacked by ${program.name}`);

      await program.pack(unpacked, theirs);
      const reading = await readZip(await readFile(theirs));
      assert.ok(reading.ok, `packed by ${program.name}: ${JSON.stringify(reading)}`);
      assert.deepEqual(reading.files, files, `packed by ${program.name}`);
      t.diagnostic(program.name);
    }
  });
});
