import { randomUUID } from "node:crypto";
import type { Outbox } from "#src/simulator/vendors/deliveries/delivery.service.ts";
import type { Delivery } from "#src/simulator/vendors/deliveries/delivery.ts";
import {
  BREVO_SETTINGS,
  brazeVendor,
  brevoVendor,
  type Doors,
  type HubspotWay,
  hubspotVendor,
  type JourneyVendor,
  scenarioVendor,
} from "./journey-vendors.ts";
import { openPhoneJourney, PUBLIC_URL } from "./phone-journey.ts";
import type { TestApi } from "./start-api.ts";
import type { Vendors } from "./vendors.ts";

/** Every vendor that calls this service, and what it says: rightly, wrongly, or signed by another. */

/** What is sent: something that can be done, something that cannot, and one that is not the vendor's. */
export type Saying = "good" | "bad" | "forged";

/** One thing that a vendor told, until it got through or the vendor gave up. */
export type Telling = {
  /** Resolves when nothing is under way. */
  readonly sent: Promise<void>;
  /** Lets the vendor say the same once more, now. */
  again?(): Promise<void>;
  statuses(): readonly (number | null)[];
  state(): Delivery["state"];
};

export type Caller = {
  say(what: Saying): Telling;
  /** Whether the vendor still calls. */
  isOn(): boolean;
};
export type Stage = { readonly api: TestApi; readonly vendors: Vendors };
export type Opening = (stage: Stage, tenantId: string) => Promise<Caller>;

const MEMBER = { passType: "member" };
const NOT_JSON = '{"id":';

type Deeds = Readonly<Record<Exclude<Saying, "forged">, () => void>> & { forged?(): void };

/** A vendor that keeps what it has to tell in an outbox. */
function fromOutbox(vendors: Vendors, outbox: Outbox, account: string, deeds: Deeds): Caller {
  return {
    say(what) {
      const before = outbox.deliveries.length;
      if (what === "forged") outbox.setFault({ kind: "wrong-signature", times: 1 });
      (deeds[what] ?? deeds.good)();
      const [delivery] = outbox.deliveries.slice(before);
      if (delivery === undefined) throw new Error("The vendor told nothing.");
      return {
        sent: vendors.idle(),
        async again() {
          outbox.again(delivery.id);
          await vendors.idle();
        },
        statuses: () => delivery.attempts.map(({ status }) => status),
        state: () => delivery.state,
      };
    },
    isOn: () =>
      outbox.subscriptions
        .filter((one) => one.account.startsWith(account))
        .every(({ endedAt }) => endedAt === null),
  };
}

/** People on journeys: nobody can be told something who has no pass. */
function fromJourney({ vendors }: Stage, outbox: Outbox, doors: Doors, vendor: JourneyVendor) {
  let people = 0;
  const next = () => {
    people += 1;
    vendor.know(String(people), { firstName: "Ada", tier: "Silver" });
    return String(people);
  };
  return fromOutbox(vendors, outbox, doors.tenantId, {
    good: () => void vendor.come("createPass", next()),
    bad: () => void vendor.come("notifyPass", next()),
  });
}

async function byKey({ api }: Stage, tenantId: string, connector: string): Promise<Doors> {
  return {
    tenantId,
    urlOf: (action) => `${PUBLIC_URL}/api/${tenantId}/extensions/${connector}/journey/${action}`,
    secret: await api.seed.key(tenantId, "Extension.Journey"),
  };
}

export const bloomreachCaller: Opening = async (stage, tenantId) => {
  const { api, vendors } = stage;
  const { bloomreach, scenarios } = vendors;
  const { token, apiKeyId, apiKeySecret } = bloomreach.createProject();
  const journey = await openPhoneJourney(api, tenantId, "cdp.registered");
  const settings = { projectToken: token, baseUrl: bloomreach.url, apiKeyId, apiKeySecret };
  await journey.connect("cdp", settings);
  const doors = await byKey(stage, tenantId, "cdp");
  return fromJourney(stage, scenarios.outbox, doors, scenarioVendor(vendors, doors, token));
};

