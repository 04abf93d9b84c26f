import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg, { type Client } from "pg";
import { createClient } from "#test/support/client.ts";
import { loadedId, loadPasses } from "#test/support/pass-rows.ts";
import { newId } from "../support/bare-server.ts";
import { BARE_OPTIONS } from "../support/bare-tables.ts";
import { defineLine } from "../support/line.ts";
import { preparePassTenant } from "../support/pass-tenant.ts";
import type { Product } from "../support/product.ts";
import { memoryOf, Readers } from "../support/readers.ts";
import { scaled } from "../support/scale.ts";

const TENANT = "bench-import";
const ROWS = scaled(1_000_000, 10_000);
const BATCH = 500;
/** Passes that are there before, for those who read. */
const PASSES = 10_000;
const POLL_MS = 500;
const WAIT_MS_MAX = 1_800_000;
const IDLE_MS = scaled(10_000, 5_000);

/**
 * A file whose rows all create passes, from its first row until the last one is done, while a few
 * others read: against a loop that makes the same passes and events five hundred at a time, beside
 * the same readers. The loop reads no file and checks nothing, and writes neither a log nor an audit.
 */
export const importRows = defineLine({
  name: "import of 1,000,000 rows",
  measures: {
    throughput: { unit: "rows/s", bar: { of: "ratio", atLeast: 0.35 } },
    memory: { unit: "MB more", bar: { of: "ours", below: 150 } },
    slowdown: { unit: "× p99 of a read", bar: { of: "ours", below: 3 } },
    stillness: { unit: "s without progress", bar: { of: "ours", below: 5 } },
  },
  rounds: 1,
  // A million rows warm up by themselves.
  warmUpRounds: 0,
  async prepare(bench) {
    const product = await bench.product();
    const key = await preparePassTenant(product, TENANT);
    const loaded = await loadPasses(bench.connection, TENANT, PASSES);
    const client = new pg.Client({ ...bench.connection, options: BARE_OPTIONS });
    await client.connect();
    bench.onClose(() => client.end());
    const readers = () =>
      new Readers(product, key, (count) => {
        return `/api/${TENANT}/passes/${loadedId(loaded, (count * 7_919) % PASSES)}`;
      });
    return {
      ours: () => importAll(product, readers),
      baselines: {
        "bare loop by 500": async () => {
          const reading = readers();
          const startedAt = performance.now();
          await insertBare(client);
          const throughput = ROWS / ((performance.now() - startedAt) / 1_000);
          await reading.stop();
          return { throughput, memory: 1, slowdown: 1, stillness: 1 };
        },
      },
    };
  },
});

async function importAll(product: Product, readers: () => Readers) {
  const api = createClient(product.url);
  const key = product.operatorKey;
  const idle = readers();
  await sleep(IDLE_MS);
  const idleP99 = await idle.stop();
  const before = await memoryOf(product);
  const sent = await api.post(`/api/${TENANT}/admin/imports?fileName=members.csv`, {
    key,
    rawBody: Buffer.from(fileOf(randomBytes(4).toString("hex"))),
    headers: { "content-type": "text/csv" },
  });
  if (sent.status !== 202) throw new Error(`Not accepted: ${sent.text}`);

  const reading = readers();
  const path = `/api/${TENANT}/admin/imports/${sent.body.importId}`;
  const seen = { most: before, rows: 0, at: performance.now(), stillMs: 0 };
  for (const deadline = Date.now() + WAIT_MS_MAX; ; await sleep(POLL_MS)) {
    const { body: file } = await api.get(path, { key });
    const now = performance.now();
    seen.most = Math.max(seen.most, await memoryOf(product));
    if (file.rows !== seen.rows) {
      seen.stillMs = Math.max(seen.stillMs, now - seen.at);
      Object.assign(seen, { rows: file.rows, at: now });
    }
    if (file.status !== "processed" && file.status !== "error" && Date.now() < deadline) continue;
    const p99 = await reading.stop();
    if (file.created !== ROWS) throw new Error(`${file.created} of ${ROWS}: ${file.problem}`);
    const seconds = (Date.parse(file.finishedAt) - Date.parse(file.startedAt)) / 1_000;
    return {
      throughput: ROWS / seconds,
      memory: (seen.most - before) / 1e6,
      slowdown: p99 / idleP99,
      stillness: seen.stillMs / 1_000,
    };
  }
}

