import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Delivery } from "#src/simulator/vendors/deliveries/delivery.ts";
import { shareBreakableApi } from "#test/support/breakable-api.ts";
import {
  BREVO_SETTINGS,
  brazeVendor,
  brevoVendor,
  type Doors,
  type HubspotWay,
  hubspotVendor,
  type JourneyAction,
  type JourneyVendor,
  scenarioVendor,
  TOLD,
} from "#test/support/journey-vendors.ts";
import { openPhoneJourney, PUBLIC_URL } from "#test/support/phone-journey.ts";
import { startVendors } from "#test/support/vendors.ts";

const reached: Record<string, string> = {};
const vendors = await startVendors({ after }, { inPlaceOf: reached });
const { bloomreach } = vendors;
const HOUR_MS = 3_600_000;
const TRIES_MAX = 30;
const LATE: readonly (number | null)[] = [503, null];

type Journey = Awaited<ReturnType<typeof openPhoneJourney>>;
type Way = {
  readonly connector: string;
  readonly tenantId: string;
  readonly outbox: { again(id: string): Delivery; setFault(fault: Fault | undefined): void };
  readonly vendor: JourneyVendor;
  readonly journey: Journey;
  /** Whose pass it is, and somebody else. */
  readonly people: readonly [string, string];
  /** What is signed goes through the inbox, and the vendor learns nothing of the outcome. */
  readonly isSigned: boolean;
  /** Whether a repetition can be told from a new call that says how the pass shall be. */
  readonly isKeyed: boolean;
  /** How the vendor takes the answer that it cannot be done for one person. */
  readonly refusedAs: Delivery["state"];
  /** Waits until the vendor was told of both phones: what an outage cuts short takes a minute more. */
  readonly isTold?: () => Promise<void>;
};
type Fault = { readonly kind: "cut" | "duplicate"; readonly times: number };