export const brazeCaller: Opening = async (stage, tenantId) => {
  const journey = await openPhoneJourney(stage.api, tenantId, "braze.userId");
  await journey.connect("braze", MEMBER);
  const doors = await byKey(stage, tenantId, "braze");
  const vendor = brazeVendor(stage.vendors, doors);
  return fromJourney(stage, stage.vendors.braze.outbox, doors, vendor);
};

export const brevoCaller: Opening = async (stage, tenantId) => {
  const journey = await openPhoneJourney(stage.api, tenantId, "brevo.contactId");
  await journey.connect("brevo", { ...MEMBER, ...BREVO_SETTINGS });
  const doors = await byKey(stage, tenantId, "brevo");
  const vendor = brevoVendor(stage.vendors, doors);
  return fromJourney(stage, stage.vendors.brevo.outbox, doors, vendor);
};

export const hubspotCaller =
  (way: HubspotWay): Opening =>
  async (stage, tenantId) => {
    const journey = await openPhoneJourney(stage.api, tenantId, "hubspot.contactId");
    const clientSecret = randomUUID();
    const url = await journey.connect("hubspot", { ...MEMBER, clientSecret });
    const doors =
      way === "key"
        ? await byKey(stage, tenantId, "hubspot")
        : { tenantId, urlOf: () => url, secret: clientSecret };
    const vendor = hubspotVendor(stage.vendors, doors, way);
    return fromJourney(stage, stage.vendors.hubspot.outbox, doors, vendor);
  };

export const klaviyoCaller: Opening = async (stage, tenantId) => {
  const { klaviyo } = stage.vendors;
  const journey = await openPhoneJourney(stage.api, tenantId, "klaviyo.email");
  await journey.connect("klaviyo", MEMBER);
  const { urlOf, secret } = await byKey(stage, tenantId, "klaviyo");
  const body = '{"identifiers":{"klaviyo.email":"{{ email }}"}}';
  klaviyo.createFlow({ id: tenantId, url: urlOf("createPass"), apiKey: secret, body });
  return fromOutbox(stage.vendors, klaviyo.outbox, tenantId, {
    good: () => void klaviyo.enter(tenantId, { email: `${randomUUID()}@example.com` }),
    bad: () => void klaviyo.enter(tenantId, { email: "" }),
  });
};

export const customerioCaller: Opening = async ({ api, vendors }, tenantId) => {
  const { customerio } = vendors;
  const journey = await openPhoneJourney(api, tenantId, "customerio.id");
  const signingKey = randomUUID();
  const url = await journey.connect("customerio", { ...MEMBER, signingKey });
  customerio.createWorkspace({ id: tenantId, signingKey, url });
  const body = '{"action":"createPass","identifiers":{"customerio.id":"{{customer.id}}"}}';
  const { id } = customerio.createCampaign({ workspace: tenantId, body });
  return fromOutbox(vendors, customerio.outbox, tenantId, {
    good: () => void customerio.enter(id, { customer: { id: randomUUID() } }),
    bad: () => void customerio.enter(id, { customer: { id: "" } }),
  });
};

/** All but a 2xx ejects the contact, unless a 5xx is over before Marketing Cloud has tried often enough. */
export const sfmcCaller: Opening = async ({ api, vendors }, tenantId) => {
  const { sfmc } = vendors;
  const journey = await openPhoneJourney(api, tenantId, "sfmc.contactKey");
  const jwtSecret = randomUUID();
  const url = await journey.connect("sfmc", { ...MEMBER, jwtSecret });
  const { id } = await sfmc.createActivity({ configUrl: `${url}/config.json`, jwtSecret });
  const { isPublished } = await sfmc.publish(id);
  if (!isPublished) throw new Error("The activity was not published.");
  const activity = sfmc.activities.get(id);
  return {
    say(what) {
      const contactKey = randomUUID();
      const action = what === "bad" ? "updatePass" : "createPass";
      sfmc.isForging = what === "forged";
      const entering = sfmc.enter(id, { contactKey, inArguments: [{ action }] });
      // The call is written before anything is waited for.
      sfmc.isForging = false;
      const calls = () => activity.calls.filter((call) => call.contactKey === contactKey);
      return {
        sent: entering.then(() => undefined),
        statuses: () => calls().map(({ status }) => status),
        state: () => {
          const taken = activity.contacts[contactKey];
          return taken === undefined ? "waiting" : taken === null ? "failed" : "delivered";
        },
      };
    },
    isOn: () => activity.state === "running",
  };
};

