import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import pg from "pg";
import { systemCall } from "#kernel/call.ts";
import { SET_BYTES_MAX } from "#src/files/public.ts";
import { shareApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { holdFiles } from "./configuration.room.ts";

const FILES = { "tenant.yml": "name: Acme\n" };

describe("a large draft", () => {
  const api = shareApi();

  it("200: lets nobody wait who downloads the version in force (tenant.get)", async (t) => {
    const [key, path] = [api().operatorKey, "/api/tenants/roomy"];
    const base64 = Buffer.alloc(3 * 1024 * 1024, 7).toString("base64");
    await api().put(path, { key, body: { files: FILES } });
    const files = { ...FILES, "images/a": { base64 } };
    const drafted = await api().put(`${path}?publish=false`, { key, body: { files } });
    assert.equal(drafted.status, 200, drafted.text);
    // Whoever needs memory for more files than usual now waits until the end of the test.
    const { promise, resolve } = Promise.withResolvers<void>();
    const other = systemCall(api().runtime, "tenant.get", { tenantId: "other" });
    const holding = holdFiles(other, SET_BYTES_MAX, () => promise);
    t.after(async () => {
      resolve();
      await holding;
    });
    const headers = { accept: "application/json" };
    for (const rest of ["", "?version=1"]) {
      const got = await api().get(`${path}${rest}`, { key, headers });
      assert.deepEqual([got.status, got.body.files], [200, FILES], rest);
    }
  });
});

describe("a draft that is what is in force already", () => {
  const api = shareApi();
  const call = (method: string, rest: string, body?: object) =>
    api().request(method, `/api/tenants/${rest}`, {
      key: api().operatorKey,
      headers: { accept: "application/json" },
      ...(body === undefined ? {} : { body }),
    });
  const seedDraft = async (tenantId: string) => {
    await call("PUT", tenantId, { files: FILES });
    await call("PUT", `${tenantId}?publish=false`, { files: FILES });
  };

  /** A transaction beside the product, rolled back when the test ends before its commit. */
  async function openTransaction(t: TestContext): Promise<pg.Client> {
    const client = new pg.Client(api().database.connection);
    await client.connect();
    t.after(() => client.end());
    await client.query("set app.tenant = '*'");
    await client.query("begin");
    return client;
  }

  it("200: is gone once published, and the audit trail says so (tenant.publish)", async () => {
    await seedDraft("same");
    const sent = await call("POST", "same/publish", {});
    assert.deepEqual([sent.status, sent.body.version, sent.body.changes], [200, 1, []]);
    assert.equal((await call("GET", "same?draft=true")).status, 404);
    const audits = await api().sql(
      "select target, before, after from audit where tenant_id = 'same' and op = 'tenant.publish'",
    );
    assert.deepEqual(audits, [
      {
        target: "tenant:same",
        before: { draft: true },
        after: { version: 1, changes: [], changeCount: 0, message: null },
      },
    ]);
  });

  it("409: stays when another version is published meanwhile", async (t) => {
    await seedDraft("overtaken");
    const other = await openTransaction(t);
    await other.query("update tenant set version = 2 where id = 'overtaken'");
    let isAnswered = false;
    const sending = call("POST", "overtaken/publish", {}).finally(() => {
      isAnswered = true;
    });
    // The publication has read version 1 and now waits for the one that is about to commit.
    const waiting =
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await until(async () => isAnswered || (await api().sql(waiting)).length > 0);
    await other.query("commit");
    const sent = await sending;
    assert.deepEqual([sent.status, sent.body.code], [409, "configuration.changed-meanwhile"]);
    assert.equal((await call("GET", "overtaken?draft=true")).status, 200);
  });
});

describe("the ETag of a draft", () => {
  const api = shareApi();
  const call = (method: string, rest: string, headers = {}, body?: object) =>
    api().request(method, `/api/tenants/${rest}`, {
      key: api().operatorKey,
      headers: { accept: "application/json", ...headers },
      ...(body === undefined ? {} : { body }),
    });
  const write = (tenantId: string, text: string, headers = {}) =>
    call("PATCH", `${tenantId}?publish=false`, headers, { files: { "branding/x.txt": text } });
  const tagOf = async (tenantId: string) =>
    (await call("GET", `${tenantId}?draft=true`)).headers.get("etag") ?? "";

  it("is another one after each change, so nobody keeps an old draft (tenant.get)", async () => {
    await call("PUT", "tagged", {}, { files: FILES });
    await write("tagged", "one");
    const first = await tagOf("tagged");
    const known = (tag: string) => call("GET", "tagged?draft=true", { "if-none-match": tag });
    assert.equal((await known(first)).status, 304);
    await write("tagged", "two");
    const changed = await known(first);
    assert.deepEqual([changed.status, changed.body.files["branding/x.txt"]], [200, "two"]);
    await call("DELETE", "tagged/draft");
    await write("tagged", "three");
    assert.equal((await known(first)).status, 200);
  });

  const replace = (tenantId: string, text: string, headers = {}) =>
    call("PUT", `${tenantId}?publish=false`, headers, {
      files: { ...FILES, "branding/x.txt": text },
    });

  it("412: the version that it is made from does not name it, so no draft of others is lost", async () => {
    await call("PUT", "two-people", {}, { files: FILES });
    const version = { "if-match": '"1"' };
    // Both have read version 1.
    const first = await replace("two-people", "of the first", version);
    assert.equal(first.status, 200, first.text);
    for (const late of [
      await replace("two-people", "of the second", version),
      await write("two-people", "of the second", version),
      await call("POST", "two-people/publish", version, {}),
      await call("DELETE", "two-people/draft", version),
    ]) {
      assert.deepEqual(
        [late.status, late.body.code],
        [412, "request.precondition-failed"],
        late.text,
      );
    }
    const { body } = await call("GET", "two-people?draft=true");
    assert.equal(body.files["branding/x.txt"], "of the first");
    // What is published directly replaces the version and no draft.
    const files = { "branding/y.txt": "other" };
    const published = await call("PATCH", "two-people", version, { files });
    assert.deepEqual([published.status, published.body.version], [200, 2]);
  });

  it("412: If-None-Match excludes the draft, and the version in force where there is none", async () => {
    await call("PUT", "excluded", {}, { files: FILES });
    assert.equal((await replace("excluded", "one", { "if-none-match": '"1"' })).status, 412);
    assert.equal((await replace("excluded", "one")).status, 200);
    const tag = await tagOf("excluded");
    for (const known of [tag, `"9", ${tag}`, "*"]) {
      const headers = { "if-none-match": known };
      assert.equal((await replace("excluded", "two", headers)).status, 412, known);
      assert.equal((await call("DELETE", "excluded/draft", headers)).status, 412, known);
    }
    assert.equal((await replace("excluded", "two", { "if-none-match": '"1"' })).status, 200);
  });

  it("412: another one than that of the draft that is changed, published or discarded", async () => {
    await call("PUT", "guarded", {}, { files: FILES });
    await write("guarded", "one", { "if-match": '"1"' });
    const first = await tagOf("guarded");
    const second = await write("guarded", "two", { "if-match": first });
    assert.deepEqual([second.status, second.headers.get("etag")], [200, await tagOf("guarded")]);
    const late = { "if-match": first };
    assert.equal((await write("guarded", "three", late)).status, 412);
    assert.equal((await call("POST", "guarded/publish", late, {})).status, 412);
    assert.equal((await call("DELETE", "guarded/draft", late)).status, 412);
    assert.equal((await write("guarded", "three", { "if-match": "*" })).status, 200);
    const third = await tagOf("guarded");
    const published = await call("POST", "guarded/publish", { "if-match": third }, {});
    assert.deepEqual([published.status, published.body.version], [200, 2]);
    await write("guarded", "four");
    const fourth = await tagOf("guarded");
    assert.equal((await call("DELETE", "guarded/draft", { "if-match": fourth })).status, 204);
  });
});