/** No two files have a pass in common. */
function fileOf(mark: string): string {
  const lines = [
    "passType,identifiers.loyalty.number,identifiers.crm.id,additionalData.firstName,additionalData.points,additionalData.tier",
  ];
  for (let row = 1; row <= ROWS; row += 1) {
    lines.push(`loyalty,${mark}-${row},C-${mark}-${row},Name ${row % 5_000},${row % 1_000},Deck`);
  }
  return lines.join("\n");
}

const NOWHERE = { status: "none", installedAt: null, uninstalledAt: null, devices: 0 };

async function insertBare(client: Client): Promise<void> {
  const mark = randomBytes(4).toString("hex");
  for (let first = 1; first <= ROWS; first += BATCH) {
    const now = new Date();
    const expires = new Date(now.getTime() + 2 * 365 * 86_400_000);
    const passes = Array.from({ length: Math.min(BATCH, ROWS - first + 1) }, (_, at) => {
      const row = first + at;
      const identifiers = { "loyalty.number": `${mark}-${row}`, "crm.id": `C-${mark}-${row}` };
      const data = { firstName: `Name ${row % 5_000}`, points: row % 1_000, tier: "Deck" };
      return { id: newId("ps"), secret: randomBytes(12).toString("hex"), identifiers, data };
    });
    const named = passes.flatMap(({ id, identifiers }) =>
      Object.entries(identifiers).map(([name, value]) => ({ id, name, value })),
    );
    const events = passes.map(({ id, identifiers, data }) => ({
      id: newId("evt"),
      subject: id,
      data: {
        id,
        passType: "loyalty",
        status: "active",
        identifiers,
        additionalData: data,
        metadata: {},
        providers: { apple: NOWHERE, google: NOWHERE },
        creationDate: now,
        lastUpdateDate: now,
        expirationDate: expires,
        version: 1,
      },
    }));
    await client.query("begin");
    await client.query({
      name: "passes",
      text: `insert into pass (tenant_id, id, pass_type, status, identifiers, data, secret, created_at,
                               updated_at, expires_at)
             select $1, id, 'loyalty', 'active', identifiers, data, secret, $2, $2, $3
               from jsonb_to_recordset($4::jsonb) as made (id text, identifiers jsonb, data jsonb, secret text)`,
      values: [TENANT, now, expires, JSON.stringify(passes)],
    });
    await client.query({
      name: "identifiers",
      text: `insert into pass_identifier (tenant_id, name, value, pass_id, pass_type, is_unique)
             select $1, name, value, id, 'loyalty', true
               from unnest($2::text[], $3::text[], $4::text[]) as identifier (name, value, id)`,
      values: [
        TENANT,
        named.map(({ name }) => name),
        named.map(({ value }) => value),
        named.map(({ id }) => id),
      ],
    });
    await client.query({
      name: "privileges",
      text: `insert into privilege (tenant_id, pass_id, id, name, type, value, total, minimum, status,
                                    metadata, sequence, sequence_from, given_status,
                                    given_status_sequence, created_at, updated_at)
             select $1, id, 'points', 'Points', 'MultiUse', 0, 0, 0, 'available', '{}', 0, 0,
                    'available', 0, $2, $2
               from unnest($3::text[]) as id`,
      values: [TENANT, now, passes.map(({ id }) => id)],
    });
    await client.query({
      name: "events",
      text: `insert into event (tenant_id, id, name, occurred_at, data, subject)
             select $1, id, 'pass.created', $2, data, subject
               from jsonb_to_recordset($3::jsonb) as event (id text, data jsonb, subject text)`,
      values: [TENANT, now, JSON.stringify(events)],
    });
    await client.query("commit");
  }
}
