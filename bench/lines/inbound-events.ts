import { createHmac } from "node:crypto";
import pg, { type Client, type ClientConfig } from "pg";
import { createClient } from "#test/support/client.ts";
import { PASS_FILES } from "#test/support/pass-tenant.ts";
import { BARE_OPTIONS } from "../support/bare-tables.ts";
import type { Bench } from "../support/bench.ts";
import { defineLine } from "../support/line.ts";
import { runLoad } from "../support/load.ts";
import { makeSecrets, startProgram, TENANT_FILE } from "../support/product.ts";

/** One inbox has room for some seconds of deliveries that nobody works on. */
const TENANTS = ["bench-inbox-1", "bench-inbox-2", "bench-inbox-3"];
const SECRET = "hush";
const LINES = 8;

/** An order of usual size: about two kilobytes. */
const BODY = JSON.stringify({
  id: 820_982_911_946_154,
  name: "#1001",
  currency: "EUR",
  total_price: "48.00",
  processed_at: "2026-01-31T10:00:00Z",
  customer: { id: 115_310_627_314_723, email: "ada@example.com", first_name: "Ada" },
  line_items: Array.from({ length: LINES }, (_one, at) => ({
    id: 866_550_311_766_439 + at,
    name: "Flat white, with oat milk and a little cinnamon",
    sku: `FLAT-WHITE-${at}`,
    quantity: 1,
    price: "6.00",
    properties: [{ name: "Cup", value: "Porcelain, 240 ml, from the shelf at the window" }],
  })),
});

/**
 * A delivery of a vendor until it is acknowledged: verified, stored, answered. The work on deliveries is
 * done by other processes, as with roles of their own.
 */
export const inboundEvents = defineLine({
  name: "inbound events",
  measures: {
    throughput: { unit: "deliveries/s", bar: { of: "ratio", atLeast: 0.5 } },
    p99: { unit: "ms", bar: { of: "ratio", below: 4 } },
  },
  rounds: 5,
  async prepare(bench) {
    // Makes the tables of the baseline.
    await bench.product();
    const secrets = makeSecrets();
    const databaseUrl = await bench.createDatabase("inbox");
    const env = { ROLES: "api" };
    const product = await startProgram({ folder: bench.folder, databaseUrl, env, ...secrets });
    bench.onClose(() => product.stop());
    const inboxes: string[] = [];
    for (const tenantId of TENANTS) {
      inboxes.push(await openInbox(product.url, secrets.operatorKey, tenantId));
    }
    const own = await connect(bench, { connectionString: databaseUrl });
    const others = await connect(bench, { ...bench.connection, options: BARE_OPTIONS });
    const bare = await bench.baseline("inbox-server.ts");
    const signature = createHmac("sha256", SECRET).update(BODY).digest("base64");
    let count = 0;
    const load = (url: string, paths: readonly string[]) =>
      runLoad({
        url,
        method: "POST",
        body: () => BODY,
        vary() {
          count += 1;
          return {
            path: paths[count % paths.length] ?? "",
            headers: {
              "content-type": "application/json",
              "x-shopify-topic": "orders/paid",
              "x-shopify-hmac-sha256": signature,
              "x-shopify-webhook-id": `b54557e4-bdd9-4b37-8a5f-${count}`,
              "x-shopify-triggered-at": "2026-01-31T10:00:00.123456789Z",
              "x-shopify-shop-domain": "cafe-lune.myshopify.com",
            },
          };
        },
        expectedStatus: 200,
      });
    return {
      ours: async () => {
        await forget(own);
        return await load(product.url, inboxes);
      },
      baselines: {
        "bare Fastify + pg": async () => {
          await forget(others);
          const paths = TENANTS.map((tenantId) => `/api/${tenantId}/inbox`);
          return await load(bare.url, paths);
        },
      },
    };
  },
});

async function connect(bench: Bench, config: ClientConfig): Promise<Client> {
  const client = new pg.Client(config);
  await client.connect();
  bench.onClose(() => client.end());
  return client;
}

/** As if all of the last round were worked on and purged: an inbox keeps only so much that waits. */
async function forget(client: Client): Promise<void> {
  await client.query("truncate inbound_delivery");
}

/** The path of the inbox. */
async function openInbox(url: string, key: string, tenantId: string): Promise<string> {
  const api = createClient(url);
  const files = { "tenant.yml": TENANT_FILE, ...PASS_FILES };
  const made = await api.put(`/api/tenants/${tenantId}`, { key, body: { files } });
  if (made.status > 201) throw new Error(`No tenant: ${made.text}`);
  const path = `/api/${tenantId}/admin/extensions/shopify`;
  const body = { shop: "cafe-lune.myshopify.com", passType: "loyalty", clientSecret: SECRET };
  const put = await api.put(path, { key, body });
  if (put.status !== 204) throw new Error(`No shop: ${put.text}`);
  const shown = await api.get(path, { key });
  return new URL(shown.body.webhookUrl).pathname;
}
