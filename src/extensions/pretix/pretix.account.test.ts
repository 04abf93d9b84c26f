import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { shareApi } from "#test/support/start-api.ts";
import { openPretix, startTicketVendors } from "#test/support/ticket-stage.ts";

let count = 0;
const nextTenant = () => {
  count += 1;
  return `moved-${count}`;
};

describe("settings that lead to another pretix", () => {
  const api = shareApi();
  const key = () => api().operatorKey;
  const rowsOf = (table: string, tenantId: string) =>
    api().sql(`select from ${table} where tenant_id = $1`, [tenantId]);

  /** A tenant that moves from one to the other, and whose first tickets have the same ids in both. */
  async function open(t: TestContext) {
    // Two that count alike, as a pretix for tests and the real one do.
    const owner = { after: (undo: () => Promise<void>) => t.after(undo) };
    const trial = await startTicketVendors(owner);
    const real = await startTicketVendors(owner);
    const stage = await openPretix(api(), trial, nextTenant());
    const { pretix } = real.vendors;
    const token = `real-of-${stage.tenantId}`;
    pretix.createOrganizer({ slug: stage.tenantId, token });
    const event = { organizer: stage.tenantId, name: "Regatta", items: ["Deck"] };
    pretix.createEvent({ slug: stage.event, ...event });
    real.lead(api(), stage.webhookUrl);
    pretix.createWebhook({ organizer: stage.tenantId, target_url: stage.webhookUrl });
    const sellThere = (attendee_name: string) =>
      pretix.placeOrder({
        organizer: stage.tenantId,
        event: stage.event,
        positions: [{ attendee_name }],
      });
    const settled = async () => {
      await real.vendors.idle();
      await stage.settled();
    };
    const move = () => stage.put({ baseUrl: pretix.url, apiToken: token });
    return { ...stage, real: pretix, sellThere, settled, move };
  }

  it("nobody's phone shows the ticket of somebody else with the same id", async (t) => {
    const stage = await open(t);
    const ada = stage.sell(["Ada"]);
    await stage.settled();
    await stage.catchUp();
    const [pass] = await stage.passes();
    const phone = await stage.phoneWith(String(pass?.id));
    await stage.move();
    assert.deepEqual(await rowsOf("connector_ticket", stage.tenantId), []);
    assert.deepEqual(await rowsOf("connector_place", stage.tenantId), []);
    const bob = stage.sellThere("Bob");
    assert.equal(bob.positions[0]?.id, ada.positions[0]?.id, "the ids are the same");
    await stage.settled();
    assert.equal((await phone.see()).holder, "Ada");
    const holders = (await stage.passes()).map(({ data }) => data.holder);
    assert.deepEqual(holders.toSorted(), ["Ada", "Bob"]);
    stage.real.cancelOrder(bob.code);
    await stage.settled();
    assert.equal((await phone.see()).isVoid, false);
  });

  it("who was erased there keeps nobody here from a pass, and stays away after the way back", async (t) => {
    const stage = await open(t);
    const ada = stage.sell(["Canary"]);
    await stage.settled();
    const [pass] = await stage.passes();
    await api().delete(`/api/${stage.tenantId}/passes/${pass?.id}`, { key: key() });
    await stage.move();
    const bob = stage.sellThere("Bob");
    assert.equal(bob.positions[0]?.id, ada.positions[0]?.id, "the ids are the same");
    await stage.settled();
    const holders = async () => (await stage.passes()).map(({ data }) => data.holder);
    assert.deepEqual(await holders(), ["Bob"]);
    await stage.put();
    await stage.catchUp();
    assert.deepEqual(await holders(), ["Bob"]);
  });

  it("settings that are removed leave no way from tickets to passes; saved again, the passes are found", async (t) => {
    const stage = await open(t);
    stage.sell(["Ada"]);
    await stage.settled();
    assert.equal((await api().delete(stage.path, { key: key() })).status, 204);
    assert.deepEqual(await rowsOf("connector_ticket", stage.tenantId), []);
    await stage.put();
    await stage.catchUp(stage.event);
    assert.equal((await stage.passes()).length, 1);
    assert.equal((await rowsOf("connector_ticket", stage.tenantId)).length, 1);
  });
});
