import assert from "node:assert/strict";
import { after, beforeEach, describe, it } from "node:test";
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
import { PASS_FILES } from "#test/support/pass-tenant.ts";
import { appleTokenOf } from "../bundle/bundle.service.ts";
import { tellDevices } from "../deliveries/delivery.service.ts";
import { claimFanOut, pushFanOut } from "./fan-out.service.ts";

// Without the role `worker`, so that only these tests claim.
const { apns, api } = await startApiWithApns({ after }, { env: { ROLES: "api" } });

describe("a publication", () => {
  let stage: AppleStage;
  beforeEach(async () => {
    stage = await openAppleStage(api);
    apns.answer(() => ({ status: 200 }));
    apns.received.length = 0;
  });

  const call = () => systemCall(api.runtime, "test.push", { tenantId: stage.tenantId });
  const newLease = () => new Lease(120, new ManualClock());
  const install = () => installPass(stage);
  const newestOf = async ({ pass }: Installed) => (await stage.deliveries(pass)).deliveries[0];
  /** A pass of the other type, with a device that holds it. */
  async function installCoupon(): Promise<Installed> {
    const { status, body } = await api.post(`/api/${stage.tenantId}/passes?passType=coupon`, {
      key: api.operatorKey,
      body: { additionalData: { offer: "Tea" } },
    });
    assert.equal(status, 201);
    const pass = { id: body.id, secret: body.secret, token: appleTokenOf(body) };
    return await installPass(stage, { pass });
  }
  const editCoupon = (label: string) =>
    stage.publish({
      "server/passes/coupon.yml": String(PASS_FILES["server/passes/coupon.yml"]).replace(
        "label: Offer",
        `label: ${label}`,
      ),
    });
  /** Walks to the end, by steps of one device. */
  async function walk(): Promise<void> {
    for (;;) {
      const lease = newLease();
      const step = await claimFanOut(call(), lease, 1);
      if (step === undefined) return;
      await pushFanOut(call(), step, lease);
    }
  }
  const pushed = () => apns.received.map(({ token }) => token).sort();
  const tokensOf = (...installed: readonly Installed[]) =>
    installed.map(({ phone }) => phone.pushToken).sort();

  it("of one template pushes to devices with passes of its type alone, and leaves the others as they are", async () => {
    const [card, coupon] = [await install(), await installCoupon()];
    const [second, third] = [await installCoupon(), await install()];
    await call().transaction(async (tx) => tellDevices(tx, [card.pass.id]));
    const before = await newestOf(card);
    await editCoupon("Gift");
    await walk();
    assert.deepEqual(pushed(), tokensOf(coupon, second));
    assert.deepEqual(await newestOf(card), before);
    assert.equal(await newestOf(third), undefined);
    assert.equal((await third.phone.ask()).status, 200);
    assert.deepEqual(await api.sql("select from apple_fan_out"), []);
  });

  it("during the walk of another pushes to the devices of both, to each for its newest content", async () => {
    const [card, coupon] = [await install(), await installCoupon()];
    const [second, other] = [await installCoupon(), await install()];
    await editCoupon("Gift");
    assert.ok(await claimFanOut(call(), newLease(), 1));
    await stage.publish({ "layouts/loyalty.apple.yml": "groupingIdentifier: cards\n" });
    await walk();
    assert.deepEqual([...new Set(pushed())].sort(), tokensOf(card, coupon, second, other));
  });

  it("of files that no pass shows leaves a walk under way as it was", async () => {
    const [card, coupon] = [await install(), await installCoupon()];
    await editCoupon("Gift");
    await stage.publish({ "server/schedule.yml": "tasks: []\n" });
    await walk();
    assert.deepEqual(pushed(), tokensOf(coupon));
    assert.equal(await newestOf(card), undefined);
  });

  it("of a file that templates could show and none does pushes to no device and takes no step", async () => {
    const card = await install();
    await stage.publish({
      "server/stores.yml":
        "stores: [{ id: harbour, name: Harbour, location: { latitude: 47.37, longitude: 8.54 } }]\n",
    });
    assert.equal((await api.sql("select from apple_fan_out")).length, 1);
    assert.equal(await claimFanOut(call(), newLease(), 1), undefined);
    assert.deepEqual(await api.sql("select from apple_fan_out"), []);
    assert.equal(await newestOf(card), undefined);
  });

  it("by a process of the release before, during a walk, pushes to every device", async () => {
    const [card, coupon] = [await install(), await installCoupon()];
    await editCoupon("Gift");
    // A process of that release writes neither the version nor the files.
    const [{ version, paths } = {}] = await api.sql("select version, paths from apple_fan_out");
    await stage.publish({ "tenant.yml": "name: Harbour\n" });
    await api.sql("update apple_fan_out set version = $1, paths = $2", [version, paths]);
    await walk();
    assert.deepEqual(pushed(), tokensOf(card, coupon));
  });

  it("of a shared file pushes to every device", async () => {
    const [card, coupon] = [await install(), await installCoupon()];
    await stage.publish({ "locales/en.yml": "greeting: Hello\n" });
    await walk();
    assert.deepEqual(pushed(), tokensOf(card, coupon));
  });
});
