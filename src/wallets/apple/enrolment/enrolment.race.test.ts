import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openAppleStage } from "#test/support/apple-stage.ts";
import { watchDeadlocks } from "#test/support/deadlocks.ts";
import { ANSWER, ENROLMENT_FILES } from "#test/support/enrolment-tenant.ts";
import { holdLock } from "#test/support/hold-lock.ts";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";
import { untilBlocked } from "#test/support/until-blocked.ts";

describe("a holder who signs up while they are erased", () => {
  const api = shareApi();

  it("401: keeps nothing of them, and neither of the two waits for the other in a circle", async (t) => {
    const { tenantId, base, passType, pass: seed } = await openAppleStage(api());
    await seedPassTenant(api(), tenantId, ENROLMENT_FILES);
    const key = api().operatorKey;
    const { id } = await seed();
    const { identifiers } = (await api().get(`/api/${tenantId}/passes/${id}`, { key })).body;
    const customers = `/api/${tenantId}/customers`;
    const made = await api().post(customers, { key, body: { identifiers } });
    assert.equal(made.status, 201, made.text);
    const locked = "select from customer where tenant_id = $1 for update";
    const deadlocks = watchDeadlocks(api());
    const release = await holdLock(t, api(), locked, [tenantId]);
    const erasure = api().delete(`${customers}/${made.body.customerId}?passes=true`, { key });
    await untilBlocked(api());
    const body = { personalizationToken: "token", requiredPersonalizationInfo: ANSWER };
    const answer = api().post(`${base}/passes/${passType}/${id}/personalize`, { body });
    await untilBlocked(api(), 2);

    await release();

    const [erased, answered] = await Promise.all([erasure, answer]);
    assert.deepEqual([erased.status, answered.status], [204, 401], erased.text + answered.text);
    assert.deepEqual((await api().get(customers, { key })).body, []);
    assert.deepEqual((await api().get(`/api/${tenantId}/passes`, { key })).body, []);
    assert.deepEqual(deadlocks(), []);
  });
});
