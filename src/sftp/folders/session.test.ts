import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import ssh2, { type SFTPWrapper } from "ssh2";
import {
  connectDrop,
  contentsOf,
  dropPort,
  namesIn,
  promised,
  putFile,
  seedDrop,
} from "#test/support/sftp.ts";
import { shareApi } from "#test/support/start-api.ts";

const { STATUS_CODE, OPEN_MODE } = ssh2.utils.sftp;
const { CREAT, EXCL, TRUNC, WRITE } = OPEN_MODE;
const { OK, FAILURE, NO_SUCH_FILE, OP_UNSUPPORTED, PERMISSION_DENIED } = STATUS_CODE;

type Step = (done: (error?: Error | null) => void) => unknown;

/** The status with which a request is answered. */
async function codeOf(call: Step): Promise<number> {
  try {
    await promised<void>((done) => call((error) => done(error, undefined)));
    return OK;
  } catch (error) {
    return (error as { code: number }).code;
  }
}

const open = (files: SFTPWrapper, path: string, flags: number) =>
  promised<Buffer>((done) => files.open(path, flags as unknown as "r", done));
const write = (files: SFTPWrapper, handle: Buffer, text: string, at: number) =>
  codeOf((done) => files.write(handle, Buffer.from(text), 0, text.length, at, done));
const close = (files: SFTPWrapper, handle: Buffer) => codeOf((done) => files.close(handle, done));

