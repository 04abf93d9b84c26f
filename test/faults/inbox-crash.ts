import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { expireClaims } from "#test/support/claims.ts";
import {
  envOf,
  freePort,
  makeDataDir,
  PRODUCT_OPERATOR_KEY,
  type Product,
  removeDataDir,
  startProduct,
  withProductDatabase,
} from "#test/support/product.ts";
import { openShop, order, refund, type Sent } from "#test/support/shop-stage.ts";

/*
 * Kills the product again and again while a shop sends orders and refunds. Every delivery that was
 * acknowledged must have its effect exactly once: `node test/faults/inbox-crash.ts --orders 20000
 * --kills 10`.
 */

export type InboxCrashResult = {
  readonly deliveries: number;
  /** How many were acknowledged and done at each kill. */
  readonly atKill: readonly { readonly acknowledged: number; readonly done: number }[];
  /** How often the shop got no answer, and sent again. */
  readonly unanswered: number;
  /** Numbers that must be as many as deliveries. */
  readonly counts: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
  /** The points of all passes together, as they are and as they must be. */
  readonly points: readonly [is: number, shall: number];
};

type Place = Parameters<typeof withProductDatabase>[0];

const TENANT = "crashing";
const CUSTOMERS = 60;
const SENDERS = 12;
const WAIT_MS = 120_000;
const UNDER_WAY_MS = 15;
const AGAIN_MS = 200;
const [PAID, GIVEN_BACK] = [10, 4];
/** Every fourth order is refunded in part. */
const REFUNDED_EVERY = 4;

type Outgoing = Sent & { readonly id: string; isAcknowledged: boolean };

export async function runInboxCrash(
  orders: number,
  kills: number,
  databaseUrl?: string,
): Promise<InboxCrashResult> {
  const dataDir = await makeDataDir();
  const place = { dataDir, databaseUrl };
  const port = String(await freePort());
  const env = { DATA_DIR: dataDir, LOG_LEVEL: "error", PORT: port, ...envOf(databaseUrl) };
  let product: Product | undefined;
  try {
    product = await startProduct({ env });
    const callers = { ...product, operatorKey: PRODUCT_OPERATOR_KEY };
    const shop = await openShop({ ...callers, sql: async () => [] }, TENANT);
    const outgoing = deliveriesOf(orders);
    const counted = { unanswered: 0 };
    const send = async (delivery: Outgoing): Promise<void> => {
      while (!delivery.isAcknowledged) {
        const status = await shop.send(delivery).then(
          (answer) => answer.status,
          () => 0,
        );
        if (status === 200) delivery.isAcknowledged = true;
        else if (status !== 0 && status !== 503) throw new Error(`The shop was told ${status}.`);
        else await sleep(AGAIN_MS);
        if (status === 0) counted.unanswered += 1;
      }
    };
    // Some are on their way at each kill, and get no answer.
    const share = Math.ceil(outgoing.length / (kills + 1));
    const sending = [sendAll(outgoing.slice(0, share), send)];
    const atKill: { acknowledged: number; done: number }[] = [];
    for (let kill = 1; kill <= kills; kill += 1) {
      await waitUntilDone(place, Math.floor((outgoing.length * (2 * kill - 1)) / (4 * kills)));
      sending.push(sendAll(outgoing.slice(share * kill, share * (kill + 1)), send));
      await sleep(UNDER_WAY_MS);
      const acknowledged = outgoing.filter(({ isAcknowledged }) => isAcknowledged).length;
      await product.kill("SIGKILL");
      atKill.push({ acknowledged, done: await leaveAt(place) });
      product = await startProduct({ env });
    }
    await Promise.all(sending);
    await waitUntilDone(place, outgoing.length);
    const { statuses, counts, points } = await look(place);
    const refunds = outgoing.length - orders;
    return {
      deliveries: outgoing.length,
      atKill,
      unanswered: counted.unanswered,
      counts,
      statuses,
      points: [points, orders * PAID - refunds * GIVEN_BACK],
    };
  } finally {
    await product?.kill("SIGKILL");
    await removeDataDir(dataDir);
  }
}

/** Refunds come some deliveries after their orders, or before them, as it happens. */
function deliveriesOf(orders: number): Outgoing[] {
  const all: Outgoing[] = [];
  for (let id = 1; id <= orders; id += 1) {
    const body = order(id, (id % CUSTOMERS) + 1, `${PAID}.00`);
    all.push({ topic: "orders/paid", id: `order-${id}`, body, isAcknowledged: false });
    if (id % REFUNDED_EVERY !== 0) continue;
    const back = refund(id, id, `${GIVEN_BACK}.00`);
    all.push({ topic: "refunds/create", id: `refund-${id}`, body: back, isAcknowledged: false });
  }
  return all;
}

async function sendAll(
  outgoing: readonly Outgoing[],
  send: (delivery: Outgoing) => Promise<void>,
): Promise<void> {
  const waiting = [...outgoing];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await send(next);
  };
  await Promise.all(Array.from({ length: SENDERS }, work));
}

/** Those that wait for another one are asked again at once, and not in seconds. */
function waitUntilDone(place: Place, wanted: number): Promise<void> {
  return withProductDatabase(place, async (client) => {
    for (const deadline = Date.now() + WAIT_MS; ; ) {
      const { rows } = await client.query(
        "select count(*) filter (where status <> 'waiting')::int as ended from inbound_delivery",
      );
      if (rows[0].ended >= Math.max(1, wanted)) return;
      if (Date.now() > deadline) throw new Error(`No progress: ${rows[0].ended} of ${wanted}`);
      await client.query(
        "update inbound_delivery set next_attempt_at = now() where status = 'waiting' and yields",
      );
      await sleep(20);
    }
  });
}

/** How many are done. The lease of the process that is dead ends now, and not in a minute. */
function leaveAt(place: Place): Promise<number> {
  return withProductDatabase(place, async (client) => {
    await expireClaims(
      async (statement) => (await client.query(statement)).rows,
      "inbound_delivery",
    );
    const { rows } = await client.query(
      "select count(*)::int as done from inbound_delivery where status = 'done'",
    );
    return rows[0].done as number;
  });
}

type Look = Pick<InboxCrashResult, "statuses" | "counts"> & { readonly points: number };

function look(place: Place): Promise<Look> {
  return withProductDatabase(place, async (client) => {
    const statuses = await client.query(
      "select status, count(*)::int as count from inbound_delivery group by status",
    );
    const { rows } = await client.query(
      `select (select count(*)::int from inbound_delivery) as stored,
              (select count(*)::int from movement) as movements,
              (select count(*)::int from connector_effect) as effects,
              (select count(distinct movement_id)::int from connector_effect) as different,
              (select count(*)::int from event where name = 'privilege.moved') as events,
              (select count(*)::int from audit where target like 'inbound-delivery:%') as audited`,
    );
    const sums = await client.query(
      "select sum(value)::float8 as points from privilege where id = 'points'",
    );
    return {
      statuses: Object.fromEntries(statuses.rows.map(({ status, count }) => [status, count])),
      counts: rows[0],
      points: sums.rows[0].points,
    };
  });
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      orders: { type: "string", default: "20000" },
      kills: { type: "string", default: "5" },
      "database-url": { type: "string" },
    },
  });
  const { orders, kills, "database-url": url } = values;
  const result = await runInboxCrash(Number(orders), Number(kills), url);
  console.log(JSON.stringify(result));
}
