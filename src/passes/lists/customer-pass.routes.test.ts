import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { seedCustomer } from "#test/support/factories.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
const key = api.operatorKey;
const CUSTOMERS = "/api/acme/customers";

await seedPassTenant(api, "acme");

async function createCustomer(identifiers: Record<string, string>): Promise<string> {
  return (await seedCustomer(api, "acme", { identifiers })).customerId;
}

const idsOf = (body: { id: string }[]) => body.map(({ id }) => id);

describe("GET /api/:tenantId/customers/:customerId/passes (pass.list-of-customer)", () => {
  it("200: passes that share an identifier, by name and value, each once", async () => {
    const customerId = await createCustomer({ "crm.id": "7", "shop.id": "7" });
    const both = await seedPass(api, "acme", { identifiers: { "crm.id": "7", "shop.id": "7" } });
    const one = await seedPass(api, "acme", { identifiers: { "shop.id": "7" } });
    await seedPass(api, "acme", { identifiers: { "shop.id": "8", "pos.id": "7" } });
    const path = `${CUSTOMERS}/${customerId}/passes`;
    const { status, body, headers } = await api.get(path, { key });
    assert.equal(status, 200);
    assert.deepEqual(idsOf(body), [one.id, both.id]);
    assert.equal(headers.get("x-pagination-total"), "2");

    const page = await api.get(`${path}?pageSize=1`, { key });
    assert.deepEqual(idsOf(page.body), [one.id]);
    const [, next = ""] = /<([^>]+)>/.exec(page.headers.get("link") ?? "") ?? [];
    const rest = await api.get(next.replace(/^https?:\/\/[^/]+/, ""), { key });
    assert.deepEqual(idsOf(rest.body), [both.id]);

    await api.patch(`${CUSTOMERS}/${customerId}`, {
      key,
      body: { identifiers: { "shop.id": null } },
    });
    assert.deepEqual(idsOf((await api.get(path, { key })).body), [both.id]);
  });

  it("200: filtered as any list of passes, and secret for those who may write only", async () => {
    const customerId = await createCustomer({ "crm.id": "9" });
    await seedPass(api, "acme", { identifiers: { "crm.id": "9" } });
    const path = `${CUSTOMERS}/${customerId}/passes`;
    const disabled = "filter[0].field=status&filter[0].operator=equals&filter[0].value=disabled";
    assert.deepEqual((await api.get(`${path}?${disabled}`, { key })).body, []);
    const reader = await api.seed.key("acme", "Pass.Read");
    const { body } = await api.get(path, { key: reader });
    assert.deepEqual([body.length, "secret" in body[0], "links" in body[0]], [1, false, false]);
    assert.ok((await api.get(path, { key })).body[0].links.landing.includes("/p/acme/"));
  });

  it("200: none for a customer without identifiers", async () => {
    const customerId = await createCustomer({});
    const { status, body } = await api.get(`${CUSTOMERS}/${customerId}/passes`, { key });
    assert.deepEqual([status, body], [200, []]);
  });

  it("404: a customer of another tenant, or none", async () => {
    const customerId = await createCustomer({});
    await seedPassTenant(api, "rival");
    for (const path of [`/api/rival/customers/${customerId}`, `${CUSTOMERS}/cus_nobody`]) {
      const { status, body } = await api.get(`${path}/passes`, { key });
      assert.deepEqual([status, body.code], [404, "customer.not-found"]);
    }
  });
});
