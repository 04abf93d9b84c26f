import { createHmac, randomUUID } from "node:crypto";
import Type, { type Static } from "typebox";
import { Emitter } from "../deliveries/emitter.service.ts";
import type { VendorTools } from "../frame/vendor.ts";

const closed = { additionalProperties: false } as const;
const text = (maxLength = 200) => Type.String({ minLength: 1, maxLength });
const points = Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 }));

export const SiteCreate = Type.Object(
  { id: text(), secret: text(), url: Type.Optional(text(2_000)) },
  closed,
);
export type SiteCreate = Static<typeof SiteCreate>;
export const CustomerPut = Type.Object(
  {
    site: Type.Optional(text()),
    /** The id of the customer in the shop. */
    merchant_id: text(),
    email: Type.Optional(text(320)),
    first_name: Type.Optional(text()),
    last_name: Type.Optional(text()),
    points_approved: points,
    points_pending: points,
    tier: Type.Optional(text()),
  },
  closed,
);
export type CustomerPut = Static<typeof CustomerPut>;

type Customer = Omit<CustomerPut, "site"> & { readonly site: string; readonly id: number };

/** In base64, over the bytes that are sent. */
export function signLoyaltylion(secret: string, body: string): string {
  return createHmac("sha256", secret).update(body, "utf8").digest("base64");
}

/** Five seconds, waits that double, and then the subscription is removed. */
const RULES = {
  deadlineMs: 5_000,
  retryDelaysSeconds: [60, 120, 240, 480, 960, 1_920, 3_840, 7_680],
  failuresInRowMax: 8,
};

/** LoyaltyLion: points and tiers of customers. */
export class Loyaltylion extends Emitter<Customer> {
  constructor(tools: VendorTools) {
    super(tools, {
      name: "loyaltylion",
      rules: RULES,
      headers: () => ({ "User-Agent": "LoyaltyLion" }),
      sign: (secret, { body }) => ({ "x-loyaltylion-hmac-sha256": signLoyaltylion(secret, body) }),
    });
    this.control.post("/sites", SiteCreate, (body) => this.createSite(body));
    this.control.put("/customers", CustomerPut, (body) => this.putCustomer(body));
  }

  createSite({ id, secret, url }: SiteCreate): { readonly id: string } {
    const { secret: _, ...site } = this.openAccount(id, secret, url);
    return site;
  }

  /** Makes or changes a customer, which `customers/update` tells of. */
  putCustomer({ site, ...values }: CustomerPut): Customer {
    const owner = this.accounts.pick(site).id;
    const key = `${owner}/${values.merchant_id}`;
    const before = this.things.find(key);
    const customer = { id: this.newId(), ...before, ...values, site: owner };
    this.things.put(key, customer);
    const topic = "customers/update";
    const body = { id: randomUUID(), topic, created_at: this.stamp(), customer: present(customer) };
    this.deliver(
      owner,
      topic,
      JSON.stringify({ ...body, customer: { ...body.customer, updated_at: body.created_at } }),
    );
    return customer;
  }
}

function present({ site: _, tier = "Bronze", first_name, last_name, ...customer }: Customer) {
  return {
    points_approved: 0,
    points_pending: 0,
    points_spent: 0,
    enrolled: true,
    blocked: false,
    guest: false,
    metadata: {},
    ...customer,
    properties: { first_name, last_name },
    loyalty_tier_membership: { manual: false, expires_at: null, loyalty_tier: { name: tier } },
  };
}
