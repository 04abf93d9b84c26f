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
