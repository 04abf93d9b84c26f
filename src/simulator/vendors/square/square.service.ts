import { createHmac, randomUUID } from "node:crypto";
import Type, { type Static } from "typebox";
import type { Delivery } from "../deliveries/delivery.ts";
import { Emitter } from "../deliveries/emitter.service.ts";
import { vendorRefused } from "../frame/vendor.errors.ts";
import type { VendorTools } from "../frame/vendor.ts";

const closed = { additionalProperties: false } as const;
const text = (maxLength = 200) => Type.String({ minLength: 1, maxLength });
const cents = Type.Integer({ minimum: 1, maximum: 100_000_000 });

export const MerchantCreate = Type.Object(
  { id: text(), signatureKey: text(), url: Type.Optional(text(2_000)) },
  closed,
);
export type MerchantCreate = Static<typeof MerchantCreate>;
const person = {
  given_name: Type.Optional(text()),
  family_name: Type.Optional(text()),
  email_address: Type.Optional(text(320)),
  phone_number: Type.Optional(text(40)),
};
export const CustomerCreate = Type.Object({ merchant: Type.Optional(text()), ...person }, closed);
export type CustomerCreate = Static<typeof CustomerCreate>;
export const CustomerUpdate = Type.Object(person, closed);
export type CustomerUpdate = Static<typeof CustomerUpdate>;
export const PaymentCreate = Type.Object(
  {
    merchant: Type.Optional(text()),
    customer: Type.Optional(text()),
    amount: cents,
    currency: Type.Optional(Type.String({ pattern: "^[A-Z]{3}$" })),
  },
  closed,
);
export type PaymentCreate = Static<typeof PaymentCreate>;
export const RefundCreate = Type.Object({ amount: Type.Optional(cents) }, closed);
export type RefundCreate = Static<typeof RefundCreate>;

type Money = { readonly amount: number; readonly currency: string };
type Thing = {
  readonly kind: "customer" | "payment";
  readonly merchant: string;
  readonly id: string;
  readonly paid?: Money;
  readonly refundedCents: number;
  readonly value: Readonly<Record<string, unknown>>;
};

/** In base64, over the address that was subscribed and the bytes that are sent. */
export function signSquare(key: string, url: string, body: string): string {
  return createHmac("sha256", key)
    .update(url + body, "utf8")
    .digest("base64");
}

/** Ten seconds, and retries for 24 hours. */
const RULES = {
  deadlineMs: 10_000,
  retryDelaysSeconds: [60, 120, 240, 480, 960, 1_800, 3_600, 7_200, 14_400, 28_800, 28_740],
};

/** Square: customers, payments and refunds of merchants. */
export class Square extends Emitter<Thing> {
  constructor(tools: VendorTools) {
    super(tools, {
      name: "square",
      rules: RULES,
      headers: ({ attempts, createdAt }) => ({
        "User-Agent": "Square Connect v2",
        "square-environment": "Sandbox",
        "square-initial-delivery-timestamp": createdAt,
        ...(attempts.length > 0 && { "square-retry-number": String(attempts.length) }),
      }),
      sign: (key, { url, body }) => ({
        "x-square-hmacsha256-signature": signSquare(key, url, body),
      }),
    });
    const { control } = this;
    control.post("/merchants", MerchantCreate, (body) => this.createMerchant(body));
    control.post("/customers", CustomerCreate, (body) => this.createCustomer(body));
    control.patch("/customers/:id", CustomerUpdate, (body, { params }) =>
      this.updateCustomer(params.id ?? "", body),
    );
    control.delete("/customers/:id", ({ params }) => this.deleteCustomer(params.id ?? ""));
    control.post("/payments", PaymentCreate, (body) => this.pay(body));
    control.post("/payments/:id/refunds", RefundCreate, (body, { params }) =>
      this.refund(params.id ?? "", body),
    );
  }

  createMerchant({ id, signatureKey, url }: MerchantCreate): { readonly id: string } {
    const { secret: _, ...merchant } = this.openAccount(id, signatureKey, url);
    return merchant;
  }

  createCustomer({ merchant, ...values }: CustomerCreate): Thing {
    const owner = this.accounts.pick(merchant).id;
    const [id, at] = [`CUST${this.newId()}`, this.stamp()];
    const value = { id, ...values, created_at: at, updated_at: at, version: 0 };
    return this.#put({ kind: "customer", merchant: owner, id, refundedCents: 0, value }, "created");
  }

  updateCustomer(id: string, values: CustomerUpdate): Thing {
    const before = this.things.get(id);
    const version = Number(before.value.version) + 1;
    const value = { ...before.value, ...values, updated_at: this.stamp(), version };
    return this.#put({ ...before, value }, "updated");
  }

  deleteCustomer(id: string): void {
    const { merchant, value } = this.things.get(id);
    this.things.remove(id);
    this.#tell(merchant, "customer", { kind: "deleted", id, value });
  }

  /** A payment that is completed at once: told of as created, and again as updated. */
  pay({ merchant, customer, amount, currency = "EUR" }: PaymentCreate): Thing {
    const owner = this.accounts.pick(merchant).id;
    const [id, at, paid] = [`PAY${this.newId()}`, this.stamp(), { amount, currency }];
    const value = {
      id,
      status: "APPROVED",
      amount_money: paid,
      total_money: paid,
      order_id: `ORD${this.newId()}`,
      ...(customer !== undefined && { customer_id: this.things.get(customer).id }),
      created_at: at,
      updated_at: at,
    };
    const thing = { kind: "payment", merchant: owner, id, paid, refundedCents: 0, value } as const;
    this.#put(thing, "created");
    const completed = { ...value, status: "COMPLETED", updated_at: this.stamp() };
    return this.#put({ ...thing, value: completed }, "updated");
  }

  refund(id: string, { amount }: RefundCreate = {}): Thing {
    const payment = this.things.get(id);
    const { paid, refundedCents, merchant, value } = payment;
    const rest = (paid?.amount ?? 0) - refundedCents;
    const wanted = amount ?? rest;
    if (paid === undefined || wanted > rest || wanted === 0) {
      throw vendorRefused({ reason: `At most ${rest} can be refunded.` });
    }
    const refund = {
      id: `${id}_${this.newId()}`,
      status: "COMPLETED",
      payment_id: id,
      order_id: value.order_id,
      amount_money: { ...paid, amount: wanted },
      created_at: this.stamp(),
    };
    this.#tell(merchant, "refund", { kind: "created", id: refund.id, value: refund });
    return this.things.put(id, { ...payment, refundedCents: refundedCents + wanted });
  }

  #put(thing: Thing, kind: string): Thing {
    this.things.put(thing.id, thing);
    this.#tell(thing.merchant, thing.kind, { kind, id: thing.id, value: thing.value });
    return thing;
  }

  #tell(
    merchant: string,
    type: string,
    { kind, id, value }: { kind: string; id: string; value: object },
  ): Delivery[] {
    const body = {
      merchant_id: merchant,
      type: `${type}.${kind}`,
      event_id: randomUUID(),
      created_at: this.stamp(),
      data: { type, id, object: { [type]: value } },
    };
    return this.deliver(merchant, body.type, JSON.stringify(body));
  }
}
