import assert from "node:assert/strict";
import { after, beforeEach, describe, it } from "node:test";
import pg from "pg";
import { systemCall } from "#kernel/call.ts";
import { Lease } from "#kernel/work/lease.ts";
import {
  type AppleStage,
  type Installed,
  installPass,
  openAppleStage,
  startApiWithApns,
} from "#test/support/apple-stage.ts";
import { ManualClock } from "#test/support/manual-clock.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { tellDevices } from "../deliveries/delivery.service.ts";
import { claimPushes, pushClaimed } from "../push/push.service.ts";
import { claimFanOut, pushFanOut, tellAllDevices } from "./fan-out.service.ts";

const LEASE_SECONDS = 120;
const STEP = 500;

const clock = { offsetMs: 0, now: () => new Date(Date.now() + clock.offsetMs) };
// Without the role `worker`, so that only these tests claim.
const { apns, api } = await startApiWithApns({ after }, { clock, env: { ROLES: "api" } });

describe("a publication", () => {
  let stage: AppleStage;
  beforeEach(async () => {
    stage = await openAppleStage(api);
    apns.answer(() => ({ status: 200 }));
    apns.received.length = 0;
  });

  const call = () => systemCall(api.runtime, "test.push", { tenantId: stage.tenantId });
  const newLease = () => new Lease(LEASE_SECONDS, new ManualClock());
  const install = () => installPass(stage);
  const publish = () => stage.publish({ "locales/en.yml": "greeting: Hello\n" });
  async function claim(lease = newLease()) {
    const step = await claimFanOut(call(), lease, STEP);
    assert.ok(step);
    return { step, push: () => pushFanOut(call(), step, lease) };
  }
  async function pushDue(): Promise<number> {
    const lease = newLease();
    const claimed = await claimPushes(call(), lease, STEP);
    await pushClaimed(call(), claimed, lease);
    return claimed.length;
  }
  const newestOf = async ({ pass }: Installed) => (await stage.deliveries(pass)).deliveries[0];
  const statesOf = (installed: readonly Installed[]) =>
    Promise.all(installed.map(async (one) => (await newestOf(one)).state));
  const left = () =>
    api.sql(
      `select from apple_push_batch where tenant_id = $1
        union all select from apple_delivery where tenant_id = $1 and claim is not null`,
      [stage.tenantId],
    );

  /** Does something while another transaction has done something else and is still open. */
  async function during<Result>(
    change: string,
    values: unknown[],
    act: () => Promise<Result>,
    rest: (holder: pg.Client) => Promise<unknown> = async () => undefined,
  ): Promise<Result> {
    const holder = new pg.Client(api.database.connection);
    await holder.connect();
    try {
      await holder.query("set app.tenant = '*'");
      await holder.query("begin");
      await holder.query(change, values);
      const acting = act();
      const waiting = `
        select from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`;
      await until(async () => (await api.sql(waiting)).length > 0);
      await rest(holder);
      await holder.query("commit");
      return await acting;
    } finally {
      await holder.end();
    }
  }
  /** As if the device asked: the delivery is another version of its row then, at another place. */
  const whileAsking = <Result>({ pass }: Installed, act: () => Promise<Result>) =>
    during(
      "update apple_delivery set state = 'asked', asked_at = now() where pass_id = $1",
      [pass.id],
      act,
    );

  it("is walked in steps, each with all devices of its passes, until every device is told once", async () => {
    const installed = [await install(), await install(), await install()];
    const [first] = installed;
    assert.ok(first);
    await stage.device().register(first.pass);
    await publish();
    const counts: number[] = [];
    for (;;) {
      const lease = newLease();
      const step = await claimFanOut(call(), lease, 1);
      if (step === undefined) break;
      counts.push(step.count);
      await pushFanOut(call(), step, lease);
    }
    assert.deepEqual(counts.sort(), [1, 1, 2]);
    assert.equal(apns.received.length, 4);
    assert.deepEqual(await statesOf(installed), ["pushed", "pushed", "pushed"]);
    const { pushes, lastStatus, nextPushAt, pushedAt } = await newestOf(first);
    assert.deepEqual([pushes, lastStatus], [1, 200]);
    const minutes = (Date.parse(nextPushAt) - Date.parse(pushedAt)) / 60_000;
    assert.ok(minutes > 14 && minutes <= 15, String(minutes));
    assert.deepEqual(await api.sql("select from apple_fan_out"), []);
    assert.deepEqual(await left(), []);
  });

  it("pushes once to a device that holds several passes", async () => {
    const { phone, pass } = await install();
    const second = await stage.pass();
    await phone.register(second);
    await publish();
    await (await claim()).push();
    assert.equal(apns.received.length, 1);
    assert.deepEqual(
      await statesOf([
        { pass, phone },
        { pass: second, phone },
      ]),
      ["pushed", "pushed"],
    );
  });

  it("ends what is open of earlier changes", async () => {
    const one = await install();
    await call().transaction(async (tx) => tellDevices(tx, [one.pass.id]));
    await publish();
    await (await claim()).push();
    const { deliveries } = await stage.deliveries(one.pass);
    assert.deepEqual(
      deliveries.map(({ state }: { state: string }) => state),
      ["pushed", "superseded"],
    );
    assert.equal(await pushDue(), 0);
  });

  it("records for each device what Apple answered", async () => {
    const installed = [await install(), await install(), await install(), await install()];
    const [taken, gone, wrong, later] = installed;
    assert.ok(taken && gone && wrong && later);
    const timestamp = Date.now() + 60_000;
    const answers = new Map([
      [gone.phone.pushToken, { status: 410, body: { reason: "Unregistered", timestamp } }],
      [wrong.phone.pushToken, { status: 400, body: { reason: "BadDeviceToken" } }],
      [later.phone.pushToken, { status: 429, body: { reason: "TooManyRequests" } }],
    ]);
    apns.answer(({ token }) => answers.get(token) ?? { status: 200 });
    await publish();
    await (await claim()).push();
    assert.deepEqual(await statesOf(installed), ["pushed", "gone", "gone", "queued"]);
    const { failures, pushes, lastReason } = await newestOf(later);
    assert.deepEqual([failures, pushes, lastReason], [1, 0, "TooManyRequests"]);
    assert.deepEqual(await left(), []);
    assert.equal((await stage.events(gone.pass)).at(-1), "pass.uninstalled");
  });

  it("waits while Apple refuses the certificate, and the ledger says so of every device", async () => {
    const installed = [await install(), await install()];
    apns.answer(() => ({ status: 403, body: { reason: "BadCertificate" } }));
    await publish();
    await (await claim()).push();
    assert.deepEqual(await statesOf(installed), ["queued", "queued"]);
    const [first] = installed;
    assert.ok(first);
    const { queue } = await stage.deliveries(first.pass);
    assert.deepEqual([queue.state, queue.reason], ["refused", "BadCertificate"]);
    // What comes now is not even tried.
    const third = await install();
    apns.received.length = 0;
    await call().transaction(tellAllDevices);
    const { step, push } = await claim();
    await push();
    assert.deepEqual([step.count, apns.received.length], [0, 0]);
    assert.deepEqual(await statesOf([...installed, third]), ["queued", "queued", "queued"]);
    apns.answer(() => ({ status: 200 }));
    assert.equal(await pushDue(), 3);
    assert.deepEqual(await statesOf([...installed, third]), ["pushed", "pushed", "pushed"]);
  });

  it("cannot reach devices of another pass type: their deliveries fail", async () => {
    const one = await install();
    for (const table of ["apple_registration", "apple_device"]) {
      await api.sql(`update ${table} set pass_type_identifier = 'pass.old' where tenant_id = $1`, [
        stage.tenantId,
      ]);
    }
    await publish();
    const { step, push } = await claim();
    await push();
    assert.deepEqual([step.count, apns.received.length], [0, 0]);
    assert.equal(await pushDue(), 1);
    const { state, lastReason } = await newestOf(one);
    assert.deepEqual([state, lastReason], ["failed", "PassTypeIdentifierChanged"]);
  });

  it("that a device follows before Apple's answer is recorded as asked and fetched, not as pushed", async () => {
    const [asking, fetching, still] = [await install(), await install(), await install()];
    await publish();
    const { push } = await claim();
    assert.deepEqual(await statesOf([asking, fetching, still]), ["queued", "queued", "queued"]);
    await asking.phone.ask();
    await fetching.phone.fetch(fetching.pass);
    await until(async () => (await newestOf(fetching)).state === "fetched");
    await push();
    assert.deepEqual(await statesOf([asking, fetching, still]), ["asked", "fetched", "pushed"]);
    assert.equal((await newestOf(asking)).pushes, 1);
    assert.deepEqual(await left(), []);
  });

  it("is pushed again by another process, if the one that claimed it slept too long", async () => {
    const one = await install();
    await publish();
    const steady = new ManualClock();
    const { push } = await claim(new Lease(LEASE_SECONDS, steady));
    assert.equal(await pushDue(), 0);
    clock.offsetMs += LEASE_SECONDS * 1_000 + 1;
    const successor = newLease();
    const claimed = await claimPushes(call(), successor, STEP);
    assert.equal(claimed.length, 1);
    await push();
    assert.equal((await newestOf(one)).state, "queued");
    await pushClaimed(call(), claimed, successor);
    const { state, pushes } = await newestOf(one);
    assert.deepEqual([state, pushes], ["pushed", 1]);
    assert.deepEqual(await left(), []);
  });

  it("of a tenant that is deleted goes no step further", async () => {
    await install();
    await install();
    await publish();
    assert.ok(await claimFanOut(call(), newLease(), 1));
    const rows = () => api.sql("select pass_id, revision from apple_delivery order by 1, 2");
    const before = await rows();
    await api.sql("update tenant set deleted_at = now() where id = $1", [stage.tenantId]);
    await assert.rejects(claimFanOut(call(), newLease(), 1), { code: "tenant.not-found" });
    assert.deepEqual(await rows(), before);
  });

  it("that Apple refused under a token which was replaced meanwhile is pushed to the new one at once", async () => {
    const installed = [await install(), await install(), await install()];
    const [gone, wrong, dropped] = installed;
    assert.ok(gone && wrong && dropped);
    const timestamp = Date.now() + 60_000;
    apns.answer(({ token }) =>
      token === gone.phone.pushToken
        ? { status: 410, body: { reason: "Unregistered", timestamp } }
        : { status: 400, body: { reason: "BadDeviceToken" } },
    );
    await publish();
    const { push } = await claim();
    // By transactions that began before the step was committed, and saw no delivery.
    const setToken = "update apple_device set push_token = $2 where device_id = $1";
    await api.sql(setToken, [gone.phone.id, "beef"]);
    await api.sql(setToken, [wrong.phone.id, "cafe"]);
    await api.sql(setToken, [dropped.phone.id, null]);
    await push();
    assert.deepEqual(await statesOf(installed), ["queued", "queued", "gone"]);
    assert.deepEqual(await left(), []);
    apns.answer(() => ({ status: 200 }));
    apns.received.length = 0;
    assert.equal(await pushDue(), 2);
    assert.deepEqual(apns.received.map(({ token }) => token).sort(), ["beef", "cafe"]);
    assert.deepEqual(await statesOf(installed), ["pushed", "pushed", "gone"]);
  });

  it("whose device asks while Apple's answer is recorded loses neither the answer nor its claim", async () => {
    const one = await install();
    for (const [answer, pushes, failures] of [
      [{ status: 429, body: { reason: "TooManyRequests" } }, 0, 1],
      [{ status: 200 }, 1, 0],
    ] as const) {
      apns.answer(() => answer);
      await call().transaction(tellAllDevices);
      const { push } = await claim();
      await whileAsking(one, push);
      const newest = await newestOf(one);
      assert.deepEqual(
        [newest.state, newest.lastStatus, newest.pushes, newest.failures],
        ["asked", answer.status, pushes, failures],
      );
      assert.deepEqual(await left(), []);
      await one.phone.fetch(one.pass);
      await until(async () => (await newestOf(one)).state === "fetched");
    }
  });

  it("whose device asks while the batch of a dead process is released is pushed again at once", async () => {
    const one = await install();
    await publish();
    await claim();
    clock.offsetMs += LEASE_SECONDS * 1_000 + 1;
    assert.equal(await whileAsking(one, pushDue), 1);
    assert.deepEqual(await left(), []);
  });

  it("waits for the erasure of a pass without holding what the erasure comes to next", async () => {
    const { pass } = await install();
    const other = await install();
    await call().transaction(async (tx) => tellDevices(tx, [pass.id, other.pass.id]));
    await publish();
    const lease = newLease();
    const step = await during(
      "delete from apple_pass where pass_id = $1",
      [pass.id],
      () => claimFanOut(call(), lease, STEP),
      async (holder) => {
        const its = "from apple_delivery where pass_id = $1";
        await holder.query(`select ${its} for update nowait`, [pass.id]);
        await holder.query(`delete ${its}`, [pass.id]);
      },
    );
    assert.ok(step);
    assert.equal(step.count, 1);
    await pushFanOut(call(), step, lease);
    assert.deepEqual(await statesOf([other]), ["pushed"]);
  });
});
