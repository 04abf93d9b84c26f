import { createHmac, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiResponse } from "./client.ts";
import { hastenDeliveries } from "./hasten-deliveries.ts";
import { PASS_FILES, seedPassTenant } from "./pass-tenant.ts";
import { startWait } from "./slowness.ts";
import type { TestApi } from "./start-api.ts";

/** A tenant with a Shopify shop, which signs what it sends by code of its own. */

export const SHOP_SECRET = "hush";
const SETTINGS = {
  shop: "cafe-lune.myshopify.com",
  passType: "member",
  fields: { firstName: "first_name", tier: "tier" },
  earn: { privilege: "points", perUnit: 1 },
};

const MEMBER = String(PASS_FILES["server/passes/loyalty.yml"])
  .replace(/^identifiers:.*$/m, "identifiers: { unique: [shopify.customerId] }")
  .replace("required: [firstName]", "required: []")
  .replace("tier: { type: string, enum: [Deck, Bridge] }", "tier: { type: string }");

export const SHOP_FILES = { "server/passes/member.yml": MEMBER };

const WAIT_MS = 10;
const WAIT_MS_MAX = 60_000;

export type Sent = {
  readonly topic?: string;
  readonly body: object | string;
  readonly id?: string;
  readonly at?: string;
  readonly secret?: string;
  readonly signature?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Shop = Awaited<ReturnType<typeof openShop>>;

export async function openShop(
  api: Pick<TestApi, "get" | "put" | "post" | "operatorKey" | "sql">,
  tenantId: string,
  settings: Readonly<Record<string, unknown>> = {},
) {
  const key = api.operatorKey;
  await seedPassTenant(api, tenantId, SHOP_FILES);
  const path = `/api/${tenantId}/admin/extensions/shopify`;
  const put = async (more: Readonly<Record<string, unknown>> = {}) => {
    const body = { ...SETTINGS, ...settings, ...more };
    const { status, text } = await api.put(path, { key, body });
    if (status !== 204) throw new Error(`No shop: ${status} ${text}`);
  };
  await put({ clientSecret: SHOP_SECRET });
  const { body: shown } = await api.get(path, { key });
  const inbox = new URL(shown.webhookUrl).pathname;

  const send = (delivery: Sent, to = inbox): Promise<ApiResponse> => {
    const { topic = "customers/update", id = randomUUID(), body, at } = delivery;
    const rawBody = typeof body === "string" ? body : JSON.stringify(body);
    const mac = createHmac("sha256", delivery.secret ?? SHOP_SECRET).update(rawBody);
    return api.post(to, {
      rawBody,
      headers: {
        "content-type": "application/json",
        "x-shopify-topic": topic,
        "x-shopify-webhook-id": id,
        "x-shopify-shop-domain": SETTINGS.shop,
        "x-shopify-hmac-sha256": delivery.signature ?? mac.digest("base64"),
        "x-shopify-triggered-at": at ?? new Date().toISOString(),
        ...delivery.headers,
      },
    });
  };

  const deliveries = async () =>
    await api.sql("select * from inbound_delivery where tenant_id = $1 order by id", [tenantId]);

  /** Waits until nothing is left that could be worked on now. */
  const settled = async () => {
    const isOver = startWait(WAIT_MS_MAX);
    for (;;) {
      const rows = await deliveries();
      const open = rows.filter(({ status, problem }) => status === "waiting" && problem === null);
      if (open.length === 0) return rows;
      if (isOver()) throw new Error(`Still waiting: ${JSON.stringify(open[0])}`);
      await sleep(WAIT_MS);
    }
  };

  return {
    tenantId,
    path,
    inbox,
    put,
    send,
    settled,
    deliveries,
    /** Sends, and waits until it was worked on. */
    async deliver(delivery: Sent): Promise<ApiResponse> {
      const answer = await send(delivery);
      await settled();
      return answer;
    },
    /** By the number of the customer. */
    async pass(customerId: string) {
      const [row] = await api.sql(
        `select * from pass where tenant_id = $1
            and identifiers ->> 'shopify.customerId' = $2`,
        [tenantId, customerId],
      );
      return row;
    },
    async points(customerId: string): Promise<number | undefined> {
      const [row] = await api.sql(
        `select privilege.value from privilege
           join pass on pass.tenant_id = privilege.tenant_id and pass.id = privilege.pass_id
          where pass.tenant_id = $1 and pass.identifiers ->> 'shopify.customerId' = $2
            and privilege.id = 'points'`,
        [tenantId, customerId],
      );
      return row === undefined ? undefined : Number(row.value);
    },
    /** As if the time of those that wait had come. */
    async hasten(): Promise<void> {
      await hastenDeliveries(api, tenantId);
      await settled();
    },
  };
}

export const customer = (id: number | string, more: object = {}) => ({
  id,
  email: `c${id}@example.com`,
  first_name: "Ada",
  last_name: "Lovelace",
  updated_at: "2026-01-31T09:30:00Z",
  ...more,
});

export const order = (id: number, customerId: number | string, total: string, more = {}) => ({
  id,
  name: `#${id}`,
  currency: "EUR",
  total_price: total,
  processed_at: "2026-01-31T10:00:00Z",
  customer: customer(customerId),
  line_items: [{ name: "Coffee", quantity: 2, price: "6.00" }],
  ...more,
});

export const cancelled = (sold: object) => ({ ...sold, cancelled_at: "2026-02-01T10:00:00Z" });

export const refund = (id: number, orderId: number, amount: string) => ({
  id,
  order_id: orderId,
  created_at: "2026-02-01T10:00:00Z",
  transactions: [{ kind: "refund", status: "success", amount }],
});
