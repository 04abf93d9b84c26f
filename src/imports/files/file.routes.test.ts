import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { request } from "node:http";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { CSV_FILE, importStage, outcomeOf, processNext } from "#test/support/import-stage.ts";
import { startApi } from "#test/support/start-api.ts";

/* import.create, import.get, import.list, import.cancel */

const api = await startApi({ after }, { env: { ROLES: "api" } });
const key = api.operatorKey;
await api.seed.tenant("acme");
const stage = importStage(api, "acme");

const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex");

async function stored(importId: string): Promise<Buffer> {
  const rows = await api.sql(
    "select bytes from import_chunk where file_id = $1 order by position",
    [importId],
  );
  return Buffer.concat(rows.map(({ bytes }) => bytes as Buffer));
}

const filesNow = async () =>
  await api.sql("select id, state, contents from import_file where tenant_id = 'acme'");

describe("POST /api/:tenantId/admin/imports (import.create)", () => {
  it("202: the file is stored as it came, and waits for its turn", async () => {
    const { status, body, headers } = await stage.upload();
    assert.equal(status, 202);
    assert.equal(headers.get("location"), `${stage.base}/${body.importId}`);
    assert.deepEqual(
      [body.fileName, body.source, body.status, body.dryRun, body.size, body.contentHash],
      ["members.csv", "http", "pending", false, CSV_FILE.length, sha256(CSV_FILE)],
    );
    assert.equal((await stored(body.importId)).toString(), CSV_FILE);
    const one = await stage.get(body.importId);
    assert.deepEqual(one.body, body);
    await processNext(stage);
  });

  it("202: a file of many chunks, in any documented type, is the same byte for byte", async () => {
    const content = randomBytes(1_300_000);
    for (const type of ["application/octet-stream", "application/json", "application/x-ndjson"]) {
      const headers = { "content-type": type };
      const { status, body } = await stage.upload(content, { headers });
      assert.equal(status, 202, type);
      assert.equal(body.contentHash, sha256(content));
      assert.ok((await stored(body.importId)).equals(content));
      await api.delete(`${stage.base}/${body.importId}`, { key });
    }
  });

  it("202: sent again with its Idempotency-Key it is one import; 422: with other contents", async () => {
    const headers = { "idempotency-key": "k-1" };
    const first = await stage.upload("a;b\n1;2\n", { headers });
    const second = await stage.upload("a;b\n1;2\n", { headers });
    assert.deepEqual([first.status, second.status], [202, 202]);
    assert.equal(second.text, first.text);
    assert.equal(second.headers.get("idempotency-replayed"), "true");
    assert.equal((await stage.upload("a;b\n1;3\n", { headers })).status, 422);
    const { importId } = first.body;
    const visible = (await filesNow()).filter(({ state }) => state !== "removed");
    assert.equal(visible.filter(({ state }) => state === "uploading").length, 0);
    assert.ok(visible.some(({ id }) => id === importId));
    await api.delete(`${stage.base}/${importId}`, { key });
  });

  it("400: a name that is a path, or none; no body; 415: another type, or packed", async () => {
    const names = ["", "..", "a/b.csv", "a\\b.csv", "a%00b", "a%0Ab", "%EF%BF%BF".repeat(86)];
    for (const name of names) {
      const { status, text } = await stage.upload(CSV_FILE, { query: `fileName=${name}` });
      assert.equal(status, 400, `${name} ${text}`);
    }
    assert.equal((await stage.upload(CSV_FILE, { query: "dryRun=true" })).status, 400);
    assert.equal((await stage.upload(CSV_FILE, { query: "fileName=a&dryRun=1" })).status, 400);
    assert.equal((await stage.upload(CSV_FILE, { query: "fileName=a&folder=x" })).status, 400);
    assert.equal((await api.post(`${stage.base}?fileName=a.csv`, { key })).status, 400);
    for (const headers of [{ "content-type": "text/html" }, { "content-encoding": "gzip" }]) {
      assert.equal((await stage.upload(CSV_FILE, { headers })).status, 415);
    }
  });

  it("401 without a key; 403 without Pass.Write; 404 for a tenant that is not there", async () => {
    assert.equal((await api.post(`${stage.base}?fileName=a.csv`, { rawBody: "x" })).status, 401);
    const reader = await api.seed.key("acme", "Sftp.Read");
    assert.equal((await stage.upload(CSV_FILE, { key: reader })).status, 403);
    const nobody = importStage(api, "nobody");
    assert.equal((await nobody.upload()).status, 404);
  });

  it("413: more bytes than a file may have, before they are sent", async () => {
    const sending = request(`${api.url}${stage.base}?fileName=huge.csv`, {
      method: "POST",
      headers: {
        "x-api-key": key,
        "content-type": "text/csv",
        "content-length": String(2 * 1024 ** 3 + 1),
      },
    });
    const status = await new Promise((resolve, reject) => {
      sending.on("response", (response) => resolve(response.statusCode));
      sending.on("error", reject);
      sending.flushHeaders();
    });
    assert.equal(status, 413);
    sending.destroy();
  });

  it("409: no room for the tenant's bytes, or too many files that wait; nothing is left of it", async () => {
    const id = await stage.pending("x\n1\n");
    await api.sql("update import_file set size = 10::bigint << 30 where id = $1", [id]);
    const full = await stage.upload();
    assert.deepEqual([full.status, full.body.code], [409, "import.no-room"]);
    await api.sql("update import_file set size = (10::bigint << 30) - 100 where id = $1", [id]);
    const late = await stage.upload("x".repeat(200_000));
    assert.deepEqual([late.status, late.body.code], [409, "import.no-room"]);
    await api.sql("update import_file set size = 4 where id = $1", [id]);
    await api.sql(
      `insert into import_file (tenant_id, id, name, source, state, received_at, touched_at, created_by)
       select 'acme', 'imp_0' || n, 'n', 'http', 'uploading', now(), now(), 'x'
         from generate_series(1, 1000) as n`,
    );
    const many = await stage.upload();
    assert.deepEqual([many.status, many.body.code], [409, "import.too-many-files"]);
    await api.sql("delete from import_file where id like 'imp_0' || '%' and created_by = 'x'");
    const left = await filesNow();
    assert.ok(left.every(({ state }) => state !== "uploading"));
    await api.delete(`${stage.base}/${id}`, { key });
  });

  it("a client that is cut off leaves nothing that is imported", async () => {
    const before = (await filesNow()).length;
    const sending = request(`${api.url}${stage.base}?fileName=cut.csv`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "text/csv", "content-length": "2000000" },
    });
    sending.on("error", () => undefined);
    sending.write("x".repeat(600_000));
    const state = async () => {
      const rows = await api.sql(
        "select state, size::integer from import_file where name = 'cut.csv' order by id desc limit 1",
      );
      return rows[0];
    };
    while (Number((await state())?.size ?? 0) < 262_144) await sleep(10);
    assert.equal((await state())?.state, "uploading");
    assert.equal(await stage.claim(), undefined);
    sending.destroy();
    while ((await state())?.state === "uploading") await sleep(10);
    assert.equal((await state())?.state, "removed");
    assert.equal(await stage.claim(), undefined);
    assert.equal((await filesNow()).length, before + 1);
    const { body } = await api.get(stage.base, { key });
    assert.ok(body.every(({ fileName }: { fileName: string }) => fileName !== "cut.csv"));
  });

  it("429: more uploads at once than a tenant may have; the others go on", async () => {
    const sending = Array.from({ length: 8 }, () => {
      const url = `${api.url}${stage.base}?fileName=slow.csv`;
      const headers = { "x-api-key": key, "content-type": "text/csv" };
      const upload = request(url, { method: "POST", headers });
      const answer = new Promise<number | undefined>((resolve) => {
        upload.on("response", (response) => {
          response.resume();
          resolve(response.statusCode);
        });
      });
      upload.write("x\n");
      return { upload, answer };
    });
    const waiting = async () =>
      (await api.sql("select from import_file where name = 'slow.csv' and state = 'uploading'"))
        .length;
    while ((await waiting()) < 8) await sleep(10);
    const refused = await stage.upload();
    assert.deepEqual([refused.status, refused.body.code], [429, "upload.too-many"]);
    assert.notEqual(refused.headers.get("retry-after"), null);
    for (const { upload } of sending) upload.end("1\n");
    for (const { answer } of sending) assert.equal(await answer, 202);
    const { body } = await api.get(`${stage.base}?pageSize=100`, { key });
    for (const { importId, fileName } of body) {
      if (fileName === "slow.csv") await api.delete(`${stage.base}/${importId}`, { key });
    }
  });
});

