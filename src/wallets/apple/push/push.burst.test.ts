import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { type Apns, startApns } from "#test/support/apns.ts";
import { installPass, openAppleStage } from "#test/support/apple-stage.ts";
import { startApi, type TestApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { PUSH_HINT } from "../deliveries/delivery.service.ts";
import { listNewest } from "./push.repository.ts";
import { appleTeller } from "./push-teller.service.ts";

const SECOND_MS = 1_000;

describe("pushes to one device", () => {
  const undos: (() => Promise<void>)[] = [];
  const owner = { after: (undo: () => Promise<void>) => void undos.unshift(undo) };
  /** Stands still at a time, or goes as the real one does. */
  const clock = {
    stoppedAt: undefined as number | undefined,
    now: () => new Date(clock.stoppedAt ?? Date.now()),
  };
  let api: TestApi;
  let apns: Apns;
  let stage: Awaited<ReturnType<typeof openAppleStage>>;
  /** When each push came. */
  let times: number[] = [];
  before(async () => {
    apns = await startApns(owner);
    api = await startApi(owner, { clock, provides: [apns.provision] });
  });
  after(async () => {
    for (const undo of undos) await undo();
  });
  beforeEach(async () => {
    stage = await openAppleStage(api);
    times = [];
    clock.stoppedAt = undefined;
    apns.received.length = 0;
    apns.answer(() => {
      times.push(performance.now());
      return { status: 200 };
    });
  });

  const install = (phone = stage.device()) => installPass(stage, { phone });
  async function rename(passId: string, firstName: string, more: object = {}) {
    const sent = await api.patch(`/api/${stage.tenantId}/passes/${passId}`, {
      key: api.operatorKey,
      body: { additionalData: { firstName }, ...more },
    });
    assert.ok(sent.status < 300, sent.text);
    return sent.body;
  }
  /** A second goes by, and the worker looks for what is due. */
  async function goOn(): Promise<void> {
    clock.stoppedAt = (clock.stoppedAt ?? Date.now()) + SECOND_MS;
    const call = systemCall(api.runtime, "test.wake", { tenantId: stage.tenantId });
    await call.transaction(async (tx) => tx.hint(PUSH_HINT, stage.tenantId));
  }
  const deliveriesOf = async (pass: { id: string }) =>
    (await stage.deliveries(pass)).deliveries as { state: string; pushes: number }[];

  it("are two for ten changes in a second: one at once, one at its end, and the ledger knows both", async () => {
    const { pass, phone } = await install();
    await rename(pass.id, "Ada 0");
    await until(() => times.length === 1);
    const start = performance.now();
    for (let count = 1; count < 10; count += 1) {
      await rename(pass.id, `Ada ${count}`, { options: { BypassQueue: count === 9 } });
    }
    const [newest] = await deliveriesOf(pass);
    assert.deepEqual([newest?.state, newest?.pushes], ["pushed", 1]);
    const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    assert.ok(
      // A push may take longer on its way than the next one.
      gaps.every((gap) => gap > 0.5 * SECOND_MS),
      gaps.join(),
    );
    // Two, unless the machine takes longer than a second for the changes.
    const seconds = Math.floor((performance.now() - start) / SECOND_MS);
    assert.ok(times.length >= 2 && times.length <= 2 + seconds, `${times.length} in ${seconds} s`);
    assert.equal((await phone.show(pass)).storeCard.primaryFields[0].value, "Ada 9");
    assert.equal(new Set(apns.received.map(({ token }) => token)).size, 1);
  });

  it("are one for changes of several passes on it that come while it waits", async () => {
    const phone = stage.device();
    const held = [await install(phone), await install(phone), await install(phone)];
    const [first, ...others] = held;
    assert.ok(first);
    clock.stoppedAt = Date.now();
    await rename(first.pass.id, "Ada");
    await until(async () => (await deliveriesOf(first.pass))[0]?.state === "pushed");
    await Promise.all(others.map(({ pass }) => rename(pass.id, "Grace")));
    for (const { pass } of others) {
      await until(async () => (await deliveriesOf(pass))[0]?.state === "queued");
    }
    assert.equal(times.length, 1);
    await goOn();
    for (const { pass } of others) {
      await until(async () => (await deliveriesOf(pass))[0]?.state === "pushed");
    }
    assert.equal(times.length, 2);
  });

  it("are not sent at the end of the second if the device has fetched everything by then", async () => {
    const { pass, phone } = await install();
    clock.stoppedAt = Date.now();
    await rename(pass.id, "Ada");
    await until(() => times.length === 1);
    await rename(pass.id, "Grace");
    await until(async () => (await deliveriesOf(pass)).length > 1);
    assert.equal((await phone.ask()).status, 200);
    assert.equal((await phone.fetch(pass)).status, 200);
    await until(async () => (await deliveriesOf(pass))[0]?.state === "fetched");
    await goOn();
    const later = await install();
    await rename(later.pass.id, "Edith");
    await until(() => times.length === 2);
    assert.equal(apns.received.at(-1)?.token, later.phone.pushToken);
  });

  it("go out although the clock of a process that pushed is ahead", async () => {
    const { pass } = await install();
    const ahead = () =>
      api.sql(
        "update apple_device set pushed_at = now() + interval '1 hour' where tenant_id = $1",
        [stage.tenantId],
      );
    const { id } = pass;
    await ahead();
    await rename(id, "Ada");
    await until(() => times.length === 1);
    // This process notes its own push by its own clock.
    await rename(id, "Grace", { options: { BypassQueue: true } });
    assert.equal(times.length, 2);
    await ahead();
    await rename(id, "Edith", { options: { BypassQueue: true } });
    assert.equal(times.length, 3);
  });

  it("are waited for until the device may be pushed to, also by what is due at once", async () => {
    const { pass } = await install();
    clock.stoppedAt = Date.now();
    await rename(pass.id, "Ada");
    await until(async () => (await deliveriesOf(pass))[0]?.state === "pushed");
    await rename(pass.id, "Grace");
    await until(async () => (await deliveriesOf(pass))[0]?.state === "queued");
    await api.sql(
      "update apple_delivery set next_push_at = queued_at where pass_id = $1 and state = 'queued'",
      [pass.id],
    );
    const call = systemCall(api.runtime, "test.wait", { tenantId: stage.tenantId });
    const [newest] = await listNewest(call, [pass.id]);
    assert.deepEqual([newest?.state, newest?.dueInMs], ["queued", SECOND_MS]);
    assert.equal(times.length, 1);
  });

  it("that have to wait for the device keep nobody beyond the deadline", async () => {
    const { pass } = await install();
    clock.stoppedAt = Date.now();
    await rename(pass.id, "Ada");
    await until(async () => (await deliveriesOf(pass))[0]?.state === "pushed");
    await rename(pass.id, "Grace");
    await until(async () => (await deliveriesOf(pass))[0]?.state === "queued");
    const call = systemCall(api.runtime, "test.tell", { tenantId: stage.tenantId });
    // The clock stands still, so the second of the device never ends: the deadline alone ends this.
    const told = await appleTeller.tellNow(call, [pass.id], AbortSignal.timeout(100));
    assert.equal(told.get(pass.id)?.state, "queued");
    assert.equal(times.length, 1);
  });

  it("go to a new token at once", async () => {
    const { pass, phone } = await install();
    clock.stoppedAt = Date.now();
    await rename(pass.id, "Ada");
    await until(() => times.length === 1);
    const token = "beef".repeat(16);
    assert.equal((await phone.register(pass, token)).status, 200);
    await rename(pass.id, "Grace");
    await until(() => apns.received.at(-1)?.token === token);
  });

  it("have the type and the priority of the settings; a combination that Apple refuses is an error", async () => {
    const publish = (push: string) =>
      api.patch(`/api/tenants/${stage.tenantId}`, {
        key: api.operatorKey,
        body: {
          files: {
            "server/apple.yml": `passTypeIdentifier: ${stage.passType}
teamIdentifier: ABCDE12345
secrets: { certificate: APPLE-CERTIFICATE, key: APPLE-KEY }
push: ${push}
`,
          },
        },
      });
    const refused = await publish("{ type: background, priority: 10 }");
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.text, /apple\.push-priority/);
    const sent = await publish("{ type: alert }");
    assert.equal(sent.status, 200, sent.text);
    const { pass } = await install();
    let count = 0;
    // The worker reads a publication within a second.
    await until(async () => {
      count += 1;
      await rename(pass.id, `Ada ${count}`, { options: { BypassQueue: true } });
      const { headers } = apns.received.at(-1) ?? {};
      return headers?.["apns-push-type"] === "alert" && headers["apns-priority"] === "10";
    });
  });
});
