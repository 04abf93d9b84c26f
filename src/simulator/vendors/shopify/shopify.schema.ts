import Type, { type Static } from "typebox";

const closed = { additionalProperties: false } as const;
const text = (maxLength = 200) => Type.String({ minLength: 1, maxLength });
const money = Type.String({
  pattern: "^\\d{1,9}(\\.\\d{1,2})?$",
  mustBe: "an amount such as 12.50",
});
const thingId = Type.Integer({ minimum: 1 });

export const ShopCreate = Type.Object(
  {
    domain: Type.String({ pattern: "^[a-z0-9][a-z0-9-]*\\.myshopify\\.com$", maxLength: 100 }),
    /** The secret of the app, which signs. */
    clientSecret: text(),
    /** Where the app wants to be told; more addresses by `subscriptions`. */
    url: Type.Optional(text(2_000)),
    topics: Type.Optional(Type.Array(text(), { maxItems: 100 })),
    currency: Type.Optional(Type.String({ pattern: "^[A-Z]{3}$" })),
  },
  closed,
);
export type ShopCreate = Static<typeof ShopCreate>;

const customer = {
  email: Type.Optional(Type.Union([text(320), Type.Null()])),
  first_name: Type.Optional(Type.Union([text(), Type.Null()])),
  last_name: Type.Optional(Type.Union([text(), Type.Null()])),
  phone: Type.Optional(Type.Union([text(40), Type.Null()])),
  tags: Type.Optional(Type.String({ maxLength: 1_000 })),
};
export const CustomerCreate = Type.Object(
  { shop: Type.Optional(text()), id: Type.Optional(thingId), ...customer },
  closed,
);
export type CustomerCreate = Static<typeof CustomerCreate>;
export const CustomerUpdate = Type.Object(customer, closed);
export type CustomerUpdate = Static<typeof CustomerUpdate>;

export const OrderCreate = Type.Object(
  {
    shop: Type.Optional(text()),
    /** None for a guest. */
    customer: Type.Optional(thingId),
    lines: Type.Array(
      Type.Object(
        {
          title: text(),
          price: money,
          quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
          sku: Type.Optional(text(100)),
        },
        closed,
      ),
      { minItems: 1, maxItems: 250 },
    ),
    /** Whether it is paid at once, as in most shops. */
    paid: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type OrderCreate = Static<typeof OrderCreate>;

export const RefundCreate = Type.Object(
  {
    /** The rest of what was paid if nothing is said. */
    amount: Type.Optional(money),
  },
  closed,
);
export type RefundCreate = Static<typeof RefundCreate>;
