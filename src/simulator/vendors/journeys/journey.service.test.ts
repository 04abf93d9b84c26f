import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { startVendors } from "#test/support/vendors.ts";
import { startReceiver } from "#test/support/webhook-receiver.ts";
import { signHubspotV2, signHubspotV3 } from "../hubspot/hubspot.signature.ts";
import { Vendors } from "../vendors.service.ts";

const VECTOR = {
  url: "https://www.example.com/webhook_uri",
  body: '{"example_field":"example_value"}',
};
const SECRET = "yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy";
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

async function open(t: TestContext) {
  const [receiver, vendors] = await Promise.all([startReceiver(t), startVendors(t)]);
  const { braze, brevo, hubspot, scenarios, bloomreach } = vendors;
  const { url } = receiver;
  braze.createStep({ id: "s", url, apiKey: "k", body: `{"id":"{{\${user_id}}}"}` });
  brevo.createStep({ id: "s", url, apiKey: "k" });
  hubspot.createStep({ id: "s", url, apiKey: "k", body: { id: "{{ contact.hs_object_id }}" } });
  for (const vendor of [braze, brevo, hubspot]) vendor.putPerson("7", {});
  scenarios.createFlow({ id: "s", url, apiKey: "k", body: '{"id":"{{ customer_ids.id }}"}' });
  bloomreach.createProject();
  bloomreach.putCustomer({ customer_ids: { id: "7" } });
  const enter = {
    braze: () => braze.enter("s", ["7"]),
    brevo: () => brevo.enter("s", ["7"]),
    hubspot: () => hubspot.enter("s", ["7"]),
    scenarios: () => scenarios.enterCustomer("s", { customer_ids: { id: "7" } }),
  };
  return { receiver, vendors, enter };
}
type Name = keyof Awaited<ReturnType<typeof open>>["enter"];

describe("signatures of HubSpot", () => {
  it("are the one that was published, and the one computed from the published formula", () => {
    assert.equal(
      signHubspotV2(SECRET, VECTOR),
      "9569219f8ba981ffa6f6f16aa0f48637d35d728c7e4d93d0d52efaa512af7900",
    );
    assert.equal(
      signHubspotV3(SECRET, VECTOR, 1_700_000_000_000),
      "rQEKkaNUiu+1qGF//O/pw4BCzstSqO1PyUnGICmf+7o=",
    );
  });
});

describe("what vendors of journeys make of an answer", () => {
  const RETRIED = { braze: [408, 429, 500, 503], brevo: [429, 500, 503], hubspot: [302, 429, 503] };
  const SKIPPED = { braze: [302, 400, 404, 410], brevo: [400, 404, 408], hubspot: [400, 404, 410] };
  const rows: readonly [Name, readonly number[], readonly number[]][] = [
    ["braze", RETRIED.braze, SKIPPED.braze],
    ["brevo", RETRIED.brevo, SKIPPED.brevo],
    ["hubspot", RETRIED.hubspot, SKIPPED.hubspot],
    ["scenarios", [500, 503], [401, 403, 409, 422, 429]],
  ];
  for (const [name, retried, skipped] of rows) {
    it(`${name}: tries again after ${retried.join(", ")}, and gives one person up after ${skipped.join(", ")}`, async (t) => {
      const { receiver, vendors, enter } = await open(t);
      for (const status of [...retried, ...skipped, 200]) {
        receiver.answer(status);
        const [delivery] = enter[name]();
        await vendors.idle();
        const expected =
          status === 200 ? "delivered" : retried.includes(status) ? "waiting" : "failed";
        assert.equal(delivery?.state, expected, `${status}`);
        assert.equal(receiver.received.at(-1)?.headers["x-api-key"], "k");
        assert.ok(vendors[name].isOn("s"), `${status}`);
      }
    });
  }

  it("scenarios: 400, 404, 410, 412, 413 and 418 end the webhook for all", async (t) => {
    for (const status of [400, 404, 410, 412, 413, 418]) {
      const { receiver, vendors, enter } = await open(t);
      receiver.answer(status);
      enter.scenarios();
      await vendors.idle();
      assert.ok(!vendors.scenarios.isOn("s"), `${status}`);
      assert.deepEqual(enter.scenarios(), []);
    }
  });

  it("scenarios: a customer for whom it did not succeed is told in a 200", async (t) => {
    const { receiver, vendors, enter } = await open(t);
    receiver.answer({ status: 200, body: '{"success":false}' });
    const [delivery] = enter.scenarios();
    await vendors.idle();
    assert.equal(delivery?.state, "failed");
    assert.ok(vendors.scenarios.isOn("s"));
  });
});

