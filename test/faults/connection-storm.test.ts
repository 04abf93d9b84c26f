import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, describe, it } from "node:test";
import type { ApiResponse } from "#test/support/client.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { shareApi, type TestApi } from "#test/support/start-api.ts";

const CONNECTIONS = 10;
const CROWD = 60;

function once(): { readonly "idempotency-key": string } {
  return { "idempotency-key": randomUUID() };
}

function statusesOf(answers: readonly ApiResponse[]): Record<string, number> {
  const groups = Map.groupBy(answers, ({ status }) => String(status));
  return Object.fromEntries([...groups].map(([status, all]) => [status, all.length]));
}

describe("more requests with an Idempotency-Key at once than there are connections", () => {
  const api = shareApi({ env: { DATABASE_POOL_SIZE: String(CONNECTIONS) } });
  const key = () => api().operatorKey;
  before(() => seedPassTenant(api(), "acme"));

  const create = (node: TestApi, tenantId: string, number: string, more = "") =>
    node.post(`/api/${tenantId}/passes?passType=loyalty${more}`, {
      key: key(),
      headers: once(),
      body: { identifiers: { "loyalty.number": number }, additionalData: { firstName: "Camille" } },
    });

  it("201: passes are made in a tenant of which the process has heard nothing yet", async () => {
    // A new node has no tenant, key or template in its caches.
    const node = await api().node();
    const sent = Array.from({ length: CROWD }, () => create(node, "acme", randomUUID()));
    assert.deepEqual(statusesOf(await Promise.all(sent)), { 201: CROWD });
  });

  it("200: passes that are there already are changed, each in its turn", async () => {
    await seedPass(api(), "acme", { identifiers: { "loyalty.number": "the-same" } });
    const sent = Array.from({ length: CROWD }, () =>
      create(api(), "acme", "the-same", "&onConflict=update"),
    );
    assert.deepEqual(statusesOf(await Promise.all(sent)), { 200: CROWD });
  });

  it("200 or 409: configurations are rolled back, and nobody is turned away", async () => {
    const sent = Array.from({ length: 30 }, () =>
      api().post("/api/tenants/acme/config/rollback", {
        key: key(),
        headers: once(),
        body: { version: 1 },
      }),
    );
    const answers = await Promise.all(sent);
    for (const { status, text } of answers) assert.ok([200, 409].includes(status), text);
  });

  it("409: a second request with the key of one that still gets ready", async () => {
    const headers = once();
    const rollBack = () =>
      api().post("/api/tenants/acme/config/rollback", {
        key: key(),
        headers,
        body: { version: 1, message: headers["idempotency-key"] },
      });
    const answers = await Promise.all([rollBack(), rollBack()]);
    assert.deepEqual(statusesOf(answers), { 200: 1, 409: 1 });
    const [refused] = answers.filter(({ status }) => status === 409);
    assert.equal(refused?.body.code, "idempotency.still-running");
  });
});
