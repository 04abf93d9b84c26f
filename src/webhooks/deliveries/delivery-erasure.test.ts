import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { startApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { createStage } from "#test/support/webhook-stage.ts";

const api = await startApi({ after });
const stage = createStage(api);
const key = api.operatorKey;

describe("what an endpoint answered about someone who was erased", () => {
  it("goes with them; that it answered stays, and so does what it said of others", async (t) => {
    const { receiver, hook } = await stage.open(t, { events: ["customer.*"] });
    receiver.answer(({ raw }) => ({ status: 200, body: raw.toString() }));
    const customers = `/api/${hook.tenantId}/customers`;
    const ids: string[] = [];
    for (const firstName of ["Wilhelmina", "Quetzalcoatl"]) {
      const { body } = await api.post(customers, { key, body: { firstName } });
      ids.push(body.customerId);
    }
    const logged = () =>
      api.sql(
        `select subject, state, attempts from delivery
           join event on event.tenant_id = delivery.tenant_id and event.id = delivery.event_id
          where event.name = 'customer.created' order by delivery.sequence`,
      );
    await until(
      async () => (await logged()).filter(({ state }) => state === "delivered").length === 2,
    );
    const text = async () => JSON.stringify(await logged());
    assert.match(await text(), /Wilhelmina.*Quetzalcoatl/);

    assert.equal((await api.delete(`${customers}/${ids[0]}`, { key })).status, 204);
    assert.doesNotMatch(await text(), /Wilhelmina/);
    assert.match(await text(), /Quetzalcoatl/);
    const [first] = await logged();
    const { body: list } = await stage.get(`${hook.path}/deliveries`);
    const { body: shown } = await stage.get(`${hook.path}/deliveries/${list.at(-1).id}`);
    assert.equal(first?.subject, ids[0]);
    assert.deepEqual([shown.attempts[0].status, shown.attempts[0].response], [200, null]);
  });
});
