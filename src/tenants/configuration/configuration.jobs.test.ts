import assert from "node:assert/strict";
import { describe, it } from "node:test";
import pg from "pg";
import { systemCall } from "#kernel/call.ts";
import { shareApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { purgeFileContents } from "./configuration.jobs.ts";

const SETTINGS = "name: Acme\n";

describe("configuration.purge", () => {
  const api = shareApi();
  const send = (method: string, rest: string, files?: object) =>
    api().request(method, `/api/tenants/${rest}`, {
      key: api().operatorKey,
      ...(files === undefined ? {} : { body: { files } }),
    });
  const purge = () => {
    const context = systemCall(api().runtime, purgeFileContents.name);
    return purgeFileContents.run(context, {}, new AbortController().signal);
  };
  const contentsOf = async (tenantId: string) => {
    const rows = await api().sql(
      `select convert_from(content, 'UTF8') as text from file_content
        where tenant_id = $1 order by content`,
      [tenantId],
    );
    return rows.map(({ text }) => text);
  };
  /** Leaves a content behind that neither a version nor a draft uses. */
  const seedOrphan = async (tenantId: string, text: string) => {
    await send("PUT", tenantId, { "tenant.yml": SETTINGS });
    await send("PATCH", `${tenantId}?publish=false`, { "images/a": text });
    assert.equal((await send("DELETE", `${tenantId}/draft`)).status, 204);
  };

  it("deletes what no version and no draft uses, and nothing else", async () => {
    await seedOrphan("acme", "unused");
    await send("PATCH", "acme?publish=false", { "images/b": "in the draft" });
    await purge();
    assert.deepEqual(await contentsOf("acme"), ["in the draft", SETTINGS]);
  });

  it("leaves a content that a version begins to use meanwhile, and deletes the others", async (t) => {
    await seedOrphan("reused", "used again");
    await seedOrphan("other", "unused");
    // The purge waits here when it has seen which contents are unused and has locked none.
    await api().sql(`
      create function pause() returns boolean language plpgsql as $$
      begin
        if current_setting('app.tenant', true) = '*' then
          perform pg_advisory_xact_lock_shared(7);
        end if;
        return true;
      end $$`);
    await api().sql(
      "create policy pause on file_content as restrictive for select using (pause())",
    );
    const holder = new pg.Client(api().database.connection);
    await holder.connect();
    t.after(() => holder.end());
    await holder.query("select pg_advisory_lock(7)");
    const purging = purge();
    const waiting = `
      select from pg_locks
       where locktype = 'advisory' and objid = 7 and not granted
         and database = (select oid from pg_database where datname = current_database())`;
    await until(async () => (await api().sql(waiting)).length > 0);
    assert.equal((await send("PATCH", "reused", { "images/a": "used again" })).status, 200);
    await holder.query("select pg_advisory_unlock(7)");
    await purging;
    assert.deepEqual(await contentsOf("reused"), [SETTINGS, "used again"]);
    assert.deepEqual(await contentsOf("other"), [SETTINGS]);
  });
});
