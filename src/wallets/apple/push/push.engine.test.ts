import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { type Apns, startApns } from "#test/support/apns.ts";
import { installPass, openAppleStage } from "#test/support/apple-stage.ts";
import { startApi, type TestApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { PUSH_HINT } from "../deliveries/delivery.service.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type Stage = Awaited<ReturnType<typeof openAppleStage>>;
type Held = Awaited<ReturnType<Stage["pass"]>>;

/** The operation `pass.list-deliveries` tells what became of each push. */
describe("pushes to Apple devices", () => {
  const undos: (() => Promise<void>)[] = [];
  const owner = { after: (undo: () => Promise<void>) => void undos.unshift(undo) };
  const clock = { offsetMs: 0, now: () => new Date(Date.now() + clock.offsetMs) };
  let api: TestApi;
  let apns: Apns;
  let stage: Stage;
  before(async () => {
    apns = await startApns(owner, { streamsMax: 5 });
    api = await startApi(owner, { clock, provides: [apns.provision] });
    stage = await openAppleStage(api);
  });
  after(async () => {
    for (const undo of undos) await undo();
  });

  /** Time goes on, and the worker looks at once for what is due now. */
  async function goOn(ms: number, { tenantId }: { tenantId: string }): Promise<void> {
    clock.offsetMs += ms;
    const call = systemCall(api.runtime, "test.wake", { tenantId });
    await call.transaction(async (tx) => tx.hint(PUSH_HINT, tenantId));
  }

  /** A pass on a device. */
  async function install(place = stage) {
    apns.answer(() => ({ status: 200 }));
    apns.received.length = 0;
    return await installPass(place);
  }
  /** Other tests leave devices behind that are pushed again when the time goes on. */
  const pushesTo = ({ pushToken }: { pushToken: string }) =>
    apns.received.filter(({ token }) => token === pushToken).length;
  const toThis = async (place: Stage, pass: Held, state: string, count = 1) => {
    let seen: { deliveries: { state: string }[] } = { deliveries: [] };
    await until(
      async () => {
        seen = await place.deliveries(pass);
        return seen.deliveries.filter((one) => one.state === state).length >= count;
      },
      () => `not ${state}: ${JSON.stringify(seen)}`,
    );
    return seen.deliveries as (typeof seen.deliveries)[number][] & Record<string, never>[];
  };

  it("a change is pushed, asked for and fetched; each step is in the ledger", async () => {
    const { pass, phone } = await install();
    const { lastUpdated } = (await phone.ask()).body;
    await stage.change(pass, "Ada");
    await until(() => pushesTo(phone) === 1);
    const push = apns.received.find(({ token }) => token === phone.pushToken);
    assert.equal(push?.body, "{}");
    assert.equal(push?.sender, stage.passType);
    assert.equal(push?.headers["apns-topic"], stage.passType);
    assert.equal(push?.headers["apns-push-type"], "background");
    assert.equal(push?.headers["apns-priority"], "5");
    assert.equal(push?.headers["apns-collapse-id"], "passes");
    const [pushed] = await toThis(stage, pass, "pushed");
    assert.deepEqual([pushed?.pushes, pushed?.lastStatus, pushed?.wallet], [1, 200, "apple"]);
    assert.notEqual(pushed?.device, phone.id);

    assert.deepEqual((await phone.ask(lastUpdated)).body.serialNumbers, [pass.id]);
    await toThis(stage, pass, "asked");
    assert.equal((await phone.fetch(pass)).status, 200);
    const [fetched] = await toThis(stage, pass, "fetched");
    assert.equal(fetched?.nextPushAt, null);
    assert.deepEqual(await stage.events(pass), [
      "pass.created",
      "pass.installed",
      "pass.updated",
      "pass.update-delivered",
    ]);
  });

  it("200: who bypasses the queue learns that Apple took the push, or why not", async () => {
    const { pass, phone } = await install();
    const sent = await stage.change(pass, "Ada", true);
    assert.deepEqual(sent.delivery?.apple, { state: "sent", devices: 1 });
    assert.equal(pushesTo(phone), 1);
    apns.answer(() => ({ status: 503, body: { reason: "Shutdown" } }));
    const { delivery } = await stage.change(pass, "Grace", true);
    const problem = "Apple answered: Shutdown. It is tried again.";
    assert.deepEqual(delivery?.apple, { state: "queued", devices: 1, problem });
  });

  it("200: who bypasses the queue learns that the device is gone, or has no token", async () => {
    const { pass } = await install();
    apns.answer(() => ({ status: 400, body: { reason: "BadDeviceToken" } }));
    const gone = await stage.change(pass, "Ada", true);
    const known = "Apple no longer knows the device.";
    assert.deepEqual(gone.delivery?.apple, { state: "failed", devices: 1, problem: known });
    const untold = await stage.change(pass, "Grace", true);
    const problem = "The device cannot be reached until it registers again.";
    assert.deepEqual(untold.delivery?.apple, { state: "failed", devices: 1, problem });
  });

  it("a publication ends the pause after a refusal; until then the caller learns of it", async () => {
    const own = await openAppleStage(api);
    const { pass } = await install(own);
    apns.answer(() => ({ status: 403, body: { reason: "BadCertificate" } }));
    const { delivery } = await own.change(pass, "Ada", true);
    const problem =
      "Apple does not accept the certificate: BadCertificate. Pushes wait, and are tried again.";
    assert.deepEqual(delivery?.apple, { state: "queued", devices: 1, problem });
    apns.answer(() => ({ status: 200 }));
    await own.publish({ "locales/en.yml": "greeting: Hello\n" });
    await toThis(own, pass, "pushed");
    assert.equal((await own.deliveries(pass)).queue.state, "open");
  });

  it("several changes at once supersede each other, and one delivery is left", async () => {
    const { pass, phone } = await install();
    apns.answer(() => ({ status: 429, body: { reason: "TooManyRequests" } }));
    for (const name of ["Ada", "Grace", "Edith"]) await stage.change(pass, name);
    await toThis(stage, pass, "superseded", 2);
    assert.equal((await phone.fetch(pass)).status, 200);
    await toThis(stage, pass, "fetched");
    const { deliveries } = await stage.deliveries(pass);
    assert.deepEqual(
      deliveries.map((one: { state: string }) => one.state),
      ["fetched", "superseded", "superseded"],
    );
  });

  it("a pass without a device writes nothing and pushes nothing", async () => {
    const other = await stage.pass();
    await stage.change(other, "Ada");
    assert.deepEqual((await stage.deliveries(other)).deliveries, []);
    const rows = await api.sql("select from apple_pass where pass_id = $1", [other.id]);
    assert.equal(rows.length, 0);
  });

  it("of two devices, the one that asked has fetched", async () => {
    const { pass, phone } = await install();
    const watch = stage.device();
    await watch.register(pass);
    await stage.change(pass, "Ada");
    await toThis(stage, pass, "pushed", 2);
    // Nobody asked: the fetch may be of either device.
    await phone.fetch(pass);
    await toThis(stage, pass, "pushed", 2);
    assert.equal((await watch.ask()).status, 200);
    assert.equal((await watch.fetch(pass)).status, 200);
    await toThis(stage, pass, "fetched");
    const [row] = await api.sql(
      "select device_id from apple_delivery where pass_id = $1 and state = 'fetched'",
      [pass.id],
    );
    assert.equal(row?.device_id, watch.id);
  });

  it("pushed again after 15 minutes, 1, 6 and 24 hours; then it failed, and a late fetch counts", async () => {
    const { pass, phone } = await install();
    await stage.change(pass, "Ada");
    await toThis(stage, pass, "pushed");
    const { lastUpdated } = (await phone.ask()).body;
    assert.equal((await phone.ask(lastUpdated)).status, 204);
    const waits = [15 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS];
    for (const [index, wait] of waits.entries()) {
      const sent = index + 1;
      await goOn(wait - 30_000, stage);
      assert.equal(pushesTo(phone), sent);
      await goOn(31_000, stage);
      await until(async () => (await stage.deliveries(pass)).deliveries[0].pushes === sent + 1);
    }
    // It asked without fetching: it is offered the pass again, under a later tag.
    assert.deepEqual((await phone.ask(lastUpdated)).body.serialNumbers, [pass.id]);
    await goOn(25 * HOUR_MS, stage);
    await toThis(stage, pass, "failed");
    assert.equal(pushesTo(phone), 5);
    assert.ok((await stage.events(pass)).includes("pass.update-failed"));
    await phone.fetch(pass);
    await toThis(stage, pass, "fetched");
    assert.equal((await stage.events(pass)).at(-1), "pass.update-delivered");
  });

  it("410: the registration goes, unless the device registered again since", async () => {
    const { pass, phone } = await install();
    apns.answer(() => ({ status: 410, body: { reason: "Unregistered", timestamp: 1 } }));
    await stage.change(pass, "Ada");
    await until(async () => (await stage.deliveries(pass)).deliveries[0].failures === 1);
    assert.equal((await phone.register(pass)).status, 200);

    const timestamp = clock.now().getTime() + 1_000;
    apns.answer(() => ({ status: 410, body: { reason: "Unregistered", timestamp } }));
    await stage.change(pass, "Grace");
    const [gone] = await toThis(stage, pass, "gone");
    assert.equal(gone?.lastReason, "Unregistered");
    assert.equal((await stage.events(pass)).at(-1), "pass.uninstalled");
    assert.equal((await phone.ask()).status, 204);
    assert.equal((await phone.register(pass)).status, 201);
  });

  it("400 BadDeviceToken: the token is dropped; with another one the device is told at once", async () => {
    const { pass, phone } = await install();
    apns.answer(() => ({ status: 400, body: { reason: "BadDeviceToken" } }));
    await stage.change(pass, "Ada");
    const [gone] = await toThis(stage, pass, "gone");
    assert.equal(gone?.lastReason, "BadDeviceToken");
    await stage.change(pass, "Grace");
    assert.equal(pushesTo(phone), 1);
    apns.answer(() => ({ status: 200 }));
    assert.equal((await phone.register(pass, "beef")).status, 200);
    await toThis(stage, pass, "pushed");
    assert.equal(pushesTo({ pushToken: "beef" }), 1);
  });

  it("400 for another reason is our fault: it failed, the token stays and the log says why", async () => {
    const { pass, phone } = await install();
    apns.answer(() => ({ status: 400, body: { reason: "BadPriority" } }));
    await stage.change(pass, "Ada");
    await toThis(stage, pass, "failed");
    assert.ok(api.logLines.some((line) => line.includes("BadPriority")));
    const rows = await api.sql("select push_token from apple_device where device_id = $1", [
      phone.id,
    ]);
    assert.deepEqual(rows, [{ push_token: phone.pushToken }]);
  });

  it("403: the queue of the tenant stops and says so, others go on; it is tried again", async () => {
    const other = await openAppleStage(api);
    const { pass } = await install();
    const { pass: theirs } = await install(other);
    apns.answer(({ sender }) =>
      sender === stage.passType
        ? { status: 403, body: { reason: "BadCertificate" } }
        : { status: 200 },
    );
    await stage.change(pass, "Ada");
    await until(async () => (await stage.deliveries(pass)).queue.state === "refused");
    const { queue, deliveries } = await stage.deliveries(pass);
    assert.equal(queue.reason, "BadCertificate");
    assert.equal(deliveries[0].state, "queued");
    const refused = () => apns.received.filter(({ sender }) => sender === stage.passType).length;
    assert.equal(refused(), 1);
    const problemsOf = async ({ tenantId }: Stage) => {
      const { status, body } = await api.get(`/api/${tenantId}/admin/wallets`, {
        key: api.operatorKey,
      });
      assert.equal(status, 200);
      return (body.apple.problems as { code: string; message: string }[]).filter(
        ({ code }) => code === "credential.pushes-refused",
      );
    };
    const [problem] = await problemsOf(stage);
    assert.match(problem?.message ?? "", /since \d{4}-\d\d-\d\d \d\d:\d\d UTC \(BadCertificate\)/);
    assert.deepEqual(await problemsOf(other), []);
    await stage.change(pass, "Grace");
    await other.change(theirs, "Ada");
    await toThis(other, theirs, "pushed");
    assert.equal(refused(), 1);
    assert.equal((await other.deliveries(theirs)).queue.state, "open");

    apns.answer(() => ({ status: 200 }));
    await goOn(16 * MINUTE_MS, stage);
    await toThis(stage, pass, "pushed");
    await until(async () => (await stage.deliveries(pass)).queue.state === "open");
    assert.deepEqual(await problemsOf(stage), []);
  });

  for (const [status, reason, minutes] of [
    [429, "TooManyRequests", 1],
    [500, "InternalServerError", 15],
    [503, "Shutdown", 15],
  ] as const) {
    it(`${status}: tried again after ${minutes} min`, async () => {
      const { pass } = await install();
      apns.answer(() => ({ status, body: { reason } }));
      await stage.change(pass, "Ada");
      await until(async () => (await stage.deliveries(pass)).deliveries[0].failures === 1);
      const { deliveries } = await stage.deliveries(pass);
      assert.deepEqual([deliveries[0].state, deliveries[0].lastReason], ["queued", reason]);
      apns.answer(() => ({ status: 200 }));
      const waitMs = Date.parse(deliveries[0].nextPushAt) - clock.now().getTime();
      assert.equal(Math.ceil(waitMs / MINUTE_MS), minutes);
      await goOn(minutes * MINUTE_MS, stage);
      const [pushed] = await toThis(stage, pass, "pushed");
      assert.equal(pushed?.failures, 0);
    });
  }

  it("GOAWAY, or a connection cut after the request: sent again on another one", async () => {
    for (const fault of ["goaway", "cut"] as const) {
      const { pass, phone } = await install();
      const devices = [phone];
      for (let count = 0; count < 11; count += 1) {
        const device = stage.device();
        await device.register(pass);
        devices.push(device);
      }
      let faults = 0;
      apns.answer(() => {
        faults += 1;
        return faults === 3 ? fault : { status: 200 };
      });
      await stage.change(pass, "Ada");
      await toThis(stage, pass, "pushed", devices.length);
      assert.ok(devices.every((device) => pushesTo(device) > 0));
    }
  });

  it("not more requests at once than SETTINGS allow, on a few connections when one is full", async () => {
    // A tenant of its own has a certificate of its own, which has no connection yet.
    const place = await openAppleStage(api);
    const { pass } = await install(place);
    const count = 40;
    await Promise.all(Array.from({ length: count - 1 }, () => place.device().register(pass)));
    apns.counts.sessions = 0;
    apns.counts.streamsMost = 0;
    await place.change(pass, "Ada");
    await toThis(place, pass, "pushed", count);
    // What the service allows is known now, and so is that it is not enough.
    await place.change(pass, "Grace");
    await toThis(place, pass, "superseded", count);
    await toThis(place, pass, "pushed", count);
    assert.equal(apns.counts.streamsMost, 5);
    const { sessions } = apns.counts;
    assert.ok(sessions >= 2 && sessions <= 4, String(sessions));
  });

  it("a service that is away: nothing is lost, and everything comes when it is back", async () => {
    const { pass } = await install();
    const { pass: second } = await install();
    apns.setThere(false);
    try {
      await stage.change(pass, "Ada");
      await until(async () => (await stage.deliveries(pass)).queue.state === "unreachable");
      await stage.change(second, "Grace");
      const { deliveries } = await stage.deliveries(pass);
      assert.deepEqual([deliveries[0].state, deliveries[0].failures], ["queued", 0]);
    } finally {
      apns.setThere(true);
    }
    await goOn(5 * MINUTE_MS, stage);
    await toThis(stage, pass, "pushed");
    await toThis(stage, second, "pushed");
    assert.equal((await stage.deliveries(pass)).queue.state, "open");
  });

  it("a notification is fetched as a part of the pass", async () => {
    const { pass, phone } = await install();
    const path = `/api/${stage.tenantId}/passes/${pass.id}/notification`;
    const body = { content: "Your table is ready." };
    const sent = await api.put(path, { key: api.operatorKey, body });
    assert.ok(sent.status < 300, sent.text);
    await until(() => pushesTo(phone) === 1);
    const { storeCard } = await phone.show(pass);
    assert.match(JSON.stringify(storeCard.backFields), /Your table is ready/);
    await toThis(stage, pass, "fetched");
  });

  it("disabling is told, and so is a publication, to every device", async () => {
    const { pass, phone } = await install();
    const { pass: second } = await install();
    const path = `/api/${stage.tenantId}/passes/${pass.id}`;
    const body = { status: "disabled", options: { BypassQueue: true } };
    const { status, text } = await api.patch(path, { key: api.operatorKey, body });
    assert.equal(status, 200, text);
    await until(() => pushesTo(phone) === 1);
    assert.equal((await phone.show(pass)).voided, true);

    await stage.publish({ "locales/en.yml": "greeting: Hello\n" });
    await toThis(stage, second, "pushed");
  });
});
