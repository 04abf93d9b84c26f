import assert from "node:assert/strict";
import { after, describe, it, type TestContext } from "node:test";
import pg from "pg";
import { seedCdpTenant } from "#test/support/cdp-stage.ts";
import type { ApiResponse } from "#test/support/client.ts";
import { seedPass } from "#test/support/pass-tenant.ts";
import { startStopwatch } from "#test/support/slowness.ts";
import { shareApi } from "#test/support/start-api.ts";
import { startVendors } from "#test/support/vendors.ts";
import { until } from "#test/support/webhook-receiver.ts";

const { bloomreach } = await startVendors({ after });

/** As Bloomreach's page says what a webhook of a scenario makes of a status. */
function verdictOf({ status, body }: ApiResponse): string {
  if ([400, 404, 410, 412, 413, 418].includes(status)) return "stopped for all";
  if (status >= 500) return "tried again";
  if (status >= 400) return "failed for one";
  return body.success === true ? "done" : "failed for one";
}

describe("a webhook of a scenario at Bloomreach", () => {
  const api = shareApi();

  async function openScenario() {
    const { tenantId, put } = await seedCdpTenant(api(), bloomreach);
    await put();
    const key = await api().seed.key(tenantId, "Extension.Journey");
    const { id } = await seedPass(api(), tenantId, { identifiers: { "cdp.registered": "ada" } });
    const call = (body: object | string, headers = {}, action = "updatePass") =>
      api().post(`/api/${tenantId}/extensions/cdp/journey/${action}`, {
        key,
        rawBody: typeof body === "string" ? body : JSON.stringify(body),
        headers: { "content-type": "application/json", ...headers },
      });
    const path = `/api/tenants/${tenantId}`;
    const operator = { key: api().operatorKey };
    /** As its file says: requests leave it as it is. */
    const switchOff = async () => {
      const shown = await api().get(path, { ...operator, headers: { accept: "application/json" } });
      const yaml = `${shown.body.files["server/cdp.yml"]}enabled: false\n`;
      await api().patch(path, { ...operator, body: { files: { "server/cdp.yml": yaml } } });
    };
    return { tenantId, id, call, switchOff };
  }

  async function openVendors(t: TestContext) {
    const vendors = await startVendors(t, { inPlaceOf: { "http://localhost:0": api().url } });
    return { scenarios: vendors.scenarios, idle: () => vendors.idle() };
  }

  const ADA = { identifiers: { "cdp.registered": "ada" } };

  it("is done, and a customer for whom it cannot be done never stops it for the others", async () => {
    const { call } = await openScenario();
    const good = { ...ADA, additionalData: { firstName: "Ada" } };
    assert.equal(verdictOf(await call(good)), "done");
    const bad: readonly [body: object | string, headers?: object][] = [
      ["{"],
      [""],
      [{ identifiers: { "cdp.registered": "" } }],
      [{ identifiers: { "cdp.registered": "nobody" } }],
      [{ ...ADA, additionalData: { firstName: "x".repeat(500) } }],
      ["x".repeat(200_000)],
      ["x".repeat(1_100_000)],
      [good, { "idempotency-key": "two words" }],
      [good, { "content-type": "text/html" }],
    ];
    for (const [body, headers] of bad) {
      const verdict = verdictOf(await call(body, headers));
      assert.notEqual(verdict, "stopped for all", String(body).slice(0, 50));
      assert.notEqual(verdict, "tried again", String(body).slice(0, 50));
    }
    assert.equal(verdictOf(await call(good)), "done");
  });

  it("goes on for all others whoever comes to it, and ends only when it is switched off", async (t) => {
    const { tenantId, switchOff } = await openScenario();
    const { scenarios, ...vendors } = await openVendors(t);
    const apiKey = await api().seed.key(tenantId, "Extension.Journey");
    const url = `http://localhost:0/api/${tenantId}/extensions/cdp/journey/updatePass`;
    const body = `{"identifiers":{"cdp.registered":"{{ customer_ids.registered }}"},
      "additionalData":{"firstName":"{{ customer.first_name }}"}}`;
    scenarios.createFlow({ id: "s", url, apiKey, body });
    const enter = async (registered: string, firstName: string) => {
      const person = { customer_ids: { registered }, customer: { first_name: firstName } };
      const [delivery] = scenarios.enter("s", person);
      await vendors.idle();
      return delivery?.state;
    };
    assert.equal(await enter("ada", "Ada"), "delivered");
    assert.equal(await enter("", "Nobody"), "failed");
    assert.equal(await enter("unknown", "Nobody"), "failed");
    assert.equal(await enter("ada", "x".repeat(500)), "failed");
    assert.equal(await enter("ada", "Adele"), "delivered");
    assert.ok(scenarios.isOn("s"));
    await switchOff();
    await enter("ada", "Ada");
    assert.ok(!scenarios.isOn("s"));
  });

  it("is tried again where too many came at once, and stops for all when it is switched off", async () => {
    const { tenantId, call, switchOff } = await openScenario();
    const publish = async (files: object) => {
      const body = { files };
      await api().patch(`/api/tenants/${tenantId}`, { key: api().operatorKey, body });
    };
    const limits =
      "name: x\nrateLimits:\n  journey.update-pass: { limit: 1, windowSeconds: 86400 }\n";
    await publish({ "tenant.yml": limits });
    await call(ADA);
    assert.equal(verdictOf(await call(ADA)), "tried again");
    await publish({ "tenant.yml": "name: x\n" });
    await switchOff();
    assert.equal(verdictOf(await call(ADA)), "stopped for all");
  });

  it("503 before the webhook stops waiting, while the pass is busy; the work goes on, and is not done twice", async (t) => {
    const { tenantId, id, call } = await openScenario();
    const other = new pg.Client({ connectionString: api().database.url });
    await other.connect();
    t.after(() => other.end());
    await other.query("set app.tenant = '*'; begin");
    await other.query("select from pass where tenant_id = $1 and id = $2 for update", [
      tenantId,
      id,
    ]);
    const told = { ...ADA, idempotencyKey: "d-1", notification: { text: "Ready." } };
    const elapsedMs = startStopwatch();
    const late = await call(told, {}, "notifyPass");
    const tookMs = elapsedMs();
    assert.equal(verdictOf(late), "tried again", late.text);
    assert.equal(late.body.code, "journey.too-slow");
    // 800 ms, and what a busy machine adds.
    assert.ok(tookMs < 1_800, `${tookMs} ms`);
    await other.query("rollback");
    const notified = async () => {
      const rows = await api().sql(
        "select from event where tenant_id = $1 and name = 'pass.notified'",
        [tenantId],
      );
      return rows.length;
    };
    await until(async () => (await notified()) === 1, "the work went on");
    assert.equal(verdictOf(await call(told, {}, "notifyPass")), "done");
    assert.equal(await notified(), 1);
  });
});
