import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import {
  askForLink,
  ISSUER_ID,
  seedGoogleTenant,
  startGoogle,
} from "#test/support/google-stand-in.ts";
import { seedPass } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";

const google = await startGoogle({ after });
const api = await startApi({ after }, { env: { GOOGLE_WALLET_URL: google.url } });
const key = api.operatorKey;

async function savedPass(tenantId: string, layout: string) {
  await seedGoogleTenant(api, tenantId, { "layouts/loyalty.google.yml": layout });
  const { id } = await seedPass(api, tenantId);
  assert.equal((await askForLink(api, tenantId, id)).status, 200);
  const objectId = `${ISSUER_ID}.${id}`;
  return {
    name: () => google.resource("loyaltyObject", objectId).accountName,
    calls: () => google.callsTo(objectId).length,
    /** Moves the points, and waits until nothing is left to tell Google. */
    async move(...values: number[]): Promise<void> {
      const path = `/api/${tenantId}/passes/${id}/privileges/points/movements`;
      for (const value of values) await api.post(path, { key, body: { value } });
      await until(async () => {
        const [row] = await api.sql("select state from google_object where pass_id = $1", [id]);
        return row?.state === "sent";
      });
    },
  };
}

describe("a pass at Google", () => {
  it("follows the movements of a privilege that it shows, several of them by one call", async () => {
    const layout = 'object: { accountName: "{{ privileges.points.value }} points" }\n';
    const pass = await savedPass("acme", layout);
    assert.equal(pass.name(), "0 points");
    const before = pass.calls();
    await pass.move(5, 1.5);
    assert.equal(pass.name(), "6.5 points");
    assert.ok(pass.calls() - before <= 2);
  });

  it("is left alone if it shows no privilege", async () => {
    const pass = await savedPass("plain", 'object: { accountName: "{{ data.firstName }}" }\n');
    const before = pass.calls();
    await pass.move(5);
    assert.equal(pass.calls(), before);
  });
});
