import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HOSTS_OF_THIS_MACHINE, startCanary } from "#test/support/canary.ts";
import { shareApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";

const api = shareApi({ env: { ENVIRONMENT: "production", BASE_URL: "https://billfold.example" } });

/** Also the metadata services of cloud providers. */
const HOSTS = [...HOSTS_OF_THIS_MACHINE, "169.254.169.254", "[fd00:ec2::254]"];

describe("endpoints in production", () => {
  it("400: an address of this machine cannot be subscribed, however it is written", async (t) => {
    const canary = await startCanary(t);
    const key = api().operatorKey;
    await api().seed.tenant("refused");
    for (const host of HOSTS) {
      for (const scheme of ["https", "http"]) {
        const endpoint = `${scheme}://${host}:${canary.port}/`;
        const body = { events: ["*"], endpoint, enabled: true };
        const { status, text } = await api().post("/api/refused/webhooks", { key, body });
        assert.equal(status, 400, endpoint);
        assert.match(text, /"endpoint"/, endpoint);
      }
    }
    assert.equal(canary.visits(), 0);
  });

  it("400: a port of databases, mail or shells cannot be subscribed, 443 and 8443 can", async () => {
    const key = api().operatorKey;
    await api().seed.tenant("ports");
    for (const [port, expected] of [
      ...[22, 25, 587, 2525, 3306, 5432, 6379, 27_017, 3389, 5900].map((one) => [one, 400]),
      ...[443, 8443, 9443].map((one) => [one, 200]),
    ]) {
      const endpoint = `https://hooks.example.com:${port}/in`;
      const body = { events: ["*"], endpoint, enabled: false };
      const { status, text } = await api().post("/api/ports/webhooks", { key, body });
      assert.equal(status, expected, `${port}: ${text}`);
      if (status === 400) assert.match(text, /"endpoint":\["This port belongs to another protocol/);
    }
  });

  it("one that came into the database all the same is never called", async (t) => {
    const canary = await startCanary(t);
    const key = api().operatorKey;
    await api().seed.tenant("planted");
    const endpoints = HOSTS.flatMap((host) => [
      `https://${host}:${canary.port}/`,
      `http://${host}:${canary.port}/`,
    ]);
    for (const endpoint of endpoints) {
      const body = { events: ["api-key.*"], endpoint: "https://hooks.example.com/", enabled: true };
      const { body: made } = await api().post("/api/planted/webhooks", { key, body });
      await api().sql("update webhook set endpoint = $1 where id = $2", [endpoint, made.id]);
    }
    await api().seed.key("planted", "Pass.Read");
    const errors = async () => {
      const rows = await api().sql(
        "select attempts -> 0 -> 'error' ->> 'code' as code from delivery where tenant_id = 'planted'",
      );
      return rows.map(({ code }) => code);
    };
    await until(async () => (await errors()).every((code) => code !== null));
    assert.deepEqual(
      await errors(),
      endpoints.map(() => "egress.refused"),
    );
    assert.equal(canary.visits(), 0);
  });
});
