import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { connectDrop, promised, putFile, seedDrop } from "#test/support/sftp.ts";
import { shareApi, type TestApi } from "#test/support/start-api.ts";

/** A file whose import has ended, as the importer leaves it. */
async function seedProcessed(api: TestApi, tenantId: string, name: string): Promise<void> {
  // Before the ids of files that come later.
  const id = `imp_0000${name}`;
  await api.sql(
    `insert into import_file (tenant_id, id, name, source, state, is_complete, size, received_at, touched_at,
                              finished_at, rows, created, failed, identifier_names, created_by)
     values ($1, $2, $3, 'sftp', 'processed', true, 9, now(), now(), now(), 3, 2, 1, '{crm.id}', 'x')`,
    [tenantId, id, name],
  );
  await api.sql(
    `insert into import_outcome (tenant_id, file_id, row, line, outcome, pass_id, identifiers, message)
     values ($1, $2, 1, 2, 'created', 'ps_1', '{"crm.id": "1"}', null),
            ($1, $2, 2, 3, 'failed', null, '{"crm.id": "=cmd()"}', '=1+1 is no number.'),
            ($1, $2, 3, 4, 'created', 'ps_3', '{"crm.id": "3"}', null)`,
    [tenantId, id],
  );
}

describe("the file drop over HTTP", () => {
  const api = shareApi({ env: { ROLES: "api,sftp" } });
  let count = 0;

  async function prepare() {
    count += 1;
    const tenantId = `drop-${count}`;
    await seedDrop(api(), tenantId, []);
    const key = await api().seed.key(tenantId, "Sftp.Read");
    const get = (path: string, headers: Record<string, string> = {}) =>
      api().get(`/api/${tenantId}/admin/sftp/${path}`, { key, headers });
    return { tenantId, get };
  }

  it("200: status tells how to connect, and what is there (sftp.get-status)", async () => {
    const { tenantId, get } = await prepare();
    const { status, body, headers } = await get("status");
    assert.equal(status, 200);
    const known = { "if-none-match": headers.get("etag") ?? "" };
    assert.equal((await get("status", known)).status, 304);
    const { host, port, fingerprint, hostKeys, ...rest } = body;
    assert.equal(host, "localhost");
    assert.match(fingerprint, /^SHA256:[\w+/]{43}$/);
    assert.deepEqual(
      hostKeys.map((line: string) => line.split(" ")[0]),
      ["ssh-ed25519", "ecdsa-sha2-nistp256"],
    );
    assert.deepEqual(rest, {
      sftpEnabled: true,
      username: tenantId,
      passwordSet: true,
      keys: 0,
      uploading: 0,
      pending: 0,
      processed: 0,
      error: 0,
      lastActivityAt: null,
    });
    await using drop = await connectDrop({ port, username: tenantId });
    const files = await drop.files();
    await putFile(files, "/inbox/a.csv", "x");
    await putFile(files, "/inbox/b.csv.part", "x");
    const after = (await get("status")).body;
    assert.deepEqual([after.uploading, after.pending], [1, 1]);
    assert.match(after.lastActivityAt, /Z$/);
  });

  it("200: without a file drop the status says so, the list and the log are empty", async () => {
    await api().seed.tenant("without");
    const key = await api().seed.key("without", "Sftp.Read");
    const get = (path: string) => api().get(`/api/without/admin/sftp/${path}`, { key });
    const { body } = await get("status");
    assert.deepEqual(
      [body.sftpEnabled, body.host, body.port, body.fingerprint, body.hostKeys],
      [false, null, null, null, []],
    );
    assert.deepEqual((await get("files")).body, []);
    const log = await get("files/any.csv/log");
    assert.deepEqual(
      [log.status, log.body.fileName, log.body.status, log.body.outcomes],
      [200, null, null, []],
    );
    const table = await api().get("/api/without/admin/sftp/files/any.csv/log", {
      key,
      headers: { accept: "text/csv" },
    });
    assert.match(table.headers.get("content-type") ?? "", /^text\/csv/);
    assert.match(table.text, /^row,[^\n]+\n$/);
  });

  it("200: files are the newest of each name, by status (sftp.list-files)", async () => {
    const { tenantId, get } = await prepare();
    await seedProcessed(api(), tenantId, "a.csv");
    await seedProcessed(api(), tenantId, "b.csv");
    const { port } = (await get("status")).body;
    await using drop = await connectDrop({ port, username: tenantId });
    const files = await drop.files();
    await putFile(files, "/inbox/b.csv", "newer");
    await putFile(files, "/inbox/c.csv.part", "not yet");
    const shown = ({ body }: { body: { fileName: string; status: string }[] }) =>
      body.map(({ fileName, status }) => `${fileName} ${status}`).sort();
    assert.deepEqual(shown(await get("files")), ["a.csv processed", "b.csv pending"]);
    const filter = "filter[0].field=status&filter[0].operator=equals&filter[0].value";
    assert.deepEqual(shown(await get(`files?${filter}=pending`)), ["b.csv pending"]);
    assert.equal((await get(`files?${filter}=uploading`)).status, 400);
    const page = await get("files?pageSize=1");
    assert.deepEqual([page.body.length, page.headers.get("x-pagination-total")], [1, "2"]);
  });

  it("200: a complete file under a hidden name is pending; a part of one is being uploaded", async () => {
    const { tenantId, get } = await prepare();
    const { port } = (await get("status")).body;
    await using drop = await connectDrop({ port, username: tenantId });
    const files = await drop.files();
    await putFile(files, "/inbox/.hid.csv", "x");
    for (const name of [".a.csv.part", ".b.TMP", "c.part"])
      await putFile(files, `/inbox/${name}`, name);
    const open = await promised<Buffer>((done) => files.open("/inbox/.open.csv", "w", done));
    const { uploading, pending } = (await get("status")).body;
    assert.deepEqual([uploading, pending], [4, 1]);
    const filter = "filter[0].field=status&filter[0].operator=equals&filter[0].value=pending";
    for (const path of ["files", `files?${filter}`]) {
      const { body } = await get(path);
      const shown = body.map((file: { fileName: string; status: string; size: number }) => [
        file.fileName,
        file.status,
        file.size,
      ]);
      assert.deepEqual(shown, [[".hid.csv", "pending", 1]], path);
    }
    const log = await get("files/.hid.csv/log");
    assert.deepEqual([log.status, log.body.status, log.body.outcomes], [200, "pending", []]);
    assert.equal((await get("files/.open.csv/log")).status, 404);
    await promised<void>((done) => files.close(open, (error) => done(error, undefined)));
    const after = (await get("status")).body;
    assert.deepEqual([after.uploading, after.pending], [3, 2]);
  });

  it("200: the log has the file and what became of its rows (sftp.get-log)", async () => {
    const { tenantId, get } = await prepare();
    await seedProcessed(api(), tenantId, "members.csv");
    const log = await get("files/members.csv/log?pageSize=2");
    assert.equal(log.status, 200);
    assert.deepEqual(
      [log.body.fileName, log.body.status, log.body.rows, log.body.failed],
      ["members.csv", "processed", 3, 1],
    );
    assert.deepEqual(
      log.body.outcomes.map(({ row, outcome }: { row: number; outcome: string }) => [row, outcome]),
      [
        [1, "created"],
        [2, "failed"],
      ],
    );
    assert.equal(log.headers.get("x-pagination-total"), "3");
    assert.match(log.headers.get("link") ?? "", /rel="next"/);
    const failed = await get("files/members.csv/log?outcome=failed");
    assert.deepEqual(failed.body.outcomes, [
      {
        row: 2,
        line: 3,
        outcome: "failed",
        passId: null,
        identifiers: { "crm.id": "=cmd()" },
        message: "=1+1 is no number.",
      },
    ]);
    const csv = await get("files/members.csv/log?outcome=failed", { accept: "text/csv" });
    assert.match(csv.headers.get("content-type") ?? "", /^text\/csv/);
    const [head, line] = csv.text.replace(/^\uFEFF/, "").split("\r\n");
    assert.equal(head, "row,line,outcome,reason,passId,identifiers.crm.id");
    assert.equal(line, "2,3,failed,'=1+1 is no number.,,'=cmd()");
  });

  it("404: a name is a key and never a path", async () => {
    const { tenantId, get } = await prepare();
    const odd = ["..", "a/b.csv", "../../etc/passwd", "名 前.csv", "%2f", "a".repeat(255), "x\\y"];
    const path = (name: string) => `files/${encodeURIComponent(name)}/log`;
    for (const name of [...odd, "a".repeat(256), "none.csv"]) {
      assert.equal((await get(path(name))).status, 404, name);
    }
    assert.equal((await get(path("null\0"))).status, 400);
    assert.equal((await get(path("a".repeat(10_000)))).status, 414);
    for (const name of ["名 前.csv", "%2f", "a".repeat(255), "=cmd()"]) {
      await seedProcessed(api(), tenantId, name);
      assert.equal((await get(path(name))).body.fileName, name);
    }
    for (const raw of ["files/../log", "files/%2e%2e/log", "files/..%2f..%2fstatus/log"]) {
      assert.equal((await get(raw)).status, 404, raw);
    }
  });

  it("404: the file of another tenant", async () => {
    const one = await prepare();
    const other = await prepare();
    await seedProcessed(api(), one.tenantId, "mine.csv");
    const { status, body } = await other.get("files/mine.csv/log");
    assert.deepEqual([status, body.code], [404, "sftp.file-not-found"]);
  });
});
