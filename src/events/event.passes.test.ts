import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { PASS_FILES, seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";

const api = await startApi({ after }, { env: { ROLES: "api" } });
const key = api.operatorKey;
const TENANT = "acme";
const LOYALTY = "server/passes/loyalty.yml";

/** The events about passes once there are so many: any open transaction on the server delays them. */
async function listEvents(count: number): Promise<{ event: string; data: unknown }[]> {
  const path = `/api/${TENANT}/events?event=pass.*,privilege.*`;
  const read = async () => (await api.get(path, { key })).body;
  await until(async () => (await read()).length >= count);
  return await read();
}

describe("the events of a pass", () => {
  it("show the pass before its privileges, and once it is erased no more than that", async () => {
    const worth = String(PASS_FILES[LOYALTY]).replace("value: 0", "value: 7");
    await seedPassTenant(api, TENANT, { [LOYALTY]: worth });
    const { id } = await seedPass(api, TENANT);
    const names = (await listEvents(2)).map(({ event }) => event);
    assert.deepEqual(names, ["pass.created", "privilege.moved"]);

    const erased = await api.delete(`/api/${TENANT}/passes/${id}`, { key });
    assert.ok(erased.status < 300, erased.text);
    const [created, moved] = await listEvents(3);
    assert.deepEqual([created?.event, moved?.event], names);
    for (const event of [created, moved]) assert.deepEqual(event?.data, { id, erased: true });
  });
});