describe("GET /api/:tenantId/admin/imports (import.list) and /:importId (import.get)", () => {
  it("200: progress, rate and remaining time while it runs, and the counts at its end", async () => {
    const content = "x".repeat(1_000);
    const id = await stage.pending(content);
    const claimed = await stage.claim();
    assert.ok(claimed !== undefined);
    await api.sql(
      "update import_file set started_at = started_at - interval '10 seconds' where id = $1",
      [id],
    );
    const outcomes = [outcomeOf(1), outcomeOf(2, { outcome: "failed", passId: null })];
    await stage.record(claimed, outcomes, 250);
    const { body, headers } = await stage.get(id);
    assert.deepEqual([body.status, body.progress, body.rows], ["running", 0.25, 2]);
    assert.ok(body.ratePerSecond > 0.1 && body.ratePerSecond < 0.3);
    assert.ok(body.remainingSeconds >= 29 && body.remainingSeconds < 60);
    const etag = headers.get("etag") ?? "";
    const again = await api.get(`${stage.base}/${id}`, { key, headers: { "if-none-match": etag } });
    assert.equal(again.status, 304);
    await stage.record(claimed, [outcomeOf(3, { outcome: "unchanged" })], 1_000);
    await stage.finish(claimed);
    const { body: ended } = await stage.get(id);
    assert.deepEqual(
      [ended.status, ended.progress, ended.remainingSeconds, ended.problem],
      ["processed", 1, null, null],
    );
    assert.deepEqual(
      [ended.rows, ended.created, ended.updated, ended.unchanged, ended.failed],
      [3, 1, 0, 1, 1],
    );
    const events = await api.sql("select name, data from event where data ->> 'importId' = $1", [
      id,
    ]);
    assert.deepEqual(
      events.map(({ name, data }) => [name, (data as { rows: number }).rows]),
      [["import.completed", 3]],
    );
  });

  it("200: the newest first, filtered by status and name", async () => {
    const id = await stage.pending("no header", "fileName=broken.csv&dryRun=true");
    const claimed = await stage.claim();
    assert.ok(claimed !== undefined);
    await stage.fail(claimed, "The file has no header row.");
    const filter =
      "filter[0].field=status&filter[0].operator=equals&filter[0].value=error&filter[1].field=fileName&filter[1].operator=startsWith&filter[1].value=broken";
    const { body, headers } = await api.get(`${stage.base}?${filter}`, { key });
    assert.equal(headers.get("x-pagination-total"), "1");
    assert.deepEqual(
      [body[0].importId, body[0].problem, body[0].dryRun],
      [id, "The file has no header row.", true],
    );
    const events = await api.sql("select name from event where data ->> 'importId' = $1", [id]);
    assert.deepEqual(events, [{ name: "import.failed" }]);
    const { body: all } = await api.get(stage.base, { key });
    assert.equal(all[0].importId, id);
    const bad = "filter[0].field=status&filter[0].operator=equals&filter[0].value=done";
    assert.equal((await api.get(`${stage.base}?${bad}`, { key })).status, 400);
  });

  it("404: an import of another tenant looks like one that is not there; 401; 403", async () => {
    await api.seed.tenant("rival");
    const rival = importStage(api, "rival");
    const foreign = await rival.pending();
    const writer = await api.seed.key("acme", "Pass.Write");
    const reader = await api.seed.key("acme", "Sftp.Read");
    for (const id of [foreign, "imp_nobody"]) {
      for (const path of [`${stage.base}/${id}`, `${stage.base}/${id}/log`]) {
        const { status, body } = await api.get(path, { key });
        assert.deepEqual([status, body.code], [404, "import.not-found"]);
        assert.equal((await api.get(path)).status, 401);
        assert.equal((await api.get(path, { key: writer })).status, 403);
        assert.equal((await api.get(path, { key: reader })).status, 404);
      }
      const gone = await api.delete(`${stage.base}/${id}`, { key: writer });
      assert.deepEqual([gone.status, gone.body.code], [404, "import.not-found"]);
      assert.equal((await api.delete(`${stage.base}/${id}`, { key: reader })).status, 403);
    }
    assert.equal((await rival.get(foreign)).body.status, "pending");
  });
});

