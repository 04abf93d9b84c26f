import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, describe, it, type TestContext } from "node:test";
import pg from "pg";
import { known, seedCdpTenant } from "#test/support/cdp-stage.ts";
import { seedPass } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";
import { untilBlocked } from "#test/support/until-blocked.ts";
import { startVendors } from "#test/support/vendors.ts";
import { until } from "#test/support/webhook-receiver.ts";
import type { RefusedEvent } from "./refusal.schema.ts";

const { bloomreach } = await startVendors({ after });
const NAME = "Wilhelmina";

/** Runs ahead of the real time by as much as a test says. */
let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };

/** Refuses every event, and says whose it is; `before` says when. */
async function startTalkativePlatform(t: TestContext) {
  const platform = { batches: 0, before: async () => {} };
  const answerTo = async (body: string): Promise<object> => {
    const { commands } = body === "" ? {} : JSON.parse(body);
    if (commands === undefined) return { success: true };
    platform.batches += 1;
    await platform.before();
    const results = commands.map(() => ({ success: false, errors: [`${NAME} is not welcome`] }));
    return { success: true, results };
  };
  const server = createServer(async (request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(await answerTo(await text(request))));
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(platform, { url: `http://127.0.0.1:${port}` });
}

describe("what a vendor says of a refused event about someone who is erased", () => {
  const api = shareApi({ clock });

  async function open(t: TestContext) {
    const platform = await startTalkativePlatform(t);
    const { tenantId, put, project, key } = await seedCdpTenant(api(), bloomreach);
    await put({ apiKeySecret: project.apiKeySecret, baseUrl: platform.url });
    const path = `/api/${tenantId}/admin/extensions/cdp/refused-events`;
    const list = async () => (await api().get(path, { key })).body as RefusedEvent[];
    const stored = async () => {
      const texts: string[] = [];
      for (const table of ["connector_refusal", "connector_feed"]) {
        const rows = await api().sql(
          `select ${table}::text as row from ${table} where tenant_id = $1`,
          [tenantId],
        );
        texts.push(...rows.map(({ row }) => String(row)));
      }
      return texts.join("\n");
    };
    /** Lets the time pass until so many tries have been made. */
    const tried = (batches: number) =>
      until(() => {
        aheadMs += 15_000;
        return platform.batches >= batches;
      }, `try ${batches}`);
    const setAside = () => until(async () => (await list()).length > 0, "set aside");
    const erase = async (id: string) => {
      const { status, text: body } = await api().delete(`/api/${tenantId}/passes/${id}`, { key });
      assert.equal(status, 204, body);
    };
    const replay = async () => {
      const [refused] = await list();
      const { status } = await api().post(`${path}/${refused?.eventId}/replay`, { key });
      assert.equal(status, 202);
    };
    return { tenantId, platform, list, stored, tried, setAside, erase, replay };
  }

  it("is in no other place than the list, and goes from there with the pass", async (t) => {
    const { tenantId, list, stored, tried, setAside, erase } = await open(t);
    const { id } = await seedPass(api(), tenantId, known("a@harbour.example"));
    await tried(1);
    await until(async () => (await stored()).includes("will be sent again"), "it waits");
    assert.ok(!(await stored()).includes(NAME), "the problem of the feed");
    await tried(3);
    await setAside();
    assert.match(String((await list())[0]?.reason), new RegExp(NAME));
    await erase(id);
    const [refused, ...others] = await list();
    assert.deepEqual(others, []);
    assert.deepEqual([refused?.event, refused?.isWaiting], ["pass.created", false]);
    assert.match(String(refused?.reason), /nothing left to tell/);
    assert.ok(!(await stored()).includes(NAME));
  });

  it("is not stored when the pass was erased while the vendor answered", async (t) => {
    const { tenantId, platform, stored, tried, setAside, erase } = await open(t);
    const { id } = await seedPass(api(), tenantId, known("b@harbour.example"));
    await tried(2);
    platform.before = () => erase(id);
    await tried(3);
    await setAside();
    assert.ok(!(await stored()).includes(NAME));
  });

  it("is not stored when the erasure is not committed yet, also of one that is sent again", async (t) => {
    const { tenantId, platform, stored, tried, setAside, erase, replay } = await open(t);
    const { id } = await seedPass(api(), tenantId, known("c@harbour.example"));
    await tried(3);
    await setAside();
    const client = new pg.Client(api().database.connection);
    await client.connect();
    t.after(() => client.end());
    let erasure: Promise<void> | undefined;
    platform.before = async () => {
      // An erasure writes to the audit log last.
      await client.query("begin; lock table audit in share mode");
      erasure = erase(id);
      await untilBlocked(api());
    };
    await replay();
    await until(() => erasure !== undefined, "it is sent again");
    await Promise.race([until(() => refusedAgain(tenantId)), untilBlocked(api(), 2)]);
    await client.query("commit");
    await erasure;
    await until(() => refusedAgain(tenantId), "it is refused once more");
    assert.ok(!(await stored()).includes(NAME));
  });

  const refusedAgain = async (tenantId: string) => {
    const rows = await api().sql("select again from connector_refusal where tenant_id = $1", [
      tenantId,
    ]);
    return rows.length === 1 && rows[0]?.again === false;
  };
});