describe("when vendors of journeys try again", () => {
  const attemptsAfter = async (t: TestContext, name: Name, ms: readonly number[]) => {
    const { receiver, vendors, enter } = await open(t);
    receiver.answer(503);
    const [delivery] = enter[name]();
    await vendors.idle();
    const counts: number[] = [];
    for (const wait of ms) {
      await vendors.advance(wait);
      counts.push(receiver.received.length);
    }
    return { counts, state: delivery?.state };
  };

  it("Braze: five times within half an hour", async (t) => {
    const { counts, state } = await attemptsAfter(t, "braze", [MINUTE_MS, 29 * MINUTE_MS, DAY_MS]);
    assert.deepEqual(counts, [2, 6, 6]);
    assert.equal(state, "failed");
  });

  it("Brevo: after ten minutes, and one, two and eight hours", async (t) => {
    const waits = [10 * MINUTE_MS - 1, 1, HOUR_MS, 2 * HOUR_MS, 8 * HOUR_MS, DAY_MS];
    const { counts, state } = await attemptsAfter(t, "brevo", waits);
    assert.deepEqual(counts, [1, 2, 3, 4, 5, 5]);
    assert.equal(state, "failed");
  });

  it("HubSpot: after a minute, at least every eight hours, and no longer than three days", async (t) => {
    const { receiver, vendors, enter } = await open(t);
    receiver.answer(503);
    const [delivery] = enter.hubspot();
    await vendors.idle();
    await vendors.advance(MINUTE_MS);
    assert.equal(receiver.received.length, 2);
    await vendors.advance(2 * DAY_MS);
    assert.equal(delivery?.state, "waiting");
    const before = receiver.received.length;
    await vendors.advance(8 * HOUR_MS);
    assert.equal(receiver.received.length, before + 1);
    await vendors.advance(DAY_MS);
    assert.equal(delivery.state, "failed");
  });

  it("HubSpot: takes Retry-After of a 429 for milliseconds", async (t) => {
    const { receiver, vendors, enter } = await open(t);
    receiver.answer({ status: 429, headers: { "retry-after": "7000" } });
    const [delivery] = enter.hubspot();
    await vendors.idle();
    receiver.answer(200);
    await vendors.advance(6_999);
    assert.equal(delivery?.state, "waiting");
    await vendors.advance(1);
    assert.equal(delivery.state, "delivered");
  });

  it("scenarios: after a second without an answer, later", async (t) => {
    const { receiver, vendors, enter } = await open(t);
    assert.equal(vendors.scenarios.outbox.deadlineMs, 1_000);
    vendors.scenarios.outbox.deadlineMs = 50;
    receiver.answer("hang");
    const [delivery] = enter.scenarios();
    await vendors.idle();
    assert.equal(delivery?.attempts[0]?.failure, "timeout");
    // An answer may take longer than 50 ms where the machine is busy.
    vendors.scenarios.outbox.deadlineMs = MINUTE_MS;
    receiver.answer(200);
    await vendors.advance(MINUTE_MS);
    assert.equal(delivery.state, "delivered");
  });
});

