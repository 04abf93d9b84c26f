import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { known, seedCdpTenant } from "#test/support/cdp-stage.ts";
import { seedPass } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";
import { startVendors } from "#test/support/vendors.ts";
import { until } from "#test/support/webhook-receiver.ts";

const { bloomreach } = await startVendors({ after });
const NOW = { UpdateMetadata: true, BypassQueue: true };

describe("attributes of customers on their passes", () => {
  const api = shareApi();

  const patch = (tenantId: string, id: string, options: object = NOW) =>
    api().patch(`/api/${tenantId}/passes/${id}`, { key: api().operatorKey, body: { options } });
  const read = async (tenantId: string, id: string) =>
    (await api().get(`/api/${tenantId}/passes/${id}`, { key: api().operatorKey })).body;
  const asked = () => bloomreach.server.requests.filter(({ path }) => path.endsWith("attributes"));

  it("200: UpdateMetadata reads them, and the pass shows them", async () => {
    const { tenantId, put, project } = await seedCdpTenant(api(), bloomreach);
    await put();
    const ids = { registered: "ada@harbour.example" };
    const properties = { first_name: "Ada", language: "fr", salary: 1 };
    bloomreach.putCustomer({ project: project.token, customer_ids: ids, properties });
    const { id } = await seedPass(api(), tenantId, known(ids.registered));
    const shown = async () =>
      (await api().get(`/api/${tenantId}/passes/${id}/content`, { key: api().operatorKey })).text;
    assert.match(await shown(), /Camille/);
    const { status, body, text } = await patch(tenantId, id);
    assert.equal(status, 200, text);
    assert.deepEqual(body.metadata, { cdp: { first_name: "Ada", language: "fr" } });
    assert.match(await shown(), /Ada/);
    bloomreach.putCustomer({
      project: project.token,
      customer_ids: ids,
      properties: { first_name: "Adele" },
    });
    assert.equal((await patch(tenantId, id)).body.metadata.cdp.first_name, "Adele");
  });

  it("200: segments and consents have the names that the settings give them", async () => {
    const attributes = [
      "tier",
      { type: "segmentation", id: "seg-1", as: "segment" },
      { type: "consent", id: "newsletter", as: "mail" },
      { type: "id", id: "registered", as: "who" },
    ];
    const cache = { customer: { ttlSeconds: 0, attributes } };
    const { tenantId, put, project } = await seedCdpTenant(api(), bloomreach, {}, cache);
    await put();
    bloomreach.putCustomer({
      project: project.token,
      customer_ids: { registered: "bo@harbour.example" },
      properties: { tier: "gold" },
      computed: { "seg-1": "regulars" },
      consents: { newsletter: true },
    });
    const { id } = await seedPass(api(), tenantId, known("bo@harbour.example"));
    const { body } = await patch(tenantId, id);
    const cdp = { tier: "gold", segment: "regulars", mail: true, who: "bo@harbour.example" };
    assert.deepEqual(body.metadata, { cdp });
  });

  it("200: who is unknown there, or has no identifier of theirs, stays as before", async () => {
    const { tenantId, put } = await seedCdpTenant(api(), bloomreach);
    await put();
    for (const more of [{}, known("nobody@harbour.example")]) {
      const { id } = await seedPass(api(), tenantId, more);
      const { body } = await patch(tenantId, id);
      // The event of the pass may have made the customer known there by now, without attributes.
      assert.deepEqual([body.metadata.cdp ?? {}, body.metadataFailures ?? []], [{}, []]);
    }
  });

  it("200: a platform that fails is told for the pass, and the earlier answer stays", async (t) => {
    const { tenantId, put, project } = await seedCdpTenant(api(), bloomreach);
    await put();
    t.after(() => bloomreach.server.setFault(undefined));
    const ids = { registered: "cy@harbour.example" };
    bloomreach.putCustomer({
      project: project.token,
      customer_ids: ids,
      properties: { first_name: "Cy" },
    });
    const { id } = await seedPass(api(), tenantId, known(ids.registered));
    await patch(tenantId, id);
    for (const [kind, problem] of [
      ["500", "Source 'cdp' answered with status 500."],
      ["429", "Source 'cdp' takes no more requests at the moment."],
      ["wrong-json", "Source 'cdp' gave an answer that cannot be read."],
      ["cut", "Source 'cdp' could not be reached."],
    ] as const) {
      await bloomreach.server.setFault({ kind });
      const { body } = await patch(tenantId, id);
      assert.deepEqual(body.metadataFailures, [{ source: "cdp", message: problem }], kind);
      assert.equal(body.metadata.cdp.first_name, "Cy");
    }
  });

  it("a new pass gets them by itself, and others of the same customer from the cache", async () => {
    const cache = { customer: { ttlSeconds: 3_600, attributes: ["first_name"] } };
    const { tenantId, put, project } = await seedCdpTenant(api(), bloomreach, {}, cache);
    await put();
    const ids = { registered: "di@harbour.example" };
    bloomreach.putCustomer({
      project: project.token,
      customer_ids: ids,
      properties: { first_name: "Di" },
    });
    const has = async (id: string) => (await read(tenantId, id)).metadata.cdp?.first_name === "Di";
    const first = await seedPass(api(), tenantId, known(ids.registered));
    await until(() => has(first.id), "the first has them");
    const before = asked().length;
    const second = await seedPass(api(), tenantId, known(ids.registered));
    await until(() => has(second.id), "the second has them");
    assert.equal(asked().length, before, "the cache was enough");
    await patch(tenantId, second.id);
    assert.equal(asked().length, before + 1, "UpdateMetadata does not use it");
  });
});
