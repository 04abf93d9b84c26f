import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { addressOf, makeParameters, readOperations } from "#test/support/operations.ts";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

/**
 * Operations that answer 202 and go on in the background. All such operations of the served
 * document are tested.
 */

const TENANT = "harbour";
const api = await startApi({ after });
await seedPassTenant(api, TENANT);
const key = api.operatorKey;
const { body: document } = await api.get("/openapi.json");
const operations = (await readOperations(api)).filter(
  ({ path, method }) => document.paths[path][method.toLowerCase()].responses["202"] !== undefined,
);

describe("202", () => {
  it("is answered by the operations that accept work", () => {
    assert.deepEqual(operations.map(({ op }) => op).sort(), [
      "delivery.redeliver",
      "pass.notify",
      "pass.update",
      "pass.update-many",
      "webhook.recover",
    ]);
  });

  for (const operation of operations) {
    it(`202: Location leads to how far it is (${operation.op})`, async () => {
      const { responses } = document.paths[operation.path][operation.method.toLowerCase()];
      assert.ok("Location" in responses["202"].headers);
      const given = await makeParameters(api, operation, TENANT, "q");
      const sent = await api.request(operation.method, addressOf(operation, given), {
        key,
        ...(operation.hasBody ? { body: operation.markedBody("q") } : {}),
      });
      assert.equal(sent.status, 202, sent.text);
      const location = sent.headers.get("location") ?? "";
      const found = await api.get(location, { key });
      assert.equal(found.status, 200, `${location}: ${found.text}`);
      // A delivery needs no job: it has its own state, attempts and end.
      const expected =
        operation.op === "delivery.redeliver"
          ? `/api/${TENANT}/webhooks/${given.id}/deliveries/${given.deliveryId}`
          : `/api/${TENANT}/jobs/${sent.body.jobId}`;
      assert.equal(location, expected);
      assert.equal(found.body.id, sent.body.jobId ?? given.deliveryId);
    });
  }

  it("200: an update that is made at once has no job and no Location", async () => {
    const passes = `/api/${TENANT}/passes`;
    const { body: made } = await api.post(`${passes}?passType=coupon`, { key, body: {} });
    const body = { additionalData: { offer: "soup" }, options: { BypassQueue: true } };
    const { status, headers } = await api.patch(`${passes}/${made.id}`, { key, body });
    assert.equal(status, 200);
    assert.equal(headers.get("location"), null);
  });
});