describe("what vendors of journeys send", () => {
  it("Braze: Liquid of its own, and one dispatch for all who come together", async (t) => {
    const { receiver, vendors } = await open(t);
    const { braze } = vendors;
    const body = `{"key":"{{campaign.\${dispatch_id}}}","id":"{{\${user_id}}}",
      "name":"{{\${first_name} | json_escape}}","points":"{{custom_attribute.\${points} | default: ''}}"}`;
    braze.createStep({ id: "welcome", url: receiver.url, apiKey: "k", body });
    braze.putPerson("u-1", { first_name: 'Ada "A"', custom_attribute: { points: 5 } });
    braze.putPerson("u-2", { first_name: "Grace" });
    braze.enter("welcome", ["u-1", "u-2"]);
    await vendors.idle();
    const [{ key: first, ...ada } = {}, { key: second, ...grace } = {}] = receiver.received.map(
      ({ body: sent }) => sent,
    );
    assert.deepEqual(ada, { id: "u-1", name: 'Ada "A"', points: "5" });
    assert.deepEqual(grace, { id: "u-2", name: "Grace", points: "" });
    assert.equal(first, second);
    braze.enter("welcome", ["u-1"]);
    await vendors.idle();
    assert.notEqual(receiver.received[2]?.body.key, first);
  });

  it("Brevo: the contact and its attributes, as they are when it comes to the step", async (t) => {
    const { receiver, vendors } = await open(t);
    const { brevo } = vendors;
    const step = { id: "welcome", url: receiver.url, apiKey: "k", workflowId: 9, stepId: 5 };
    brevo.createStep(step);
    brevo.putPerson("27007", { email: "ada@example.com", attributes: { FIRSTNAME: "Ada" } });
    brevo.enter("welcome", ["27007"]);
    await vendors.idle();
    assert.deepEqual(receiver.received[0]?.body, {
      appName: "workflow-action-processor",
      attributes: { FIRSTNAME: "Ada" },
      email: "ada@example.com",
      contact_id: 27_007,
      step_id: 5,
      workflow_id: 9,
    });
  });

  it("HubSpot: pairs that an app signs, and actions with an id of each run", async (t) => {
    const { receiver, vendors } = await open(t);
    const { hubspot } = vendors;
    const { url } = receiver;
    const pairs = { "additionalData.firstName": "{{ contact.firstname }}" };
    hubspot.putPerson("904", { firstname: "Ada" });
    hubspot.createStep({ id: "signed", url, clientSecret: SECRET, body: pairs });
    hubspot.createStep({ id: "old", url, clientSecret: SECRET, version: "v2", body: pairs });
    hubspot.createStep({ id: "action", url, clientSecret: SECRET, inputFields: pairs });
    for (const id of ["signed", "old", "action", "action"]) {
      hubspot.enter(id, ["904"]);
      await vendors.idle();
    }
    const [signed, old, first, second] = receiver.received;
    const text = (received: typeof signed) => ({ url, body: String(received?.raw) });
    assert.deepEqual(signed?.body, { "additionalData.firstName": "Ada" });
    const at = Number(signed.headers["x-hubspot-request-timestamp"]);
    const third = signHubspotV3(SECRET, text(signed), at);
    assert.equal(signed.headers["x-hubspot-signature-v3"], third);
    for (const received of [old, first, second]) {
      const hash = signHubspotV2(SECRET, text(received));
      assert.equal(received?.headers["x-hubspot-signature"], hash);
      assert.equal(received.headers["x-hubspot-signature-version"], "v2");
      assert.equal(received.headers["x-hubspot-signature-v3"], undefined);
    }
    assert.deepEqual(first?.body.inputFields, { "additionalData.firstName": "Ada" });
    assert.notEqual(first.body.callbackId, second?.body.callbackId);
    for (const wrong of [
      { body: pairs },
      { apiKey: "k", clientSecret: SECRET, body: pairs },
      { apiKey: "k" },
      { apiKey: "k", inputFields: pairs },
    ]) {
      assert.throws(() => hubspot.createStep({ id: "x", url, ...wrong }), /Give|give/);
    }
  });

  it("is what people and steps were before a restart", async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "vendors-"));
    t.after(() => rm(folder, { recursive: true }));
    const receiver = await startReceiver(t);
    const start = () => Vendors.open({ folder, ticks: false, resolve: (url) => url });
    const before = await start();
    before.brevo.createStep({ id: "s", url: receiver.url, apiKey: "k" });
    before.brevo.putPerson("7", { attributes: { FIRSTNAME: "Ada" } });
    await before.close();
    const after = await start();
    t.after(() => after.close());
    after.brevo.enter("s", ["7"]);
    await after.idle();
    assert.deepEqual(receiver.received[0]?.body.attributes, { FIRSTNAME: "Ada" });
    await after.reset();
    assert.throws(() => after.brevo.enter("s", ["7"]), /no thing/);
  });

  it("goes once to a step that was made again", async (t) => {
    const { receiver, vendors, enter } = await open(t);
    vendors.brevo.createStep({ id: "s", url: `${receiver.url}/new`, apiKey: "k2" });
    enter.brevo();
    await vendors.idle();
    assert.deepEqual(
      receiver.received.map(({ path, headers }) => [path, headers["x-api-key"]]),
      [["/hook/new", "k2"]],
    );
  });
});
