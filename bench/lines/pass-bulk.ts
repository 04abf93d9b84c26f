import { setTimeout as sleep } from "node:timers/promises";
import pg, { type Client } from "pg";
import { createClient } from "#test/support/client.ts";
import { type Loaded, loadedId, loadPasses } from "#test/support/pass-rows.ts";
import { BARE_OPTIONS } from "../support/bare-tables.ts";
import { defineLine } from "../support/line.ts";
import { preparePassTenant } from "../support/pass-tenant.ts";
import type { Product } from "../support/product.ts";
import { memoryOf, Readers } from "../support/readers.ts";

const TENANT = "bench-bulk";
const PASSES = 100_000;
const BATCH = 500;
const POINTS = 1_000_000;
const POLL_MS = 100;
const WAIT_MS_MAX = 300_000;
/** So long that the slowest in a hundred are more than a few. */
const IDLE_MS = 10_000;
/** Without those that are generated. */
const COLUMNS = `tenant_id, id, pass_type, status, identifiers, data, metadata, secret, providers,
  created_at, updated_at, expires_at, has_own_expiry, version`;

/**
 * One change of a hundred thousand passes by one request, until its job says that it is done, while a
 * few others read: against a loop that makes the same changes and events five hundred at a time,
 * beside the same readers.
 */
export const passBulk = defineLine({
  name: "bulk update of 100,000 passes",
  measures: {
    throughput: { unit: "passes/s", bar: { of: "ratio", atLeast: 0.3 } },
    memory: { unit: "MB more", bar: { of: "ours", below: 150 } },
    slowdown: { unit: "× p99 of a read", bar: { of: "ours", below: 3 } },
  },
  rounds: 3,
  async prepare(bench) {
    const product = await bench.product();
    const key = await preparePassTenant(product, TENANT);
    const loaded = await loadPasses(bench.connection, TENANT, PASSES);
    const client = new pg.Client({ ...bench.connection, options: BARE_OPTIONS });
    await client.connect();
    bench.onClose(() => client.end());
    await client.query("select set_config('app.tenant', '*', false)");
    await client.query(
      `insert into bare.pass (${COLUMNS}) select ${COLUMNS} from public.pass where tenant_id = $1`,
      [TENANT],
    );
    await client.query("vacuum (analyze) bare.pass");
    let round = 0;
    return {
      async ours() {
        round += 1;
        return await updateAll(product, key, loaded, round);
      },
      baselines: {
        "bare loop by 500": async () => {
          const readers = readersOf(product, key, loaded);
          const startedAt = performance.now();
          await updateBare(client, round);
          const throughput = PASSES / ((performance.now() - startedAt) / 1_000);
          await readers.stop();
          return { throughput, memory: 1, slowdown: 1 };
        },
      },
    };
  },
});

async function updateAll(product: Product, key: string, loaded: Loaded, round: number) {
  const api = createClient(product.url);
  const idle = readersOf(product, key, loaded);
  await sleep(IDLE_MS);
  const idleP99 = await idle.stop();
  const before = await memoryOf(product);

  const readers = readersOf(product, key, loaded);
  const startedAt = performance.now();
  const sent = await api.patch(`/api/${TENANT}/passes`, {
    key,
    body: {
      filter: [{ field: "creationDate", operator: "greaterThan", value: "2000-01-01T00:00:00Z" }],
      // As no pass has them yet.
      additionalData: { points: POINTS + round },
    },
  });
  if (sent.status !== 202) throw new Error(`Not accepted: ${sent.text}`);
  let most = before;
  let updated = 0;
  for (;;) {
    const { body: job } = await api.get(`/api/${TENANT}/jobs/${sent.body.jobId}`, { key });
    most = Math.max(most, await memoryOf(product));
    updated = job.updated;
    if (job.state === "completed" || performance.now() - startedAt > WAIT_MS_MAX) break;
    await sleep(POLL_MS);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const p99 = await readers.stop();
  if (updated !== PASSES) throw new Error(`${updated} of ${PASSES} were updated.`);
  return { throughput: PASSES / seconds, memory: (most - before) / 1e6, slowdown: p99 / idleP99 };
}

function readersOf(product: Product, key: string, loaded: Loaded): Readers {
  return new Readers(product, key, (count) => {
    return `/api/${TENANT}/passes/${loadedId(loaded, (count * 7_919) % PASSES)}`;
  });
}

type Row = { readonly id: string; readonly version: number; readonly data: object };

async function updateBare(client: Client, round: number): Promise<void> {
  for (let after = ""; ; ) {
    await client.query("begin");
    const { rows } = await client.query<Row>(
      `select ${COLUMNS} from pass where tenant_id = $1 and id > $2 order by id limit ${BATCH} for update`,
      [TENANT, after],
    );
    const changed = rows.map((row) => ({
      ...row,
      data: { ...row.data, points: POINTS + round },
      version: row.version + 1,
    }));
    await client.query(
      `update pass set data = changed.data, version = changed.version, updated_at = now()
         from jsonb_to_recordset($2::jsonb) as changed (id text, data jsonb, version int)
        where tenant_id = $1 and pass.id = changed.id`,
      [TENANT, JSON.stringify(changed)],
    );
    const events = changed.map((data, at) => ({
      id: eventId(round, data.id),
      data,
      previous: rows[at],
    }));
    await client.query(
      `insert into event (tenant_id, id, name, occurred_at, data, previous, subject)
       select $1, id, 'pass.updated', now(), data, previous, data ->> 'id'
         from jsonb_to_recordset($2::jsonb) as event (id text, data jsonb, previous jsonb)`,
      [TENANT, JSON.stringify(events)],
    );
    await client.query("commit");
    after = rows.at(-1)?.id ?? "";
    if (rows.length < BATCH) return;
  }
}

let runs = 0;
function eventId(round: number, passId: string): string {
  runs += 1;
  return `evt_${round}_${runs}_${passId}`;
}
