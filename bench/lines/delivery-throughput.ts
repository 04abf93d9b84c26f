import { setTimeout as sleep } from "node:timers/promises";
import pg, { type Client } from "pg";
import { SIGNAL_CHANNEL } from "#kernel/db/signal-channel.ts";
import { DELIVERY_HINT, writeDeliveryHint } from "#src/webhooks/deliveries/delivery.signal.ts";
import { EVENT_NAME, sampleEvent } from "../support/delivery-events.ts";
import { type DeliveryStage, openDeliveryStage } from "../support/delivery-stage.ts";
import { defineLine, type Line } from "../support/line.ts";

const DELIVERIES = 10_000;
/** What the engine gives an endpoint that keeps up. */
const CONCURRENCY = 32;
const WAIT_MS_MAX = 120_000;
const POLL_MS = 5;

type Target = { readonly tenantId: string; readonly webhookId: string };

/** A backlog for one endpoint, from the wake-up until the last outcome is in the database. */
export const deliveryThroughput = throughputLine("webhook throughput", 1, 1);

/** The same backlog, owed to many. */
export const deliveryThroughputSpread = throughputLine("webhook throughput, 20 endpoints", 5, 4);

function throughputLine(name: string, tenants: number, webhooksPerTenant: number): Line {
  const total = tenants * webhooksPerTenant;
  return defineLine({
    name,
    measures: { throughput: { unit: "deliveries/s", bar: { of: "ratio", atLeast: 0.6 } } },
    rounds: 5,
    async prepare(bench) {
      const stage = await openDeliveryStage(bench, { name: "webhooks_2", processes: 2 });
      const bare = await bench.baseline("bare-poster.ts");
      const endpoints = stage.origins.slice(0, total).map((origin) => `${origin}/hook`);
      const targets: Target[] = [];
      for (let tenant = 0; tenant < tenants; tenant += 1) {
        const tenantId = `throughput-${total}-${tenant}`;
        await stage.createTenant(tenantId);
        for (let count = 0; count < webhooksPerTenant; count += 1) {
          const endpoint = endpoints[targets.length] ?? "";
          targets.push({ tenantId, webhookId: await stage.createWebhook(tenantId, endpoint) });
        }
      }
      const client = new pg.Client({ connectionString: stage.databaseUrl });
      await client.connect();
      await client.query("select set_config('app.tenant', '*', false)");
      bench.onClose(() => client.end());
      let round = 0;
      return {
        async ours() {
          round += 1;
          await prepareBacklog(client, targets, round);
          return { throughput: DELIVERIES / (await deliverAll(stage, client, targets)) };
        },
        baselines: {
          "bare undici loop": async () => {
            const wanted = { count: DELIVERIES, concurrency: CONCURRENCY, endpoints };
            const body = JSON.stringify(wanted);
            const response = await fetch(bare.url, { method: "POST", body });
            if (response.status !== 200) throw new Error(await response.text());
            const { seconds } = (await response.json()) as { seconds: number };
            return { throughput: DELIVERIES / seconds };
          },
        },
      };
    },
  });
}

async function prepareBacklog(client: Client, targets: readonly Target[], round: number) {
  const events = Array.from({ length: DELIVERIES }, (_, at) => sampleEvent(round, at));
  const owed = events.map((_, at) => targets[at % targets.length]);
  // Nobody begins with it before the clock runs.
  await client.query("update webhook set enabled = false");
  await client.query(
    `with owed as (
       select * from unnest($1::text[], $2::text[], $3::text[], $4::text[])
              as owed (tenant_id, webhook_id, event_id, data)
     ), happened as (
       insert into event (tenant_id, id, name, occurred_at, data)
       select tenant_id, event_id, $5, now(), data::jsonb from owed
     )
     insert into delivery (tenant_id, webhook_id, event_id, event_name, state, due_at, created_at)
     select tenant_id, webhook_id, event_id, $5, 'pending', now(), now() from owed`,
    [
      owed.map((target) => target?.tenantId),
      owed.map((target) => target?.webhookId),
      events.map(({ id }) => id),
      events.map(({ dataText }) => dataText),
      EVENT_NAME,
    ],
  );
  // As time would: what is measured is not the first look at a table nobody knows.
  await client.query("vacuum analyze event, delivery");
}

async function deliverAll(
  stage: DeliveryStage,
  client: Client,
  targets: readonly Target[],
): Promise<number> {
  const countBefore = await arrived(stage);
  const signal = AbortSignal.timeout(WAIT_MS_MAX);
  // The sink answers when it has got everything. Polling it took 5 % of the machine's time, and
  // only from the side that is polled.
  const reached = fetch(`${stage.sink.url}/reached/${countBefore + DELIVERIES}`, { signal });
  const startedAt = performance.now();
  await client.query("update webhook set enabled = true");
  const byTenant = Map.groupBy(targets, ({ tenantId }) => tenantId);
  for (const [tenantId, own] of byTenant) {
    const ids = own.map(({ webhookId }) => webhookId);
    const hint = `${DELIVERY_HINT} ${writeDeliveryHint(tenantId, ids)}`;
    await client.query("select pg_notify($1, $2)", [SIGNAL_CHANNEL, hint]);
  }
  await (await reached).text();
  while (await isPending(client)) {
    signal.throwIfAborted();
    await sleep(POLL_MS);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  await requireLogged(client);
  return seconds;
}

async function arrived(stage: DeliveryStage): Promise<number> {
  return Number(await (await fetch(`${stage.sink.url}/count`)).text());
}

async function isPending(client: Client): Promise<boolean> {
  const { rows } = await client.query(
    "select exists (select from delivery where state = 'pending') as pending",
  );
  return rows[0].pending;
}

async function requireLogged(client: Client): Promise<void> {
  const { rows } = await client.query(
    `select count(*)::int as count from delivery
      where state <> 'delivered' or jsonb_array_length(attempts) = 0`,
  );
  if (rows[0].count > 0) throw new Error(`${rows[0].count} deliveries have no log or failed.`);
}
