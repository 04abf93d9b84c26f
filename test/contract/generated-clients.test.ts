import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { type BuiltClients, buildClients, GENERATOR_NAMES } from "../../tools/openapi/clients.ts";

/** Other people's generators make clients from openapi.json; the clients then call the product. */

const TENANT = "harbour";

const api = await startApi({ after });
await seedPassTenant(api, TENANT);
const key = await api.seed.key(TENANT, "Pass.Read", "Pass.Write", "Webhook.Read", "Webhook.Write");

describe("a client generated from openapi.json", () => {
  let clients: BuiltClients;
  before(async () => {
    clients = await buildClients();
  });
  after(() => clients.remove());

  for (const generator of GENERATOR_NAMES) {
    it(`201, 200, 202, 400, 404: compiles in strict mode and works (${generator})`, async () => {
      const seen = await clients.use(generator, { baseUrl: api.url, key, tenantId: TENANT });

      const { body: pass } = await api.get(`/api/${TENANT}/passes/${seen.created.id}`, { key });
      assert.equal(seen.created.status, "active");
      assert.equal(pass.identifiers["loyalty.number"], `${generator}-1`);
      assert.ok(seen.found.includes(seen.created.id));
      const { body: webhook } = await api.get(`/api/${TENANT}/webhooks/${seen.webhook.id}`, {
        key,
      });
      assert.deepEqual(webhook.events, seen.webhook.events);
      const job = await api.get(`/api/${TENANT}/jobs/${seen.accepted}`, { key });
      assert.equal(job.status, 200);
      assert.deepEqual(seen.refusal, {
        status: 400,
        code: "request.invalid",
        field: "filter[0].value",
      });
      assert.deepEqual(seen.missing, { status: 404, code: "pass.not-found" });
    });
  }
});
