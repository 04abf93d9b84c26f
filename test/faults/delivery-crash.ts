import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import {
  envOf,
  makeDataDir,
  PRODUCT_OPERATOR_KEY,
  type Product,
  removeDataDir,
  startProduct,
  withProductDatabase,
} from "#test/support/product.ts";

/*
 * Kills the product again and again while an endpoint has a request but has not answered, so
 * between sending and recording. Every event must still arrive. To run it: `node
 * test/faults/delivery-crash.ts --rounds 100`.
 */

export type DeliveryCrashResult = {
  readonly rounds: number;
  readonly events: number;
  readonly arrived: number;
  /** Further requests for the same event. They are allowed: receivers recognise the id. */
  readonly duplicates: number;
  readonly lost: readonly string[];
  /** Events whose requests had different bodies. */
  readonly changed: readonly string[];
};

type Place = Parameters<typeof withProductDatabase>[0];

const EVENTS_PER_ROUND = 5;
const DRAIN_TIMEOUT_MS = 120_000;
const TENANT = "crashing";

export async function runDeliveryCrash(
  rounds: number,
  databaseUrl?: string,
): Promise<DeliveryCrashResult> {
  const dataDir = await makeDataDir();
  const place = { dataDir, databaseUrl };
  const env = { DATA_DIR: dataDir, LOG_LEVEL: "error", ...envOf(databaseUrl) };
  const endpoint = await openEndpoint();
  let product: Product | undefined;
  try {
    product = await startProduct({ env });
    await subscribe(product, endpoint.url);
    for (let round = 1; round <= rounds; round += 1) {
      const victim: Product = product;
      endpoint.killAt(1 + Math.floor(Math.random() * EVENTS_PER_ROUND), () => {
        void victim.kill("SIGKILL");
      });
      await emit(victim, round);
      await victim.exit;
      product = await startProduct({ env });
    }
    endpoint.spare();
    await drain(place);
    const owed = await listEvents(place);
    const bodies = endpoint.bodies;
    return {
      rounds,
      events: owed.length,
      arrived: bodies.size,
      duplicates: [...bodies.values()].reduce((sum, { length }) => sum + length - 1, 0),
      lost: owed.filter((id) => !bodies.has(id)),
      changed: [...bodies].filter(([, sent]) => new Set(sent).size > 1).map(([id]) => id),
    };
  } finally {
    await product?.kill("SIGKILL");
    endpoint.close();
    await removeDataDir(dataDir);
  }
}

/** Collects the bodies by event id. After `killAt`, kills the product instead of answering. */
async function openEndpoint() {
  const bodies = new Map<string, string[]>();
  let countdown = Number.POSITIVE_INFINITY;
  let kill: () => void = () => undefined;
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      const { id } = JSON.parse(text) as { id: string };
      bodies.set(id, [...(bodies.get(id) ?? []), text]);
      countdown -= 1;
      // Requests that arrive while the product dies are not answered either.
      if (countdown <= 0) kill();
      else response.writeHead(200).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    bodies,
    killAt(count: number, how: () => void): void {
      countdown = count;
      kill = how;
    },
    spare(): void {
      countdown = Number.POSITIVE_INFINITY;
    },
    close(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function subscribe(product: Product, endpoint: string): Promise<void> {
  const key = PRODUCT_OPERATOR_KEY;
  const files = { "tenant.yml": "name: Crashing\n" };
  await product.put(`/api/tenants/${TENANT}`, { key, body: { files } });
  const body = { events: ["api-key.created"], endpoint, enabled: true };
  const { status, text } = await product.post(`/api/${TENANT}/webhooks`, { key, body });
  if (status !== 200) throw new Error(`Not subscribed: ${text}`);
}

/** Causes events until the product dies. The database shows which unanswered requests were done. */
async function emit(product: Product, round: number): Promise<void> {
  for (let count = 0; count < EVENTS_PER_ROUND * 4; count += 1) {
    const body = { name: `round ${round} no ${count}`, scopes: ["Pass.Read"] };
    try {
      await product.post(`/api/${TENANT}/admin/apiKeys`, { key: PRODUCT_OPERATOR_KEY, body });
    } catch {
      return;
    }
  }
}

async function drain(place: Place): Promise<void> {
  const deadline = Date.now() + DRAIN_TIMEOUT_MS;
  for (;;) {
    const waiting = await withProductDatabase(place, async (client) => {
      const text = "select count(*)::int as count from delivery where state <> 'delivered'";
      const { rows } = await client.query(text);
      return rows[0].count as number;
    });
    if (waiting === 0) return;
    if (Date.now() > deadline) throw new Error(`${waiting} deliveries still wait.`);
    await sleep(500);
  }
}

function listEvents(place: Place): Promise<string[]> {
  return withProductDatabase(place, async (client) => {
    const text = "select id from event where tenant_id = $1 and name = 'api-key.created'";
    const { rows } = await client.query(text, [TENANT]);
    return rows.map(({ id }) => id as string);
  });
}

export function summariseDeliveries(result: DeliveryCrashResult): string {
  const { rounds, events, arrived, duplicates, lost, changed } = result;
  return `rounds ${rounds}, events ${events}, arrived ${arrived}, duplicates ${duplicates}, lost ${lost.length}, changed ${changed.length}`;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { rounds: { type: "string", default: "100" }, "database-url": { type: "string" } },
  });
  const result = await runDeliveryCrash(Number(values.rounds), values["database-url"]);
  console.log(summariseDeliveries(result));
  process.exit(result.lost.length + result.changed.length === 0 ? 0 : 1);
}
