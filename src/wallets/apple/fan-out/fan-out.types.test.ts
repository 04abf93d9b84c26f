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
import { AHEAD_MAX } from "./fan-out.repository.ts";
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
  /** Walks to the end, by steps of so many devices. Returns the number of steps. */
  async function walk(devices = 1): Promise<number> {
    for (let steps = 0; ; steps += 1) {
      const lease = newLease();
      const step = await claimFanOut(call(), lease, devices);
      if (step === undefined) return steps;
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

  it("of one template finds all passes of its type behind more of another type than a step looks at", async () => {
    const [card, coupon] = [await install(), await installCoupon()];
    const second = await installCoupon();
    const token = "c0de".repeat(16);
    const { tenantId, passType } = stage;
    await api.sql(
      "insert into apple_device (tenant_id, device_id, pass_type_identifier, push_token, token_at) values ($1, 'crowd', $2, $3, now())",
      [tenantId, passType, token],
    );
    // They come before all others in the order of ids. One of them is a coupon.
    const crowd = "from generate_series(1, $2) as number";
    const count = AHEAD_MAX + 500;
    await api.sql(
      `insert into apple_pass (tenant_id, pass_id, pass_type, revision, tag, modified_at)
       select $1, '!' || lpad(number::text, 6, '0'),
              case number when 77 then 'coupon' else 'loyalty' end, 1, 0, now() ${crowd}`,
      [tenantId, count],
    );
    await api.sql(
      `insert into apple_registration (tenant_id, pass_id, device_id, pass_type_identifier, registered_at)
       select $1, '!' || lpad(number::text, 6, '0'), 'crowd', $3, now() ${crowd}`,
      [tenantId, count, passType],
    );
    await editCoupon("Gift");
    assert.equal(await walk(3), 2);
    assert.deepEqual(pushed(), [token, ...tokensOf(coupon, second)].sort());
    assert.equal(await newestOf(card), undefined);
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

  it("of one translation pushes to devices with passes of the types that have its text", async () => {
    const [card, coupon] = [await install(), await installCoupon()];
    const publish = (words: string) => stage.publish({ "locales/de.yml": words });
    await publish("Member: Mitglied\nOffer: Angebot\n");
    await walk();
    assert.deepEqual(pushed(), tokensOf(card, coupon), "a language more changes every pass");
    apns.received.length = 0;
    await publish("Member: Mitglied\nOffer: Geschenk\nUnused: Unbenutzt\n");
    await walk();
    assert.deepEqual(pushed(), tokensOf(coupon));
    await publish("Member: Inhaber\nOffer: Geschenk\nUnused: Unbenutzt\n");
    await walk();
    assert.deepEqual(pushed(), tokensOf(card, coupon));
    await publish("Member: Inhaber\nOffer: Geschenk\n");
    await walk();
    assert.deepEqual(pushed(), tokensOf(card, coupon));
  });

  it("of settings that no pass shows pushes to no device, also during the walk of another", async () => {
    const [card, coupon] = [await install(), await installCoupon()];
    const apple = (push: string) => ({
      "server/apple.yml": `passTypeIdentifier: ${stage.passType}
teamIdentifier: ABCDE12345
secrets: { certificate: APPLE-CERTIFICATE, key: APPLE-KEY }
${push}`,
    });
    const settings = (more: string) => ({ "tenant.yml": `name: Harbour\n${more}` });
    await stage.publish({ ...apple(""), ...settings("") });
    await walk();
    assert.deepEqual(pushed(), tokensOf(card, coupon), "the name and the issuer are shown");
    apns.received.length = 0;
    await editCoupon("Gift");
    await stage.publish(apple("push: { type: alert }\n"));
    await stage.publish(settings("rateLimits: { default: { limit: 900, windowSeconds: 60 } }\n"));
    await walk();
    assert.deepEqual(pushed(), tokensOf(coupon));
    await stage.publish(settings("timeZone: Europe/Zurich\n"));
    await walk();
    assert.deepEqual(pushed(), tokensOf(card, coupon, coupon));
  });

  it("of a shared file pushes to every device", async () => {
    const [card, coupon] = [await install(), await installCoupon()];
    await stage.publish({ "locales/en.yml": "greeting: Hello\n" });
    await walk();
    assert.deepEqual(pushed(), tokensOf(card, coupon));
  });
});
