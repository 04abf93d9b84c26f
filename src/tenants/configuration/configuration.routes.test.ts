import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { shareApi } from "#test/support/start-api.ts";

const SETTINGS = "name: Acme\n";

describe("configuration of a tenant", () => {
  const api = shareApi();
  const path = (rest = "", tenantId = "acme") => `/api/tenants/${tenantId}${rest}`;
  const call = (method: string, address: string, more: object = {}) =>
    api().request(method, address, { key: api().operatorKey, ...more });
  const putFiles = (tenantId: string, files: object, rest = "") =>
    call("PUT", path(rest, tenantId), { body: { files } });
  const json = { headers: { accept: "application/json" } };
  const filesOf = async (tenantId: string, rest = "") =>
    (await call("GET", path(rest, tenantId), json)).body.files;

  before(() => putFiles("acme", { "tenant.yml": SETTINGS }));

  it("200: comes as a ZIP archive, and the archive sent back changes nothing (tenant.get)", async () => {
    const bytes = Buffer.from([0, 255, 1, 254]).toString("base64");
    await putFiles("zipped", { "tenant.yml": SETTINGS, "images/a.png": { base64: bytes } });
    const got = await fetch(`${api().url}${path("", "zipped")}`, {
      headers: { "x-api-key": api().operatorKey },
    });
    assert.equal(got.headers.get("content-type"), "application/zip");
    assert.match(got.headers.get("content-disposition") ?? "", /zipped-1\.zip/);
    const archive = new Uint8Array(await got.arrayBuffer());
    const sent = await call("PUT", path("", "zipped"), {
      rawBody: archive,
      headers: { "content-type": "application/zip" },
    });
    assert.equal(sent.status, 200, sent.text);
    const { warnings, ...unchanged } = sent.body;
    assert.deepEqual(unchanged, { tenantId: "zipped", version: 1, changes: [] });
    assert.deepEqual(warnings, []);
    assert.deepEqual(await filesOf("zipped"), {
      "images/a.png": { base64: bytes },
      "tenant.yml": SETTINGS,
    });
  });

  it("201: an archive creates a tenant; the message comes in the address", async () => {
    await putFiles("source", { "tenant.yml": SETTINGS });
    const got = await fetch(`${api().url}${path("", "source")}`, {
      headers: { "x-api-key": api().operatorKey },
    });
    const sent = await call("PUT", path("?message=copied", "target"), {
      rawBody: new Uint8Array(await got.arrayBuffer()),
      headers: { "content-type": "application/zip" },
    });
    assert.equal(sent.status, 201, sent.text);
    const history = await call("GET", path("/config/history", "target"));
    assert.equal(history.body[0].message, "copied");
  });

  it("400: bytes that are no archive, and the published version stays", async () => {
    const sent = await call("PUT", path(), {
      rawBody: "PK no archive",
      headers: { "content-type": "application/zip" },
    });
    assert.equal(sent.status, 400, sent.text);
    assert.equal(sent.body.code, "configuration.invalid");
    assert.deepEqual(await filesOf("acme"), { "tenant.yml": SETTINGS });
  });

  it("200: PATCH changes only what it names, null deletes (tenant.patch)", async () => {
    await putFiles("patched", { "tenant.yml": SETTINGS, "images/a": "a", "images/b": "b" });
    const sent = await call("PATCH", path("", "patched"), {
      body: { files: { "images/a": null, "images/c": "c" }, message: "third time" },
    });
    assert.equal(sent.status, 200, sent.text);
    assert.deepEqual(sent.body.changes, [
      { path: "images/a", change: "removed" },
      { path: "images/c", change: "added" },
    ]);
    assert.deepEqual(Object.keys(await filesOf("patched")), ["images/b", "images/c", "tenant.yml"]);
  });

  it("200, 201: PUT, PATCH, publication, rollback and drafts answer with the warnings", async () => {
    const files = { "tenant.yml": SETTINGS, "server/aple.yml": "a: b\n" };
    const codes = (sent: { body: { warnings?: { code: string; file: string }[] } }) =>
      sent.body.warnings?.map(({ code, file }) => `${code} ${file}`);
    const expected = ["file.unknown-settings server/aple.yml"];
    const made = await putFiles("warned", files);
    assert.deepEqual([made.status, codes(made)], [201, expected], made.text);
    const same = await putFiles("warned", files);
    assert.deepEqual([same.body.version, codes(same)], [1, expected]);
    const change = { body: { files: { "tenant.yml": "name: Other\n" } } };
    assert.deepEqual(codes(await call("PATCH", path("", "warned"), change)), expected);
    const draft = await call("PATCH", path("?publish=false", "warned"), {
      body: { files: { "tenant.yml": "name: Third\n" } },
    });
    assert.deepEqual([draft.body.draft, codes(draft)], [true, expected]);
    const published = await call("POST", path("/publish", "warned"), { body: {} });
    assert.deepEqual([published.body.version, codes(published)], [3, expected]);
    const back = await call("POST", path("/config/rollback", "warned"), { body: { version: 1 } });
    assert.deepEqual([back.body.version, codes(back)], [4, expected]);
  });

  it("400: a rate limit for an operation that does not exist, with the nearest name", async () => {
    const rate = "{ limit: 5, windowSeconds: 60 }";
    const settings = `${SETTINGS}rateLimits:\n  default: ${rate}\n  pass.creat: ${rate}\n  moon.walk: ${rate}\n`;
    const others = "openapi.read service.warmup tenant.list administrator.list".split(" ");
    const refused = await putFiles("limited", { "tenant.yml": settings });
    assert.equal(refused.status, 400, refused.text);
    const found = refused.body.findings.map(
      (each: { code: string; line: number; hint: string }) => [each.code, each.line, each.hint],
    );
    assert.deepEqual(found, [
      ["tenant.operation-unknown", 4, "Did you mean 'pass.create'?"],
      [
        "tenant.operation-unknown",
        5,
        "Use an operationId of the API reference, or 'default' for all that are not named.",
      ],
    ]);
    for (const op of others) {
      const limited = `${SETTINGS}rateLimits:\n  ${op}: ${rate}\n`;
      const answer = await putFiles("limited", { "tenant.yml": limited });
      assert.deepEqual(
        [answer.status, answer.body.findings?.[0]?.code],
        [400, "tenant.operation-unknown"],
      );
    }
    const known = settings.replace(/ {2}(moon|pass).*\n/g, "");
    const allowed = `${known}  pass.create: ${rate}\n`;
    assert.equal((await putFiles("limited", { "tenant.yml": allowed })).status, 201);
  });

  it("stores the same file once, whatever the versions and paths", async () => {
    await putFiles("once", { "tenant.yml": SETTINGS, "images/a": "same", "images/b": "same" });
    await call("PATCH", path("", "once"), { body: { files: { "images/c": "same" } } });
    const rows = await api().sql("select hash from file_content where tenant_id = 'once'");
    assert.equal(rows.length, 2);
  });

  it("an older version can be read, compared and brought back (tenant.history, tenant.diff, tenant.rollback)", async () => {
    await putFiles("old", { "tenant.yml": "name: One\n", "images/x": "x" });
    await putFiles("old", { "tenant.yml": "name: Two\n" });
    assert.deepEqual(await filesOf("old", "?version=1"), {
      "images/x": "x",
      "tenant.yml": "name: One\n",
    });
    const diff = await call("GET", path("/config/diff?from=1", "old"));
    assert.deepEqual(diff.body, {
      from: 1,
      to: 2,
      changes: [
        { path: "images/x", change: "removed", before: "x", after: null },
        { path: "tenant.yml", change: "changed", before: "name: One\n", after: "name: Two\n" },
      ],
    });
    const back = await call("POST", path("/config/rollback", "old"), { body: { version: 1 } });
    assert.equal(back.status, 200, back.text);
    assert.equal(back.body.version, 3);
    assert.deepEqual(Object.keys(await filesOf("old")), ["images/x", "tenant.yml"]);
    const { body: history } = await call("GET", path("/config/history", "old"));
    assert.deepEqual(
      history.map(({ version }: { version: number }) => version),
      [3, 2, 1],
    );
    assert.equal(history[0].message, "Back to version 1");
    assert.equal(history[0].author, "operator");
  });

  it("404: a version or draft that is not there", async () => {
    assert.equal((await call("GET", path("?version=99"), json)).status, 404);
    assert.equal((await call("GET", path("?draft=true"), json)).status, 404);
    assert.equal((await call("GET", path("/config/diff?from=99"))).status, 404);
    assert.equal(
      (await call("POST", path("/config/rollback"), { body: { version: 99 } })).status,
      404,
    );
    assert.equal((await call("POST", path("/publish"), { body: {} })).status, 404);
    assert.equal((await call("DELETE", path("/draft"))).status, 404);
  });

  it("a draft has no effect until it is published (tenant.test, tenant.publish)", async () => {
    await putFiles("drafted", { "tenant.yml": "name: Now\n" });
    const stored = await putFiles("drafted", { "tenant.yml": "nme: Later\n" }, "?publish=false");
    assert.equal(stored.status, 200, stored.text);
    assert.equal(stored.body.draft, true);
    assert.deepEqual(await filesOf("drafted"), { "tenant.yml": "name: Now\n" });

    const test = await call("GET", path("/test", "drafted"));
    assert.equal(test.body.valid, false);
    assert.equal(test.body.draft, true);
    const unknown = test.body.findings.find(({ code }: { code: string }) =>
      code.includes("unknown"),
    );
    assert.equal(unknown.file, "tenant.yml");
    assert.equal(unknown.line, 1);
    const refused = await call("POST", path("/publish", "drafted"), { body: {} });
    assert.equal(refused.status, 400);
    assert.ok("tenant.yml" in refused.body.errors);
    assert.equal(refused.body.findings.length, test.body.findings.length);

    await call("PATCH", path("?publish=false", "drafted"), {
      body: { files: { "tenant.yml": "name: Later\n" } },
    });
    assert.equal((await call("GET", path("/test", "drafted"))).body.valid, true);
    const published = await call("POST", path("/publish", "drafted"), {
      body: { message: "done" },
    });
    assert.equal(published.status, 200, published.text);
    assert.equal(published.body.version, 2);
    assert.deepEqual(await filesOf("drafted"), { "tenant.yml": "name: Later\n" });
    assert.equal((await call("GET", path("?draft=true", "drafted"), json)).status, 404);
  });

  it("409: a draft made from a version that has passed (tenant.discard-draft)", async () => {
    await putFiles("passed", { "tenant.yml": "name: One\n" });
    await putFiles("passed", { "tenant.yml": "name: Draft\n" }, "?publish=false");
    await putFiles("passed", { "tenant.yml": "name: Two\n" });
    const sent = await call("POST", path("/publish", "passed"), { body: {} });
    assert.equal(sent.status, 409);
    assert.equal(sent.body.code, "configuration.draft-outdated");
    assert.equal((await call("DELETE", path("/draft", "passed"))).status, 204);
  });

  it("409: of two who publish the same draft at once, one wins", async () => {
    await putFiles("both", { "tenant.yml": "name: One\n" });
    for (let round = 1; round <= 10; round += 1) {
      await putFiles("both", { "tenant.yml": `name: Draft ${round}\n` }, "?publish=false");
      const sent = await Promise.all(
        [1, 2].map(() => call("POST", path("/publish", "both"), { body: {} })),
      );
      const statuses = sent.map(({ status }) => status).sort();
      assert.ok(statuses[0] === 200 && [404, 409].includes(statuses[1] ?? 0), String(statuses));
    }
  });

  it("409: a draft that was begun from an older version is not built upon", async () => {
    await putFiles("stale", { "tenant.yml": "name: One\n" });
    await putFiles("stale", { "tenant.yml": "name: Draft\n" }, "?publish=false");
    await putFiles("stale", { "tenant.yml": "name: Two\n", "images/new": "new" });
    const sent = await call("PATCH", path("?publish=false", "stale"), {
      body: { files: { "images/x": "x" } },
    });
    assert.equal(sent.status, 409);
    assert.equal(sent.body.code, "configuration.draft-outdated");
  });

  it("of many who change a draft at once none is lost: who is late is told", async () => {
    await putFiles("crowd", { "tenant.yml": SETTINGS });
    const sent = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        call("PATCH", path("?publish=false", "crowd"), {
          body: { files: { [`images/${index}`]: "x" } },
        }),
      ),
    );
    assert.ok(sent.every(({ status }) => status === 200 || status === 409));
    const accepted = sent.filter(({ status }) => status === 200).length;
    const kept = Object.keys(await filesOf("crowd", "?draft=true")).length - 1;
    assert.equal(kept, accepted);
    assert.ok(accepted >= 1);
  });

  it("takes a file of many megabytes as base64, and refuses what is not whole", async () => {
    const base64 = Buffer.alloc(6 * 1024 * 1024, 7).toString("base64");
    const sent = await putFiles("large", { "tenant.yml": SETTINGS, "images/a": { base64 } });
    assert.equal(sent.status, 201, sent.text);
    const refused = await putFiles("large", {
      "tenant.yml": SETTINGS,
      "images/a": { base64: "abc" },
    });
    assert.equal(refused.status, 400);
    assert.deepEqual(Object.keys(refused.body.errors), ["images/a"]);
  });

  it("tells a few hundred changes in the event and all of them in the history", async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`images/${i}`, `${i}`]));
    await putFiles("many", { "tenant.yml": SETTINGS, ...many });
    const [event] = await api().sql("select data from event where tenant_id = 'many'");
    const data = event?.data as { changes: unknown[]; changeCount: number };
    assert.equal(data.changes.length, 200);
    assert.equal(data.changeCount, 301);
    const { body } = await call("GET", path("/config/history", "many"));
    assert.equal(body[0].changes.length, 301);
    assert.deepEqual(Object.keys(body[0]), [
      "version",
      "publishedAt",
      "author",
      "message",
      "changes",
    ]);
  });

  it("401, 403: only who may read or write configuration", async () => {
    const reader = await api().seed.key("acme", "TenantConfiguration.Read");
    const other = await api().seed.key("acme", "Pass.Read");
    assert.equal((await call("GET", path(), { key: reader })).status, 200);
    assert.equal((await call("GET", path(), { key: other })).status, 403);
    assert.equal((await call("GET", path("", "drafted"), { key: reader })).status, 401);
    const patch = { body: { files: { "images/z": "z" } } };
    assert.equal((await call("PATCH", path(), { key: reader, ...patch })).status, 403);
    assert.equal((await call("DELETE", path(), { key: reader })).status, 403);
  });
});

