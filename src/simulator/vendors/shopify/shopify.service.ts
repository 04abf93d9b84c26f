import { randomUUID } from "node:crypto";
import { addDeliveries } from "../deliveries/delivery.control.ts";
import { Outbox, type OutboxState } from "../deliveries/delivery.service.ts";
import type { Delivery, DeliveryRules, Prepared } from "../deliveries/delivery.ts";
import { ControlTable } from "../frame/control.ts";
import { vendorRefused } from "../frame/vendor.errors.ts";
import { Shelf, type Vendor, type VendorTools } from "../frame/vendor.ts";
import {
  amountOf,
  type Customer,
  centsOf,
  customerPayload,
  type Order,
  orderPayload,
  refundedCents,
  refundPayload,
  type Shop,
} from "./shopify.payloads.ts";
import {
  CustomerCreate,
  CustomerUpdate,
  OrderCreate,
  RefundCreate,
  ShopCreate,
} from "./shopify.schema.ts";
import { signShopify } from "./shopify.signature.ts";

const API_VERSION = "2026-04";
const HOUR_SECONDS = 3_600;

/** Five seconds; eight retries in four hours; then the subscription is deleted. */
const RULES: DeliveryRules = {
  deadlineMs: 5_000,
  retryDelaysSeconds: [10, 60, 300, 900, 1_800, 2_400, HOUR_SECONDS, 5_330],
  failuresInRowMax: 8,
};

type Kept = {
  readonly shops: readonly (readonly [string, Shop])[];
  readonly customers: readonly (readonly [string, Customer])[];
  readonly orders: readonly (readonly [string, Order])[];
  readonly outbox: OutboxState;
  readonly lastId: number;
};

/** Shops of Shopify with customers and orders, whose app is told by signed webhooks. */
export class Shopify implements Vendor {
  readonly name = "shopify";
  readonly control = new ControlTable();
  readonly outbox: Outbox;
  readonly shops: Shelf<Shop>;
  readonly customers: Shelf<Customer>;
  readonly orders: Shelf<Order>;
  readonly #tools: VendorTools;
  #lastId: number;

  constructor(tools: VendorTools) {
    this.#tools = tools;
    const kept = tools.kept as Kept | undefined;
    this.shops = new Shelf("shop", 50, kept?.shops);
    this.customers = new Shelf("customer", 20_000, kept?.customers);
    this.orders = new Shelf("order", 20_000, kept?.orders);
    // Larger than 2^31, as the real ones are.
    this.#lastId = kept?.lastId ?? 7_064_055_000_000;
    const prepare = (delivery: Delivery, forgery: string) => this.#prepare(delivery, forgery);
    this.outbox = new Outbox({ ...tools, rules: RULES, prepare }, kept?.outbox);
    this.#addControl();
  }

  async open(): Promise<void> {
    this.outbox.resume();
  }

  async close(): Promise<void> {
    // Has no socket of its own.
  }

  keep(): Kept {
    return {
      shops: this.shops.entries(),
      customers: this.customers.entries(),
      orders: this.orders.entries(),
      outbox: this.outbox.keep(),
      lastId: this.#lastId,
    };
  }

  async reset(): Promise<void> {
    for (const shelf of [this.shops, this.customers, this.orders]) shelf.clear();
    this.outbox.clear();
  }

  requireAccount(domain: string): void {
    this.shops.get(domain);
  }

  createShop({ domain, clientSecret, url, topics, currency = "EUR" }: ShopCreate): Shop {
    if (url !== undefined) this.#tools.resolve(url);
    const id = this.shops.find(domain)?.id ?? this.#newId();
    const shop = this.shops.put(domain, { domain, clientSecret, currency, id });
    if (url !== undefined) this.outbox.subscribe(domain, url, topics ?? null);
    this.#tools.changed();
    return shop;
  }

