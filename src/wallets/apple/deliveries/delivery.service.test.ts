import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, describe, it } from "node:test";
import pg from "pg";
import { systemCall } from "#kernel/call.ts";
import { Lease } from "#kernel/work/lease.ts";
import { getPass } from "#src/passes/public.ts";
import { installPass, openAppleStage } from "#test/support/apple-stage.ts";
import { ManualClock } from "#test/support/manual-clock.ts";
import { shareApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { claimFanOut, tellAllDevices } from "../fan-out/fan-out.service.ts";
import { claimDue } from "../push/push.repository.ts";
import { noteIssued, tellDevices } from "./delivery.service.ts";

describe("deliveries to Apple devices", () => {
  // Without the role `worker`, so that nobody pushes.
  const api = shareApi({ env: { ROLES: "api", APNS_URL: "https://127.0.0.1:9" } });
  let stage: Awaited<ReturnType<typeof openAppleStage>>;
  before(async () => {
    stage = await openAppleStage(api());
  });
  const callFor = () => systemCall(api().runtime, "test.tell", { tenantId: stage.tenantId });
  const tell = (passId: string) => callFor().transaction(async (tx) => tellDevices(tx, [passId]));
  async function install() {
    const { pass, phone } = await installPass(stage);
    await tell(pass.id);
    return { pass, phone };
  }
  const statesOf = async (passId: string) => {
    const query =
      "select state from apple_delivery where pass_id = $1 order by revision, device_id";
    return (await api().sql(query, [passId])).map(({ state }) => state);
  };

  it("a fetch ends the newest one, even if an older one had failed", async () => {
    const { pass, phone } = await install();
    await api().sql(
      `update apple_delivery set state = 'failed', next_push_at = null, asked_at = now(),
              ended_at = now() where pass_id = $1`,
      [pass.id],
    );
    await tell(pass.id);
    await phone.fetch(pass);
    await until(async () => (await statesOf(pass.id)).at(-1) === "fetched");
    assert.deepEqual(await statesOf(pass.id), ["failed", "fetched"]);
  });

  it("of changes at the same moment, a single delivery stays open", async () => {
    const { pass } = await install();
    await Promise.all(Array.from({ length: 8 }, () => tell(pass.id)));
    const states = await statesOf(pass.id);
    assert.deepEqual(
      [states.length, states.filter((state) => state === "queued").length, states.at(-1)],
      [9, 1, "queued"],
    );
  });

  it("a fetch ends none of two, if the only device that asked did so from another place", async () => {
    const { pass, phone } = await install();
    const watch = stage.device();
    await watch.register(pass);
    await tell(pass.id);
    await watch.ask();
    await api().sql("update apple_delivery set asked_from = 'away' where pass_id = $1", [pass.id]);
    await phone.fetch(pass);
    // Fetches are noted after the answer, one after the other. The next one is noted for the watch.
    await watch.ask();
    await watch.fetch(pass);
    await until(async () => (await statesOf(pass.id)).includes("fetched"));
    const newest = await api().sql(
      `select device_id, state from apple_delivery join apple_pass using (tenant_id, pass_id, revision)
        where pass_id = $1`,
      [pass.id],
    );
    const stateOf = (id: string) => newest.find((row) => row.device_id === id)?.state;
    assert.deepEqual([stateOf(phone.id), stateOf(watch.id)], ["queued", "fetched"]);
  });

  it("HEAD ends none: the device has no content of it", async () => {
    const { pass, phone } = await install();
    assert.equal((await phone.fetch(pass, undefined, "HEAD")).status, 200);
    assert.deepEqual(await statesOf(pass.id), ["queued"]);
    await phone.fetch(pass);
    await until(async () => (await statesOf(pass.id)).at(-1) === "fetched");
    assert.deepEqual(await statesOf(pass.id), ["fetched"]);
  });

  it("a fetch whose connection was cut before the answer ends none", async () => {
    const { pass } = await install();
    const other = new pg.Client(api().database.connection);
    await other.connect();
    await other.query("begin; lock table apple_pass in access exclusive mode");
    const cut = new AbortController();
    const path = `${stage.base}/passes/${stage.passType}/${pass.id}`;
    const headers = { authorization: `ApplePass ${pass.token}` };
    const answer = fetch(`${api().url}${path}`, { headers, signal: cut.signal });
    await until(async () => {
      const { rows } = await other.query("select from pg_locks where not granted");
      return rows.length > 0;
    });
    cut.abort();
    await assert.rejects(answer);
    await other.end();
    // Fetches are noted after the answer: once a later one is noted, the earlier one would be, too.
    const later = await install();
    await later.phone.fetch(later.pass);
    await until(async () => (await statesOf(later.pass.id)).at(-1) === "fetched");
    assert.deepEqual(await statesOf(pass.id), ["queued"]);
  });

  it("a publication is told to the devices of passes that are not done yet", async () => {
    const installed = [await install(), await install()];
    const [first, second] = installed.map(({ pass }) => pass.id).sort();
    await callFor().transaction(tellAllDevices);
    await api().sql("update apple_fan_out set pass_id = $1", [first]);
    const lease = new Lease(120, new ManualClock());
    const step = await claimFanOut(callFor(), lease, 1_000);
    assert.equal(step?.count, 1);
    assert.deepEqual(await statesOf(String(first)), ["queued"]);
    assert.deepEqual(await statesOf(String(second)), ["superseded", "queued"]);
  });

  it("a publication of files that no pass shows is told to nobody", async () => {
    await install();
    const walks = async () =>
      Number((await api().sql("select count(*) from apple_fan_out"))[0]?.count);
    const shown = { "server/stores.yml": "stores: [ { id: pier, name: Pier } ]\n" };
    const unseen = {
      "server/enrolment.yml": "passTypes: { coupon: { fields: [ { member: offer } ] } }\n",
      "server/bot-check.yml": "provider: turnstile\nsiteKey: k\n",
      "server/shopify.yml": "shop: cafe-lune.myshopify.com\npassType: loyalty\n",
      "server/schedule.yml": "tasks: []\n",
      "layouts/loyalty.google.yml": "{}\n",
    };
    await api().sql("delete from apple_fan_out");
    for (const [path, text] of Object.entries(unseen)) {
      await stage.publish({ [path]: text });
      assert.equal(await walks(), 0, path);
    }
    await stage.publish({ ...unseen, ...shown });
    assert.equal(await walks(), 1);
  });

  it("a pass that is erased while it is sent to a holder leaves no state behind", async () => {
    const { id } = await stage.pass();
    const read = await getPass(callFor(), id);
    const path = `/api/${stage.tenantId}/passes/${id}`;
    assert.equal((await api().delete(path, { key: api().operatorKey })).status, 204);
    const issued = { fingerprint: "some content", showsPrivileges: false };
    await noteIssued(callFor(), read, issued, undefined);
    assert.deepEqual(await api().sql("select from apple_pass where pass_id = $1", [id]), []);
  });

  it("deliveries without their pass keep no other from its turn", async () => {
    const [orphan, { pass }] = [await install(), await install()];
    await api().sql("delete from apple_pass where pass_id = $1", [orphan.pass.id]);
    await api().sql(
      "update apple_delivery set next_push_at = now() - interval '1 day' where pass_id = $1",
      [orphan.pass.id],
    );
    await api().sql(
      "update apple_delivery set next_push_at = now() - interval '1 hour' where pass_id = $1",
      [pass.id],
    );
    const claimed = await callFor().transaction((tx) =>
      claimDue(tx, 1, { token: randomUUID(), seconds: 30 }),
    );
    assert.deepEqual(
      claimed.map(({ passId }) => passId),
      [pass.id],
    );
  });
});