describe("the folders of the file drop", () => {
  // Without workers, files stay where they were put.
  const api = shareApi({ env: { ROLES: "api,sftp" } });
  let count = 0;

  /** A tenant of its own for each test. */
  async function enter() {
    count += 1;
    const tenantId = `drop-${count}`;
    await seedDrop(api(), tenantId);
    const port = await dropPort(api(), tenantId);
    const drop = await connectDrop({ port, username: tenantId });
    const status = async () => {
      const key = api().operatorKey;
      return (await api().get(`/api/${tenantId}/admin/sftp/status`, { key })).body;
    };
    return { tenantId, port, drop, files: await drop.files(), status };
  }

  it("are three, and nothing else exists", async () => {
    const { drop, files } = await enter();
    await using _ = drop;
    assert.deepEqual(await namesIn(files, "/"), ["error", "inbox", "processed"]);
    for (const path of ["/etc", "/etc/passwd", "/inbox/a/b", "/inbox/none.csv", "/INBOX"]) {
      assert.equal(await codeOf((done) => files.stat(path, done)), NO_SUCH_FILE, path);
      assert.equal(await codeOf((done) => files.readdir(path, done)), NO_SUCH_FILE, path);
    }
    const stats = await promised<ssh2.Stats>((done) => files.stat("/inbox", done));
    assert.ok(stats.isDirectory());
  });

  it("take a file, list it with its size, and give it back", async () => {
    const { drop, files, status } = await enter();
    await using _ = drop;
    const contents = Buffer.alloc(1_500_000, "0123456789abcdef\n");
    await putFile(files, "/inbox/a.csv", contents);
    assert.deepEqual(await namesIn(files, "inbox"), ["a.csv"]);
    const stats = await promised<ssh2.Stats>((done) => files.stat("/inbox/a.csv", done));
    assert.deepEqual([stats.isFile(), stats.size], [true, contents.length]);
    assert.ok(contents.equals(await contentsOf(files, "/inbox/a.csv")));
    assert.equal((await status()).pending, 1);
  });

  it("take large files from clients that send many pieces at once, and give them so", async (t) => {
    const { drop, files } = await enter();
    await using _ = drop;
    const folder = mkdtempSync(join(tmpdir(), "billfold-sftp-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const bytes = Buffer.alloc(5_000_001, "row;of;a;file\n");
    writeFileSync(`${folder}/up`, bytes);
    await promised<void>((done) => files.fastPut(`${folder}/up`, "/inbox/b", (e) => done(e)));
    await promised<void>((done) => files.fastGet("/inbox/b", `${folder}/down`, (e) => done(e)));
    assert.ok(bytes.equals(readFileSync(`${folder}/down`)));
  });

  it("import nothing of a client that is cut off, and keep what came for it to go on", async () => {
    const { tenantId, port, drop, files, status } = await enter();
    const handle = await open(files, "/inbox/cut.csv", WRITE | CREAT);
    const half = "x".repeat(30_000);
    for (let at = 0; at < 300_000; at += half.length) {
      assert.equal(await write(files, handle, half, at), OK);
    }
    drop.client.destroy();
    await drop.closed;
    await using again = await connectDrop({ port, username: tenantId });
    const other = await again.files();
    assert.deepEqual(await namesIn(other, "/inbox"), ["cut.csv"]);
    assert.deepEqual([(await status()).uploading, (await status()).pending], [1, 0]);

    const { size } = await promised<ssh2.Stats>((done) => other.stat("/inbox/cut.csv", done));
    assert.ok(size > 0 && size <= 300_000);
    const resumed = await open(other, "/inbox/cut.csv", WRITE | OPEN_MODE.APPEND);
    assert.equal(await write(other, resumed, "end", size), OK);
    assert.equal(await close(other, resumed), OK);
    const whole = await contentsOf(other, "/inbox/cut.csv");
    assert.equal(whole.toString(), `${"x".repeat(size)}end`);
    assert.deepEqual([(await status()).uploading, (await status()).pending], [0, 1]);
  });

  it("refuse a file with gaps, or whose bytes would be written over", async () => {
    const { drop, files, status } = await enter();
    await using _ = drop;
    const handle = await open(files, "/inbox/gap.csv", WRITE | CREAT);
    assert.equal(await write(files, handle, "start", 0), OK);
    assert.equal(await write(files, handle, "early", 10), OK);
    assert.equal(await write(files, handle, "over", 1), FAILURE);
    assert.equal(await write(files, handle, "fails", 5), FAILURE);
    assert.equal(await close(files, handle), FAILURE);
    const gap = await open(files, "/inbox/gap.csv", WRITE | CREAT | TRUNC);
    assert.equal(await write(files, gap, "far away", 100), OK);
    assert.equal(await close(files, gap), FAILURE);
    assert.equal((await status()).pending, 0);
    await putFile(files, "/inbox/gap.csv", "whole");
    const reopened = await open(files, "/inbox/gap.csv", WRITE);
    assert.equal(await write(files, reopened, "over", 0), FAILURE);
  });

  /** The files that nobody imports before they have another name. */
  const waitingIn = async (tenantId: string) => {
    const rows = await api().sql(
      "select name from import_file where tenant_id = $1 and ready_at is null order by name",
      [tenantId],
    );
    return rows.map(({ name }) => name);
  };

  it("let a file under a temporary name wait until it is renamed", async () => {
    const { tenantId, drop, files, status } = await enter();
    await using _ = drop;
    for (const name of ["a.csv.part", "b.tmp", ".c.csv"])
      await putFile(files, `/inbox/${name}`, "x");
    assert.deepEqual([(await status()).uploading, (await status()).pending], [2, 1]);
    assert.deepEqual(await waitingIn(tenantId), [".c.csv", "a.csv.part", "b.tmp"]);
    const rename = (from: string, to: string) => codeOf((done) => files.rename(from, to, done));
    assert.equal(await rename("/inbox/a.csv.part", "/inbox/a.csv"), OK);
    assert.deepEqual([(await status()).uploading, (await status()).pending], [1, 2]);
    assert.deepEqual(await waitingIn(tenantId), [".c.csv", "b.tmp"]);
    assert.equal(await rename("/inbox/b.tmp", "/inbox/a.csv"), FAILURE);
    const replace = (from: string, to: string) =>
      codeOf((done) => files.ext_openssh_rename(from, to, done));
    assert.equal(await replace("/inbox/b.tmp", "/inbox/a.csv"), OK);
    assert.deepEqual(await namesIn(files, "/inbox"), [".c.csv", "a.csv"]);
    assert.equal(await rename("/inbox/none", "/inbox/some"), NO_SUCH_FILE);
  });

  it("let a file wait, or not, by the name that it has when it is closed", async () => {
    const { tenantId, drop, files, status } = await enter();
    await using _ = drop;
    const rename = (from: string, to: string) => codeOf((done) => files.rename(from, to, done));
    const first = await open(files, "/inbox/a.csv.part", WRITE | CREAT);
    assert.equal(await write(files, first, "whole", 0), OK);
    assert.equal(await rename("/inbox/a.csv.part", "/inbox/a.csv"), OK);
    assert.deepEqual([(await status()).uploading, (await status()).pending], [1, 0]);
    assert.equal(await close(files, first), OK);
    assert.deepEqual([(await status()).uploading, (await status()).pending], [0, 1]);

    const second = await open(files, "/inbox/b.csv", WRITE | CREAT);
    assert.equal(await write(files, second, "half", 0), OK);
    assert.equal(await rename("/inbox/b.csv", "/inbox/.b.csv"), OK);
    assert.equal(await close(files, second), OK);
    assert.deepEqual([(await status()).uploading, (await status()).pending], [0, 2]);
    assert.deepEqual(await waitingIn(tenantId), [".b.csv"]);
  });

  it("show the newest thousand files, in the order of their names", async () => {
    const { tenantId, drop, files } = await enter();
    await using _ = drop;
    await api().sql(
      `insert into import_file (tenant_id, id, name, source, state, received_at, touched_at,
                                finished_at, created_by)
       select $1, 'imp_' || lpad(n::text, 8, '0'), 'file ' || (2000 - n), 'sftp', 'processed',
              now(), now(), now(), 'test'
         from generate_series(1, 1001) as n`,
      [tenantId],
    );
    const shown = await promised<{ filename: string }[]>((done) =>
      files.readdir("/processed", done),
    );
    const names = shown.map(({ filename }) => filename);
    assert.equal(names.length, 1_000);
    assert.ok(names.includes("file 999") && !names.includes("file 1999"));
  });

  it("replace a file that is put again before its import, and remove one", async () => {
    const { drop, files } = await enter();
    await using _ = drop;
    await putFile(files, "/inbox/a.csv", "first");
    await putFile(files, "/inbox/a.csv", "second");
    assert.equal((await contentsOf(files, "/inbox/a.csv")).toString(), "second");
    assert.equal(await codeOf((done) => files.unlink("/inbox/a.csv", done)), OK);
    assert.equal(await codeOf((done) => files.unlink("/inbox/a.csv", done)), NO_SUCH_FILE);
    assert.deepEqual(await namesIn(files, "/inbox"), []);
  });

  it("open a new file only if it is new, where a client asks for that", async () => {
    const { drop, files } = await enter();
    await using _ = drop;
    await putFile(files, "/inbox/a.csv", "x");
    const flags = WRITE | CREAT | EXCL;
    await assert.rejects(open(files, "/inbox/a.csv", flags), { code: FAILURE });
    await assert.rejects(open(files, "/inbox/b.csv", WRITE), { code: NO_SUCH_FILE });
  });

  it("accept times and permissions without effect, and no other size", async () => {
    const { drop, files } = await enter();
    await using _ = drop;
    await putFile(files, "/inbox/a.csv", "four");
    const set = (attributes: object) =>
      codeOf((done) => files.setstat("/inbox/a.csv", attributes as ssh2.InputAttributes, done));
    assert.equal(await set({ mode: 0o600, atime: 1, mtime: 1 }), OK);
    assert.equal(await set({ size: 4 }), OK);
    assert.equal(await set({ size: 0 }), OP_UNSUPPORTED);
    assert.equal((await contentsOf(files, "/inbox/a.csv")).toString(), "four");
  });

  it("have no folders and links to make, and nothing to write outside the inbox", async () => {
    const { drop, files } = await enter();
    await using _ = drop;
    await putFile(files, "/inbox/a.csv", "x");
    const refused: Readonly<Record<string, Step>> = {
      mkdir: (done) => files.mkdir("/inbox/sub", done),
      rmdir: (done) => files.rmdir("/processed", done),
      symlink: (done) => files.symlink("/inbox/a.csv", "/inbox/link", done),
      readlink: (done) => files.readlink("/inbox/a.csv", done),
      "put into /processed": (done) => files.writeFile("/processed/a.csv", "x", done),
      "put into the root": (done) => files.writeFile("/a.csv", "x", done),
      "put elsewhere": (done) => files.writeFile("/inbox/../../tmp/a.csv", "x", done),
      "rename into /processed": (done) => files.rename("/inbox/a.csv", "/processed/a.csv", done),
      "remove a folder": (done) => files.unlink("/inbox", done),
    };
    for (const [what, call] of Object.entries(refused)) {
      assert.equal(await codeOf(call), PERMISSION_DENIED, what);
    }
    assert.deepEqual(await namesIn(files, "/inbox"), ["a.csv"]);
  });

  it("normalise paths without leaving the root", async () => {
    const { drop, files } = await enter();
    await using _ = drop;
    const real = (path: string) => promised<string>((done) => files.realpath(path, done));
    assert.equal(await real("."), "/");
    assert.equal(await real("../../../etc"), "/etc");
    assert.equal(await real("inbox/../inbox/./x"), "/inbox/x");
  });

  it("take names as they are, and refuse those that no file can have", async () => {
    const { drop, files } = await enter();
    await using _ = drop;
    const good = [
      "Élèves 2026.csv",
      "%2e%2e%2fetc",
      "名前.csv",
      "=cmd().csv",
      "...",
      "a".repeat(255),
    ];
    for (const name of good) await putFile(files, `/inbox/${name}`, name);
    assert.deepEqual(await namesIn(files, "/inbox"), [...good].sort());
    for (const name of good) {
      assert.equal((await contentsOf(files, `/inbox/${name}`)).toString(), name);
    }
    const bad = ["a".repeat(256), "line\nbreak.csv", "null\0.csv", "..\\..\\windows.csv"];
    for (const name of bad) {
      const put = codeOf((done) => files.writeFile(`/inbox/${name}`, "x", done));
      assert.equal(await put, FAILURE, JSON.stringify(name));
      const path = `/inbox/${name}`;
      const none: Readonly<Record<string, Step>> = {
        stat: (done) => files.stat(path, done),
        read: (done) => files.open(path, "r", done),
        remove: (done) => files.unlink(path, done),
        rename: (done) => files.rename(path, "/inbox/good.csv", done),
      };
      for (const [what, call] of Object.entries(none)) {
        assert.equal(await codeOf(call), NO_SUCH_FILE, `${what} ${JSON.stringify(name)}`);
      }
    }
    for (const path of ["/\0", "/inbox\0", "/processed/\0/x"]) {
      assert.equal(await codeOf((done) => files.stat(path, done)), NO_SUCH_FILE);
      assert.equal(await codeOf((done) => files.realpath(path, done)), NO_SUCH_FILE);
    }
    assert.ok(!api().logLines.some((line) => line.includes("sftp: a request failed")));
  });

  it("are open a few at a time", async () => {
    const { drop, files } = await enter();
    await using _ = drop;
    const handles: Buffer[] = [];
    while (handles.length < 16) {
      handles.push(await promised<Buffer>((done) => files.opendir("/inbox", done)));
    }
    await assert.rejects(
      promised((done) => files.opendir("/", done)),
      { code: FAILURE },
    );
    assert.equal(await close(files, handles[0] ?? Buffer.alloc(0)), OK);
    await promised((done) => files.opendir("/", done));
    assert.equal(await close(files, Buffer.from("unknown")), FAILURE);
  });

  it("of one tenant are not those of another", async () => {
    const one = await enter();
    const other = await enter();
    await using _one = one.drop;
    await using _other = other.drop;
    await putFile(one.files, "/inbox/mine.csv", "x");
    assert.deepEqual(await namesIn(other.files, "/inbox"), []);
    const read = codeOf((done) => other.files.stat(`/../${one.tenantId}/inbox/mine.csv`, done));
    assert.equal(await read, NO_SUCH_FILE);
  });

  it("tell the audit trail who put a file, and from where", async () => {
    const { tenantId, drop, files } = await enter();
    await using _ = drop;
    await putFile(files, "/inbox/a.csv", "x");
    const { body } = await api().get(`/api/${tenantId}/admin/audit`, { key: api().operatorKey });
    const [entry] = body.filter(({ op }: { op: string }) => op === "sftp.upload");
    assert.deepEqual(entry.actor, { kind: "sftp", id: "SFTP-PASSWORD" });
    assert.equal(entry.ip, "127.0.0.1");
    assert.equal(entry.after.fileName, "a.csv");
  });
});