  createCustomer(wish: CustomerCreate = {}): Customer {
    const { shop: domain, id = this.#newId(), ...values } = wish;
    const shop = this.shops.pick(domain).domain;
    const at = this.#now();
    const none = { email: null, first_name: null, last_name: null, phone: null, tags: "" };
    const customer = { id, shop, ...none, ...values, created_at: at, updated_at: at };
    this.customers.put(String(id), customer);
    this.#tell(shop, "customers/create", customerPayload(customer));
    return customer;
  }

  updateCustomer(id: number, values: CustomerUpdate): Customer {
    const before = this.customers.get(String(id));
    const customer = { ...before, ...values, updated_at: this.#now() };
    this.customers.put(String(id), customer);
    this.#tell(customer.shop, "customers/update", customerPayload(customer));
    return customer;
  }

  deleteCustomer(id: number): void {
    const { shop } = this.customers.get(String(id));
    this.customers.remove(String(id));
    this.#tell(shop, "customers/delete", { id });
  }

  /** The privacy topics of one customer: `customers/redact` and `customers/data_request`. */
  askPrivacy(id: number, topic: "customers/redact" | "customers/data_request"): Delivery[] {
    const { shop: domain, email, phone } = this.customers.get(String(id));
    const orders = this.orders.all.filter(({ customer }) => customer === id);
    const ids = orders.map((order) => order.id);
    const about = { shop_id: this.shops.get(domain).id, shop_domain: domain };
    const customer = { id, email, phone };
    if (topic === "customers/redact") {
      return this.#tell(domain, topic, { ...about, customer, orders_to_redact: ids });
    }
    const data_request = { id: this.#newId() };
    return this.#tell(domain, topic, { ...about, customer, orders_requested: ids, data_request });
  }

  /** The app is uninstalled, and 48 hours later the shop asks to be forgotten. */
  uninstall(domain: string): Delivery[] {
    const { id } = this.shops.get(domain);
    const told = this.#tell(domain, "app/uninstalled", { id, domain, name: domain });
    this.#tools.clock.after(48 * HOUR_SECONDS * 1_000, () => {
      this.#tell(domain, "shop/redact", { shop_id: id, shop_domain: domain });
    });
    return told;
  }

  createOrder({ shop: domain, customer, lines, paid = true }: OrderCreate): Order {
    const shop = this.shops.pick(domain).domain;
    if (customer !== undefined) this.customers.get(String(customer));
    const [id, at] = [this.#newId(), this.#now()];
    const order: Order = {
      id,
      number: 1_001 + this.orders.all.filter((one) => one.shop === shop).length,
      shop,
      customer: customer ?? null,
      lines: lines.map((line) => ({ ...line, id: this.#newId() })),
      totalCents: lines.reduce(
        (sum, { price, quantity = 1 }) => sum + centsOf(price) * quantity,
        0,
      ),
      createdAt: at,
      updatedAt: at,
      refunds: [],
      paidAt: null,
      cancelledAt: null,
    };
    this.#putOrder(order, "orders/create");
    return paid ? this.payOrder(id) : order;
  }

  payOrder(id: number): Order {
    const order = this.orders.get(String(id));
    if (order.paidAt !== null || order.cancelledAt !== null) {
      throw vendorRefused({ reason: "The order is paid or cancelled." });
    }
    return this.#putOrder({ ...order, paidAt: this.#now() }, "orders/paid");
  }

  /** What was paid stays paid until it is refunded, as in a shop that does not refund at once. */
  cancelOrder(id: number): Order {
    const order = this.orders.get(String(id));
    if (order.cancelledAt !== null) throw vendorRefused({ reason: "The order is cancelled." });
    return this.#putOrder({ ...order, cancelledAt: this.#now() }, "orders/cancelled");
  }

  refundOrder(id: number, { amount }: RefundCreate = {}): Order {
    const before = this.orders.get(String(id));
    const restCents = before.totalCents - refundedCents(before);
    const amountCents = amount === undefined ? restCents : centsOf(amount);
    if (before.paidAt === null || amountCents > restCents || amountCents === 0) {
      throw vendorRefused({ reason: `At most ${amountOf(restCents)} of a paid order.` });
    }
    const refund = { id: this.#newId(), amountCents, createdAt: this.#now() };
    const order = { ...before, refunds: [...before.refunds, refund], updatedAt: this.#now() };
    this.orders.put(String(id), order);
    const shop = this.shops.get(order.shop);
    this.#tell(order.shop, "refunds/create", refundPayload(refund, order, shop));
    return order;
  }

  /** Sends any text as the shop, signed. */
  deliver(domain: string, topic: string, body: string): Delivery[] {
    const facts = { webhookId: randomUUID(), eventId: randomUUID(), triggeredAt: this.#now() };
    return this.outbox.emit({ account: domain, topic, body, facts });
  }

  #putOrder(changed: Order, topic: string): Order {
    const order = { ...changed, updatedAt: this.#now() };
    this.orders.put(String(order.id), order);
    const customer =
      order.customer === null ? undefined : this.customers.find(String(order.customer));
    this.#tell(order.shop, topic, orderPayload(order, this.shops.get(order.shop), customer));
    return order;
  }

  #tell(shop: string, topic: string, payload: object): Delivery[] {
    const told = this.deliver(shop, topic, JSON.stringify(payload));
    this.#tools.changed();
    return told;
  }

  #prepare({ account, topic, body, facts }: Delivery, forgery: string): Prepared {
    const { clientSecret } = this.shops.get(account);
    const secret = forgery === "wrong-signature" ? `not ${clientSecret}` : clientSecret;
    const signature = { "X-Shopify-Hmac-SHA256": signShopify(secret, body) };
    const headers = {
      "Content-Type": "application/json",
      "User-Agent": "Shopify-Captain-Hook",
      "X-Shopify-Topic": topic,
      "X-Shopify-Shop-Domain": account,
      "X-Shopify-API-Version": API_VERSION,
      "X-Shopify-Webhook-Id": facts.webhookId ?? "",
      "X-Shopify-Event-Id": facts.eventId ?? "",
      "X-Shopify-Triggered-At": facts.triggeredAt ?? "",
      ...(forgery === "no-signature" ? {} : signature),
    };
    return { headers, body };
  }

  #addControl(): void {
    const { control } = this;
    const idOf = (params: Readonly<Record<string, string>>) => Number(params.id);
    control.get("", () => this.#overview());
    control.post("/shops", ShopCreate, (body) => this.createShop(body));
    control.act("/shops/:domain/uninstall", ({ params }) => this.uninstall(params.domain ?? ""));
    control.post("/customers", CustomerCreate, (body) => this.createCustomer(body));
    control.patch("/customers/:id", CustomerUpdate, (body, { params }) =>
      this.updateCustomer(idOf(params), body),
    );
    control.delete("/customers/:id", ({ params }) => this.deleteCustomer(idOf(params)));
    control.act("/customers/:id/redact", ({ params }) =>
      this.askPrivacy(idOf(params), "customers/redact"),
    );
    control.act("/customers/:id/data-request", ({ params }) =>
      this.askPrivacy(idOf(params), "customers/data_request"),
    );
    control.post("/orders", OrderCreate, (body) => this.createOrder(body));
    control.act("/orders/:id/pay", ({ params }) => this.payOrder(idOf(params)));
    control.act("/orders/:id/cancel", ({ params }) => this.cancelOrder(idOf(params)));
    control.post("/orders/:id/refunds", RefundCreate, (body, { params }) =>
      this.refundOrder(idOf(params), body),
    );
    addDeliveries(control, this);
  }

  #overview(): object {
    return {
      shops: this.shops.all.map(({ clientSecret: _, ...shop }) => shop),
      customers: this.customers.all.slice(-100),
      orders: this.orders.all.slice(-100),
      subscriptions: this.outbox.subscriptions,
    };
  }

  #newId(): number {
    this.#lastId += 17;
    return this.#lastId;
  }

  #now(): string {
    return this.#tools.clock.stamp();
  }
}