describe("DELETE /api/:tenantId/admin/imports/:importId (import.cancel)", () => {
  it("204: a file that waits is removed, and never imported", async () => {
    const id = await stage.pending("to be removed");
    assert.equal((await api.delete(`${stage.base}/${id}`, { key })).status, 204);
    assert.equal((await stage.get(id)).status, 404);
    assert.equal(await stage.claim(), undefined);
    assert.equal((await api.delete(`${stage.base}/${id}`, { key })).status, 404);
  });

  it("202: a running import is told to stop, and what it did stays; 409: it has ended", async () => {
    const id = await stage.pending("to be stopped");
    const claimed = await stage.claim();
    assert.ok(claimed !== undefined);
    const { status, headers, body } = await api.delete(`${stage.base}/${id}`, { key });
    assert.deepEqual([status, body.status], [202, "running"]);
    assert.equal(headers.get("location"), `${stage.base}/${id}`);
    const told = await stage.record(claimed, [outcomeOf(1)], 3);
    assert.equal(told.isCancelled, true);
    await stage.fail(claimed, "The import was cancelled.");
    const { body: ended } = await stage.get(id);
    assert.deepEqual([ended.status, ended.created], ["error", 1]);
    const late = await api.delete(`${stage.base}/${id}`, { key });
    assert.deepEqual([late.status, late.body.code], [409, "import.ended"]);
  });

  it("412: only the version that If-Match names is removed or stopped", async () => {
    const id = await stage.pending("to be looked at first");
    const cancel = (etag: string) =>
      api.delete(`${stage.base}/${id}`, { key, headers: { "if-match": etag } });
    const etag = async () => (await stage.get(id)).headers.get("etag") ?? "";
    const waiting = await etag();
    assert.equal((await cancel('"nope"')).status, 412);
    const claimed = await stage.claim();
    assert.ok(claimed !== undefined);
    for (const old of ['"nope"', waiting]) {
      const { status, body } = await cancel(old);
      assert.deepEqual([status, body.code], [412, "request.precondition-failed"]);
    }
    assert.equal((await stage.record(claimed, [outcomeOf(1)], 3)).isCancelled, false);
    assert.equal((await cancel(await etag())).status, 202);
    await stage.fail(claimed, "The import was cancelled.");
    const next = await stage.pending("to be removed as it is");
    const headers = { "if-match": (await stage.get(next)).headers.get("etag") ?? "" };
    assert.equal((await api.delete(`${stage.base}/${next}`, { key, headers })).status, 204);
  });
});
