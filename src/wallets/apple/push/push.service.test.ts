import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { Lease } from "#kernel/work/lease.ts";
import { startApns } from "#test/support/apns.ts";
import { openAppleStage } from "#test/support/apple-stage.ts";
import { ManualClock } from "#test/support/manual-clock.ts";
import { startApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { tellDevices } from "../deliveries/delivery.service.ts";
import { claimPushes, pushClaimed } from "./push.service.ts";

const LEASE_SECONDS = 120;

describe("claims of pushes", () => {
  it("a process that slept too long changes nothing any more", async (t) => {
    const clock = { offsetMs: 0, now: () => new Date(Date.now() + clock.offsetMs) };
    const apns = await startApns(t);
    // Without the role `worker`, so that only this test claims.
    const api = await startApi(t, { clock, env: { ROLES: "api" }, provides: [apns.provision] });
    const stage = await openAppleStage(api);
    const [pass, phone] = [await stage.pass(), stage.device()];
    await phone.fetch(pass);
    await phone.register(pass);
    const call = () => systemCall(api.runtime, "test.push", { tenantId: stage.tenantId });
    await call().transaction(async (tx) => tellDevices(tx, [pass.id]));

    const steady = new ManualClock();
    const [sleeper, successor] = [0, 1].map(() => new Lease(LEASE_SECONDS, steady));
    assert.ok(sleeper && successor);
    const first = await claimPushes(call(), sleeper, 10);
    assert.equal(first.length, 1);
    assert.equal((await claimPushes(call(), successor, 10)).length, 0);
    clock.offsetMs += LEASE_SECONDS * 1_000 + 1;
    const second = await claimPushes(call(), successor, 10);
    assert.equal(second.length, 1);

    await pushClaimed(call(), first, sleeper);
    const [row] = await api.sql("select state, pushes, claim from apple_delivery");
    assert.deepEqual(row, { state: "queued", pushes: 0, claim: successor.token });
    await pushClaimed(call(), second, successor);
    const [after] = await api.sql("select state, pushes, claim from apple_delivery");
    assert.deepEqual(after, { state: "pushed", pushes: 1, claim: null });
  });

  it("a change while a push is under way is not overwritten by its result", async (t) => {
    const apns = await startApns(t);
    const api = await startApi(t, { env: { ROLES: "api" }, provides: [apns.provision] });
    const stage = await openAppleStage(api);
    const [pass, phone] = [await stage.pass(), stage.device()];
    await phone.fetch(pass);
    await phone.register(pass);
    const call = () => systemCall(api.runtime, "test.push", { tenantId: stage.tenantId });
    const tell = () => call().transaction(async (tx) => tellDevices(tx, [pass.id]));
    await tell();
    const lease = new Lease(LEASE_SECONDS, new ManualClock());
    const claimed = await claimPushes(call(), lease, 10);
    await tell();
    await pushClaimed(call(), claimed, lease);
    const rows = await api.sql("select state from apple_delivery order by revision");
    assert.deepEqual(
      rows.map(({ state }) => state),
      ["superseded", "queued"],
    );
  });

  it("a token that cannot be removed costs no other device its result", async (t) => {
    const apns = await startApns(t);
    const api = await startApi(t, { env: { ROLES: "api" }, provides: [apns.provision] });
    const stage = await openAppleStage(api);
    const [pass, phone, watch] = [await stage.pass(), stage.device(), stage.device()];
    await phone.fetch(pass);
    for (const device of [phone, watch]) await device.register(pass);
    const call = () => systemCall(api.runtime, "test.push", { tenantId: stage.tenantId });
    await call().transaction(async (tx) => tellDevices(tx, [pass.id]));
    await api.sql("alter table apple_device add constraint kept check (push_token is not null)");
    apns.answer(({ token }) =>
      token === phone.pushToken
        ? { status: 400, body: { reason: "BadDeviceToken" } }
        : { status: 200 },
    );
    const lease = new Lease(LEASE_SECONDS, new ManualClock());
    await pushClaimed(call(), await claimPushes(call(), lease, 10), lease);
    const rows = await api.sql("select device_id, state from apple_delivery");
    const states = new Map(rows.map((row) => [row.device_id, row.state]));
    assert.deepEqual([states.get(phone.id), states.get(watch.id)], ["queued", "pushed"]);
    assert.ok(api.logLines.some((line) => line.includes("was not removed")));
  });

  it("a pause whose time is over holds up nobody, and is not told of if nothing waits", async (t) => {
    const apns = await startApns(t);
    const api = await startApi(t, { env: { ROLES: "api" }, provides: [apns.provision] });
    const stage = await openAppleStage(api);
    const [pass, phone] = [await stage.pass(), stage.device()];
    await phone.fetch(pass);
    await phone.register(pass);
    const rest = (until: string) =>
      api.sql(
        `insert into apple_push_pause (tenant_id, kind, reason, since, until, count)
         values ($1, 'unreachable', 'ECONNRESET', now(), now() + $2::interval, 1)
         on conflict (tenant_id) do update set until = excluded.until`,
        [stage.tenantId, until],
      );
    await rest("1 minute");
    assert.equal((await stage.deliveries(pass)).queue.state, "unreachable");
    const held = await stage.change(pass, "Ada", true);
    const problem = "Apple does not answer: ECONNRESET. Pushes wait, and are tried again.";
    assert.deepEqual(held.delivery?.apple, { state: "queued", devices: 1, problem });
    await rest("-1 second");
    assert.equal((await stage.deliveries(pass)).queue.state, "unreachable", "one waits");
    await phone.fetch(pass);
    await until(async () => (await stage.deliveries(pass)).queue.state === "open");
    const sent = await stage.change(pass, "Grace", true);
    assert.deepEqual(sent.delivery?.apple, { state: "sent", devices: 1 });
    assert.deepEqual(await api.sql("select from apple_push_pause"), []);
  });

  it("a tenant that is erased while its pushes hang leaves no pause behind", async (t) => {
    const apns = await startApns(t);
    const api = await startApi(t, { provides: [apns.provision] });
    const stage = await openAppleStage(api);
    const [pass, phone] = [await stage.pass(), stage.device()];
    await phone.fetch(pass);
    await phone.register(pass);
    apns.answer(() => "hang");
    await stage.change(pass, "Ada");
    await until(() => apns.received.length === 1);
    const path = `/api/tenants/${stage.tenantId}`;
    assert.equal((await api.delete(path, { key: api.operatorKey })).status, 204);
    const isErased = async () =>
      (await api.sql("select from tenant where id = $1", [stage.tenantId])).length === 0;
    await until(isErased);
    apns.answer(() => "cut");
    // Ends the connection that hangs; the next ones are cut.
    apns.setThere(false);
    const isOver = () => api.logLines.some((line) => line.includes("its tenant has ended"));
    await until(isOver);
    assert.deepEqual(await api.sql("select from apple_push_pause"), []);
  });

  it("a tenant whose erasure this process has not heard of yet gets no pause either", async (t) => {
    const apns = await startApns(t);
    const api = await startApi(t, { provides: [apns.provision] });
    const stage = await openAppleStage(api);
    const [pass, phone] = [await stage.pass(), stage.device()];
    await phone.fetch(pass);
    await phone.register(pass);
    apns.answer(() => "hang");
    await stage.change(pass, "Ada");
    await until(() => apns.received.length === 1);
    await api.sql("update tenant set deleted_at = now() where id = $1", [stage.tenantId]);
    apns.answer(() => "cut");
    // Ends the connection that hangs; the next ones are cut.
    apns.setThere(false);
    const isOver = () => api.logLines.some((line) => line.includes("its tenant has ended"));
    await until(isOver);
    assert.deepEqual(await api.sql("select from apple_push_pause"), []);
  });
});
