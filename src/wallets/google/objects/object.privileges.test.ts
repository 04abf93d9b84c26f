import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { startGoogleFixture } from "#test/support/google-fixture.ts";
import { ISSUER_ID, seedGoogleTenant } from "#test/support/google-stand-in.ts";

const { google, api, savedPass, objectOf, settled } = await startGoogleFixture({ after });
const key = api.operatorKey;

async function passWithLayout(tenantId: string, layout: string) {
  await seedGoogleTenant(api, tenantId, { "layouts/loyalty.google.yml": layout });
  const id = await savedPass(tenantId);
  return {
    name: () => objectOf(id).accountName,
    calls: () => google.callsTo(`${ISSUER_ID}.${id}`).length,
    /** Moves the points, and waits until Google has the newest value. */
    async move(...values: number[]): Promise<void> {
      const path = `/api/${tenantId}/passes/${id}/privileges/points/movements`;
      for (const value of values) await api.post(path, { key, body: { value } });
      await settled(id);
    },
  };
}

describe("a pass at Google", () => {
  it("follows the movements of a privilege that it shows, several of them by one call", async () => {
    const layout = 'object: { accountName: "{{ privileges.points.value }} points" }\n';
    const pass = await passWithLayout("acme", layout);
    assert.equal(pass.name(), "0 points");
    const before = pass.calls();
    await pass.move(5, 1.5);
    assert.equal(pass.name(), "6.5 points");
    assert.ok(pass.calls() - before <= 2);
  });

  it("is left alone if it shows no privilege", async () => {
    const pass = await passWithLayout("plain", 'object: { accountName: "{{ data.firstName }}" }\n');
    const before = pass.calls();
    await pass.move(5);
    assert.equal(pass.calls(), before);
  });
});