export const shopifyCaller: Opening = async ({ api, vendors }, tenantId) => {
  const { shopify } = vendors;
  const journey = await openPhoneJourney(api, tenantId, "shopify.customerId");
  const [shop, clientSecret] = [`${tenantId}.myshopify.com`, randomUUID()];
  const url = await journey.connect("shopify", { shop, ...MEMBER, clientSecret });
  shopify.createShop({ domain: shop, clientSecret, url });
  return fromOutbox(vendors, shopify.outbox, shop, {
    good: () => void shopify.createCustomer({ shop }),
    bad: () => void shopify.deliver(shop, "customers/update", NOT_JSON),
  });
};

export const squareCaller: Opening = async ({ api, vendors }, tenantId) => {
  const { square } = vendors;
  const journey = await openPhoneJourney(api, tenantId, "square.customerId");
  const [merchantId, signatureKey] = [`M${tenantId.toUpperCase()}`, randomUUID()];
  const url = await journey.connect("square", { merchantId, ...MEMBER, signatureKey });
  square.createMerchant({ id: merchantId, signatureKey, url });
  return fromOutbox(vendors, square.outbox, merchantId, {
    good: () => void square.createCustomer({ merchant: merchantId, given_name: "Ada" }),
    bad: () => void square.deliver(merchantId, "customer.updated", NOT_JSON),
  });
};

export const loyaltylionCaller: Opening = async ({ api, vendors }, tenantId) => {
  const { loyaltylion } = vendors;
  const journey = await openPhoneJourney(api, tenantId, "loyaltylion.customerId");
  const signingSecret = randomUUID();
  const url = await journey.connect("loyaltylion", { ...MEMBER, signingSecret });
  loyaltylion.createSite({ id: tenantId, secret: signingSecret, url });
  return fromOutbox(vendors, loyaltylion.outbox, tenantId, {
    good: () => void loyaltylion.putCustomer({ site: tenantId, merchant_id: randomUUID() }),
    bad: () => void loyaltylion.deliver(tenantId, "customers/update", NOT_JSON),
  });
};

export const titoCaller: Opening = async ({ api, vendors }, tenantId) => {
  const { tito } = vendors;
  const journey = await openPhoneJourney(api, tenantId, "tito.ticketId");
  const token = randomUUID();
  const securityToken = `${tenantId}:${token}`;
  const url = await journey.connect("tito", { ...MEMBER, securityToken });
  tito.createEvent({ slug: tenantId, securityToken: token, url });
  return fromOutbox(vendors, tito.outbox, tenantId, {
    good: () => void tito.createTicket({ event: tenantId, first_name: "Ada", complete: false }),
    // Tito has a token for each event, which the body names.
    bad: () => void tito.deliver(tenantId, "ticket.updated", `{"event":{"slug":"${tenantId}"}}`),
  });
};

/** pretix signs nothing: whoever is not pretix does not know the address. */
export const pretixCaller: Opening = async ({ api, vendors }, tenantId) => {
  const { pretix } = vendors;
  const journey = await openPhoneJourney(api, tenantId, "pretix.positionId");
  const [organizer, stranger, apiToken] = [tenantId, `${tenantId}-stranger`, randomUUID()];
  pretix.createOrganizer({ slug: organizer, token: apiToken });
  pretix.createOrganizer({ slug: stranger });
  pretix.createEvent({ organizer, slug: "regatta" });
  const settings = { baseUrl: pretix.url, organizer, ...MEMBER, apiToken };
  const target_url = await journey.connect("pretix", settings);
  pretix.createWebhook({ organizer, target_url });
  pretix.createWebhook({ organizer: stranger, target_url: `${target_url.slice(0, -4)}0000` });
  const positions = [{ attendee_name: "Ada" }];
  return fromOutbox(vendors, pretix.outbox, organizer, {
    good: () => void pretix.placeOrder({ organizer, event: "regatta", positions, paid: false }),
    bad: () => void pretix.deliver(organizer, "pretix.event.order.paid", NOT_JSON),
    forged: () => void pretix.deliver(stranger, "pretix.event.order.paid", NOT_JSON),
  });
};