describe("what happens on a journey at a marketing vendor", () => {
  const { api, duringOutage } = shareBreakableApi({ BASE_URL: PUBLIC_URL });
  before(() => {
    reached[PUBLIC_URL] = api().url;
  });

  const doorsOf = async (tenantId: string, connector: string): Promise<Doors> => ({
    tenantId,
    urlOf: (action) => `${PUBLIC_URL}/api/${tenantId}/extensions/${connector}/journey/${action}`,
    secret: await api().seed.key(tenantId, "Extension.Journey"),
  });

  const eventsOf = async (tenantId: string, passId: string, name: string): Promise<number> => {
    const rows = await api().sql(
      "select from event where tenant_id = $1 and name = $2 and data ->> 'id' = $3",
      [tenantId, name, passId],
    );
    return rows.length;
  };

  /** Waits until the inbox has nothing left to do. */
  const settle = async ({ journey, tenantId }: Way) => {
    await vendors.idle();
    await journey.waitFor("the inbox is done", async () => {
      const rows = await api().sql(
        "select from inbound_delivery where tenant_id = $1 and status = 'waiting'",
        [tenantId],
      );
      return rows.length === 0;
    });
  };
  const come = async (way: Way, action: JourneyAction, who: string, fault?: Fault) => {
    way.outbox.setFault(fault);
    const call = way.vendor.come(action, who);
    await vendors.idle();
    if (fault?.kind !== "cut") await insist(way, call);
    return call;
  };

  /**
   * Bloomreach waits for a second, and on a busy machine we are sometimes late: then the vendor has to
   * ask once more.
   */
  const insist = async (way: Way, { id, attempts }: Delivery) => {
    const isLate = () => LATE.includes(attempts.at(-1)?.status ?? null);
    for (let tries = 0; tries < TRIES_MAX && isLate(); tries += 1) {
      way.outbox.again(id);
      await vendors.idle();
    }
    await settle(way);
  };

  /** A call that comes before the pass it is about is refused for its person alone. */
  async function overtake(way: Way): Promise<void> {
    const { vendor, journey, outbox, tenantId } = way;
    const [, other] = way.people;
    vendor.know(other, { firstName: "Leopold", tier: "Bronze" });
    const create = await come(way, "createPass", other, { kind: "cut", times: 1 });
    assert.equal(create.state, "waiting");
    const told = await come(way, "notifyPass", other);
    assert.equal(told.attempts.at(-1)?.status, 200);
    assert.equal(told.state, way.refusedAs);
    assert.equal(await journey.passIdOf(other), undefined);
    await vendors.advance(HOUR_MS);
    await insist(way, create);
    const phone = await journey.hold("iphone", other);
    await phone.shows("Leopold");
    if (way.isSigned) await replayFailed(way);
    else outbox.again(told.id);
    await vendors.idle();
    await insist(way, told);
    await phone.isTold(TOLD);
    assert.equal(await eventsOf(tenantId, phone.passId, "pass.notified"), 1);
    assert.ok(vendor.isOn("notifyPass"));
  }

  const replayFailed = async ({ journey, connector }: Way) => {
    const inbox = journey.path(`admin/extensions/${connector}/inbox`);
    const { key } = journey;
    const { body } = await api().get(inbox, { key });
    const failed = body.filter(({ status }: { status: string }) => status === "failed");
    assert.equal(failed.length, 1);
    const { status } = await api().post(`${inbox}/${failed[0].deliveryId}/replay`, { key });
    assert.equal(status, 202);
  };

  /** What was called for while our own database was away is seen as soon as the vendor tries again. */
  async function outlastOutage(way: Way, who: string): Promise<void> {
    way.vendor.know(who, { firstName: "Ottilie", tier: "Gold" });
    let call: Delivery | undefined;
    await duringOutage(async () => {
      way.outbox.setFault(undefined);
      call = way.vendor.come("updatePass", who);
      await vendors.idle();
      const [attempt] = call.attempts;
      // Only Bloomreach waits so shortly that a busy machine may be too late even for this.
      const isTooLate = way.connector === "cdp" && attempt?.failure === "timeout";
      if (!isTooLate) assert.equal(attempt?.status, 503, String(attempt?.failure));
      assert.equal(call.state, "waiting");
    });
    await vendors.advance(HOUR_MS);
    assert.ok(call !== undefined);
    await insist(way, call);
    assert.equal(call.state, "delivered");
  }

  async function follow(way: Way): Promise<string> {
    const { vendor, journey, outbox, tenantId } = way;
    const [who] = way.people;
    vendor.know(who, { firstName: "Ottilie", tier: "Bronze" });
    const create = await come(way, "createPass", who, { kind: "duplicate", times: 1 });
    assert.ok(create.attempts.length >= 2);
    const iphone = await journey.hold("iphone", who);
    const { installUrl } = JSON.parse(create.attempts.at(-1)?.answer || "{}");
    assert.equal(installUrl === undefined, way.isSigned);
    const android = await (installUrl === undefined
      ? journey.hold("android", who)
      : journey.add("android", installUrl));
    const showBoth = async (...texts: string[]) => {
      for (const phone of [iphone, android]) await phone.shows(...texts);
    };
    await showBoth("Ottilie", "Bronze");
    assert.equal(await eventsOf(tenantId, iphone.passId, "pass.created"), 1);

    vendor.know(who, { firstName: "Tilly", tier: "Silver" });
    await come(way, "updatePass", who, { kind: "duplicate", times: 1 });
    await showBoth("Tilly", "Silver");
    await come(way, "notifyPass", who, { kind: "duplicate", times: 1 });
    for (const phone of [iphone, android]) await phone.isTold(TOLD);
    await way.isTold?.();

    await outlastOutage(way, who);
    await showBoth("Ottilie", "Gold");
    if (way.isKeyed) {
      // It tells what was known at the beginning, and comes last.
      outbox.again(create.id);
      await vendors.idle();
      await insist(way, create);
      await showBoth("Ottilie", "Gold");
    }
    assert.equal(await iphone.timesTold(TOLD), 1);
    assert.equal(await eventsOf(tenantId, iphone.passId, "pass.notified"), 1);
    for (const action of ["createPass", "updatePass", "notifyPass"] as const) {
      assert.ok(vendor.isOn(action), action);
    }
    await overtake(way);
    return iphone.passId;
  }

  it("Braze: is seen on the phones of a user, whatever comes twice, late or while we are away", async () => {
    const [connector, tenantId] = ["braze", "braze-club"];
    const journey = await openPhoneJourney(api(), tenantId, "braze.userId");
    await journey.connect(connector, { passType: "member" });
    const vendor = brazeVendor(vendors, await doorsOf(tenantId, connector));
    const { outbox } = vendors.braze;
    const kind = { isSigned: false, isKeyed: true, refusedAs: "delivered" } as const;
    const people = ["u-1", "u-2"] as const;
    await follow({ connector, tenantId, outbox, vendor, journey, people, ...kind });
  });

  it("Brevo: is seen on the phones of a contact, whatever comes twice, late or while we are away", async () => {
    const [connector, tenantId] = ["brevo", "brevo-club"];
    const journey = await openPhoneJourney(api(), tenantId, "brevo.contactId");
    await journey.connect(connector, { passType: "member", ...BREVO_SETTINGS });
    const vendor = brevoVendor(vendors, await doorsOf(tenantId, connector));
    const { outbox } = vendors.brevo;
    const kind = { isSigned: false, isKeyed: false, refusedAs: "delivered" } as const;
    const people = ["27007", "27008"] as const;
    await follow({ connector, tenantId, outbox, vendor, journey, people, ...kind });
  });

  for (const [way, words] of [
    ["key", "a webhook with an API key"],
    ["v3", "a webhook that an app signs"],
    ["v2", "a webhook with the older signature"],
    ["action", "an action of an app"],
  ] as const satisfies readonly (readonly [HubspotWay, string])[]) {
    it(`HubSpot: ${words} is seen on the phones of a contact, whatever comes twice, late or while we are away`, async () => {
      const [connector, tenantId] = ["hubspot", `hubspot-${way}`];
      const journey = await openPhoneJourney(api(), tenantId, "hubspot.contactId");
      const isSigned = way !== "key";
      const clientSecret = `secret-of-${way}`;
      const settings = { passType: "member", ...(isSigned && { clientSecret }) };
      const webhookUrl = await journey.connect(connector, settings);
      const byKey = await doorsOf(tenantId, connector);
      const signed = { tenantId, urlOf: () => webhookUrl, secret: clientSecret };
      const vendor = hubspotVendor(vendors, isSigned ? signed : byKey, way);
      const { outbox } = vendors.hubspot;
      const kind = { isSigned, isKeyed: true, refusedAs: "delivered" } as const;
      const people = ["904", "905"] as const;
      await follow({ connector, tenantId, outbox, vendor, journey, people, ...kind });
    });
  }

  it("Bloomreach: a scenario is seen on the phones of a customer, and the phones at Bloomreach", async () => {
    const [connector, tenantId] = ["cdp", "scenario-club"];
    const journey = await openPhoneJourney(api(), tenantId, "cdp.registered");
    const { token, apiKeyId, apiKeySecret } = bloomreach.createProject();
    const settings = { projectToken: token, baseUrl: bloomreach.url, apiKeyId, apiKeySecret };
    await journey.connect(connector, settings);
    const vendor = scenarioVendor(vendors, await doorsOf(tenantId, connector), token);
    const { outbox } = vendors.scenarios;
    const kind = { isSigned: false, isKeyed: true, refusedAs: "failed" } as const;
    const people = ["ottilie@harbour.example", "leopold@harbour.example"] as const;
    const told = () =>
      bloomreach
        .events(token)
        .filter(({ customer_ids }) => JSON.stringify(customer_ids).includes(people[0]))
        .map(({ event_type }) => String(event_type));
    const isTold = () =>
      journey.waitFor("Bloomreach knows both phones", async () => {
        return told().filter((type) => type === "pass_installed").length >= 2;
      });
    const way = { connector, tenantId, outbox, vendor, journey, people, isTold, ...kind };
    const passId = await follow(way);

    const scan = await api().post(journey.path("scans"), {
      key: journey.key,
      body: { data: passId, type: "qrcode", location: "Gate 4" },
    });
    assert.equal(scan.status, 201, scan.text);
    await journey.waitFor("Bloomreach knows", async () => told().includes("pass_scanned"));
    for (const type of ["pass_created", "pass_installed", "pass_updated"]) {
      assert.ok(told().includes(type), `${type}: ${told()}`);
    }
  });
});
