import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, afterEach, describe, it, type TestContext } from "node:test";
import { known, seedCdpTenant } from "#test/support/cdp-stage.ts";
import { seedPass } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";
import { startVendors } from "#test/support/vendors.ts";
import { until } from "#test/support/webhook-receiver.ts";

const { bloomreach } = await startVendors({ after });
const LIES = [
  "redirect",
  "html",
  "not-json",
  "wrong-json",
  "echo",
  "half",
  "huge",
  "cut",
  "500",
  "502",
] as const;

/** Runs ahead of the real time by as much as a test says. */
let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };

describe("a customer-data platform that lies, floods or leads elsewhere", () => {
  const api = shareApi({ clock });
  afterEach(() => bloomreach.server.setFault(undefined));

  const gallery = async (tenantId: string) => {
    const path = `/api/${tenantId}/admin/extensions`;
    const answer = await api().get(path, { key: api().operatorKey });
    const [cdp] = answer.body.filter(({ name }: { name: string }) => name === "cdp");
    return { problem: cdp.problem as string | null, text: answer.text };
  };
  /** Everything that must be seen nowhere but at the platform. */
  const hiddenOf = (project: { apiKeyId: string; apiKeySecret: string }) => {
    const { apiKeyId, apiKeySecret } = project;
    return [apiKeySecret, Buffer.from(`${apiKeyId}:${apiKeySecret}`).toString("base64")];
  };
  const assertHidden = async (tenantId: string, hidden: readonly string[]) => {
    const isIn = (text: string) => hidden.some((word) => text.includes(word));
    assert.ok(!api().logLines.some(isIn), "the log");
    assert.ok(!isIn((await gallery(tenantId)).text), "the gallery");
    for (const table of ["event", "audit", "connector_feed", "connector_refusal", "job_item"]) {
      const rows = await api().sql(`select ${table}::text as row from ${table}`);
      assert.ok(!rows.some(({ row }) => isIn(String(row))), table);
    }
  };

  it("200: every lie in turn costs the feed no event and no order, and nothing is told elsewhere", async () => {
    const { tenantId, put, project } = await seedCdpTenant(api(), bloomreach);
    await put();
    const before = await api().get(`/api/${tenantId}/admin/extensions/cdp`, {
      key: api().operatorKey,
    });
    const ids: string[] = [];
    for (const kind of LIES) {
      await bloomreach.server.setFault({ kind });
      ids.push((await seedPass(api(), tenantId, known(`${kind}@harbour.example`))).id);
      await until(() => {
        aheadMs += 60_000;
        return bloomreach.server.requests.some(({ fault }) => fault === kind);
      }, `a try with ${kind}`);
      await until(async () => (await gallery(tenantId)).problem !== null, `a problem with ${kind}`);
    }
    const arrived = () =>
      bloomreach.events(project.token).map(({ properties }) => {
        return (properties as { pass_id: string }).pass_id;
      });
    await bloomreach.server.setFault(undefined);
    // What was taken before half an answer came is told a second time.
    await until(async () => {
      aheadMs += 60_000;
      return new Set(arrived()).size >= ids.length;
    }, "all have come");
    assert.deepEqual([...new Set(arrived())], ids);
    await until(async () => (await gallery(tenantId)).problem === null, "all is well");
    assert.ok(!bloomreach.server.requests.some(({ path }) => path.includes("elsewhere")));
    const [{ sentBytes } = { sentBytes: 0 }] = bloomreach.server.requests.filter(
      ({ fault }) => fault === "huge",
    );
    assert.ok(sentBytes < 16 * 1024 * 1024, `the flood was cut off after ${sentBytes} bytes`);
    await assertHidden(tenantId, hiddenOf(project));
    const afterwards = await api().get(`/api/${tenantId}/admin/extensions/cdp`, {
      key: api().operatorKey,
    });
    assert.deepEqual(afterwards.body, before.body);
  });

  it("200: a batch refused with status 200 costs the event that is at fault, and no other", async (t) => {
    const platform = await startFussyPlatform(t, "bad@harbour.example");
    const { tenantId, put, project } = await seedCdpTenant(api(), bloomreach);
    await put({ apiKeySecret: project.apiKeySecret, baseUrl: platform.url });
    const { id: bad } = await seedPass(api(), tenantId, known("bad@harbour.example"));
    const { id: good } = await seedPass(api(), tenantId, known("good@harbour.example"));
    await until(() => {
      aheadMs += 60_000;
      return platform.taken.some((command) => command.includes(good));
    }, "the good one has come");
    const refused = () =>
      api().sql("select reason from connector_refusal where tenant_id = $1", [tenantId]);
    await until(async () => {
      aheadMs += 60_000;
      return (await refused()).length === 1;
    }, "the bad one is set aside");
    assert.match(String((await refused())[0]?.reason), /not acceptable/);
    assert.ok(!platform.taken.some((command) => command.includes(bad)));
    assert.match(String((await gallery(tenantId)).problem), /^One event was refused/);
  });

  it("400: settings are not saved by what a liar says, and its words are not repeated", async () => {
    const { tenantId, settings, project, key } = await seedCdpTenant(api(), bloomreach);
    const { apiKeySecret } = project;
    const path = `/api/${tenantId}/admin/extensions/cdp`;
    for (const kind of ["echo", "half", "502", "503", "refuse"] as const) {
      await bloomreach.server.setFault({ kind });
      const { status, text } = await api().put(path, { key, body: { ...settings, apiKeySecret } });
      assert.equal(status, 400, `${kind} ${text}`);
      for (const word of hiddenOf(project)) assert.ok(!text.includes(word), kind);
      assert.equal((await api().get(path, { key })).status, 404, kind);
    }
    await assertHidden(tenantId, hiddenOf(project));
  });

  it("200: an attribute that is too much, too deep or cannot be stored stays away from passes", async () => {
    const cache = { customer: { ttlSeconds: 3_600, attributes: ["first_name"] } };
    const { tenantId, put, project, key } = await seedCdpTenant(api(), bloomreach, {}, cache);
    await put();
    let deep: object = {};
    for (let level = 0; level < 30; level += 1) deep = { deep };
    const values = { heavy: "x".repeat(150_000), deep, nul: "\u0000", half: "\ud800" };
    for (const [name, first_name] of Object.entries(values)) {
      const registered = `${name}@harbour.example`;
      bloomreach.putCustomer({
        project: project.token,
        customer_ids: { registered },
        properties: { first_name },
      });
      const { id } = await seedPass(api(), tenantId, known(registered));
      const asked = () =>
        bloomreach.server.requests.filter(({ body }) => body.includes(registered)).length;
      await until(async () => asked() >= 2, `the new pass was looked at: ${name}`);
      const options = { UpdateMetadata: true, BypassQueue: true };
      const { body } = await api().patch(`/api/${tenantId}/passes/${id}`, {
        key,
        body: { options },
      });
      assert.deepEqual(body.metadata, {}, name);
      assert.match(body.metadataFailures[0].message, /^Source 'cdp' delivered /, name);
    }
  });

  it("200: an id of more digits than a double holds keeps them on the pass", async () => {
    const cache = { customer: { ttlSeconds: 0, attributes: ["first_name"] } };
    const { tenantId, put, project, key } = await seedCdpTenant(api(), bloomreach, {}, cache);
    await put();
    const registered = "digits@harbour.example";
    const first_name = "706405506930370084";
    bloomreach.putCustomer({
      project: project.token,
      customer_ids: { registered },
      properties: { first_name },
    });
    const { id } = await seedPass(api(), tenantId, known(registered));
    const options = { UpdateMetadata: true, BypassQueue: true };
    const path = `/api/${tenantId}/passes/${id}`;
    const { body } = await api().patch(path, { key, body: { options } });
    assert.equal(body.metadata.cdp.first_name, first_name);
  });
});

/** Refuses every batch that names somebody as a whole, with status 200. */
async function startFussyPlatform(t: TestContext, disliked: string) {
  const taken: string[] = [];
  const answerTo = (body: string): object => {
    if (body.includes(disliked)) return { success: false, errors: ["Event is not acceptable"] };
    const { commands = [] } = body === "" ? {} : JSON.parse(body);
    for (const command of commands) taken.push(JSON.stringify(command));
    return { success: true, results: commands.map(() => ({ success: true })) };
  };
  const server = createServer(async (request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answerTo(await text(request))));
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, taken };
}