describe("DELETE /api/tenants/:tenantId (tenant.delete)", () => {
  const api = shareApi();

  it("204: keys stop at once, secrets are shredded, a job erases every row and frees the id", async () => {
    const { seed, operatorKey: key } = api();
    await seed.tenant("gone");
    const token = await seed.key("gone", "ApiKey.Read", "Secret.Write");
    await api().put("/api/gone/secrets/A", { key: token, body: { value: "x" } });
    assert.equal((await api().delete("/api/tenants/gone", { key })).status, 204);
    assert.equal((await api().get("/api/gone/admin/apiKeys", { key: token })).status, 401);
    assert.equal((await api().get("/api/gone/admin/apiKeys", { key })).status, 404);
    assert.equal((await api().delete("/api/tenants/gone", { key })).status, 404);

    const tables = await api().sql(
      `select table_name from information_schema.columns
        where table_schema = 'public' and column_name = 'tenant_id'
          and table_name <> 'rate_limit'`,
    );
    let left: string[] = [];
    const count = async () => {
      left = [];
      let total = (await api().sql("select from tenant where id = 'gone'")).length;
      for (const { table_name: table } of tables) {
        const n = (await api().sql(`select from ${table} where tenant_id = 'gone'`)).length;
        if (n > 0) left.push(`${table} ${n}`);
        total += n;
      }
      return total;
    };
    const deadline = Date.now() + 20_000;
    while ((await count()) > 0 && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.equal(await count(), 0, left.join(", "));
    await seed.tenant("gone");
    const [row] = await api().sql(
      "select op from audit where tenant_id = '*' and target = 'tenant:gone' order by at desc",
    );
    assert.equal(row?.op, "tenant.erase");
  });

  it("204: who ended it, from where and by which request stays, for the platform alone", async () => {
    const { seed, operatorKey: key } = api();
    await seed.tenant("ended");
    const headers = { "x-request-id": "the-end-of-it" };
    assert.equal((await api().delete("/api/tenants/ended", { key, headers })).status, 204);
    const query = "filter[0].field=target&filter[0].operator=equals&filter[0].value=tenant:ended";
    type Row = { op: string; tenantId: string | null };
    const trail = async (): Promise<Row[]> =>
      (await api().get(`/api/audit?${query}`, { key })).body;
    for (const deadline = Date.now() + 20_000; ; ) {
      if ((await trail()).some(({ op }) => op === "tenant.erase")) break;
      assert.ok(Date.now() < deadline);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }

    const [deletion, ...others] = (await trail()).filter(({ op }) => op === "tenant.delete");
    assert.deepEqual(others, []);
    assert.partialDeepStrictEqual(deletion, {
      tenantId: null,
      actor: { kind: "operator", id: "operator" },
      requestId: "the-end-of-it",
      ip: "127.0.0.1",
      before: { version: 1 },
    });
    await seed.tenant("ended");
    const own = await api().get("/api/ended/admin/audit", { key });
    assert.deepEqual(
      own.body.map(({ op }: Row) => op),
      ["tenant.put"],
    );
  });
});
