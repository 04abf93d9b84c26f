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
      "import.cancel",
      "import.create",
      "inbox.replay",
      "pass.notify",
      "pass.update",
      "pass.update-many",
      "refused-event.replay",
      "task.run",
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
      // Deliveries, executions and imports need no job: they have their own state and end.
      const { jobId, executionId, importId } = sent.body ?? {};
      const own: Readonly<Record<string, string>> = {
        "delivery.redeliver": `webhooks/${given.id}/deliveries/${given.deliveryId}`,
        "task.run": `scheduler/${given.taskId}/executions/${executionId}`,
        "import.create": `admin/imports/${importId}`,
        "import.cancel": `admin/imports/${importId}`,
        "inbox.replay": `admin/extensions/shopify/inbox/${given.inboxDeliveryId}`,
        "refused-event.replay": "admin/extensions/cdp/refused-events",
      };
      assert.equal(location, `/api/${TENANT}/${own[operation.op] ?? `jobs/${jobId}`}`);
      // An event that the vendor takes leaves the list of refused ones: no address is its own.
      if (Array.isArray(found.body)) return;
      const { id = found.body.executionId ?? found.body.importId ?? found.body.deliveryId } =
        found.body;
      const meant = given.deliveryId ?? given.inboxDeliveryId;
      assert.equal(id, jobId ?? executionId ?? importId ?? meant);
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
