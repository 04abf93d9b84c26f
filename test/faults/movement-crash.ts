import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import {
  makeDataDir,
  PRODUCT_OPERATOR_KEY,
  type Product,
  removeDataDir,
  startProduct,
} from "#test/support/product.ts";

/*
 * Kills the product in a storm of movements, again and again, and compares the ledger with the
 * answers that callers got. The database server stays up, and the next processes start meanwhile: a
 * round takes as long as a start: `node test/faults/movement-crash.ts --rounds 200 --database-url …`.
 */

const TENANT = "storm";
const TENANT_FILE = "name: Storm\nrateLimits:\n  default: { limit: 1000000, windowSeconds: 60 }\n";
const PASSES = 3;
const WRITERS = 6;
/** A process that has just started is slow: it is killed when it has come to speed. */
const ANSWERS_MIN = 30;
const STORM_MS_MAX = 60;
const STORM_WAIT_MS_MAX = 60_000;
/** How many processes start while the storm hits another one. */
const AHEAD = 2;
const SETTLE_MS_MAX = 120_000;

/** One movement as its caller knows it. */
type Sent = {
  /** The pass, and the mark by which its line in the ledger is found. */
  readonly passId: string;
  readonly reference: string;
  readonly value: number;
  readonly key: string | undefined;
  /** `unknown`: the connection broke before an answer. */
  outcome: "acknowledged" | "refused" | "unknown";
  movementId?: string;
};

export type MovementCrashResult = {
  readonly rounds: number;
  readonly acknowledged: number;
  readonly unknown: number;
  readonly movements: number;
  /** Sentences about what is wrong; empty if all is right. */
  readonly faults: readonly string[];
};

export async function runMovementCrash(
  rounds: number,
  databaseUrl: string,
): Promise<MovementCrashResult> {
  const dataDir = await makeDataDir();
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    ROLES: "api",
    SIMULATOR: "0",
    LOG_LEVEL: "error",
  };
  const all: Sent[] = [];
  const surprises: string[] = [];
  // Those of the next rounds start meanwhile.
  const line = Array.from({ length: AHEAD }, () => startProduct({ env }));
  const take = async () => {
    const product = await line.shift();
    if (product === undefined) throw new Error("No process is left.");
    return product;
  };
  try {
    let passIds: readonly string[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const product = await take();
      if (round === 1) passIds = await prepare(product);
      // One more than are killed, for what is sent again at the end.
      if (round + AHEAD <= rounds + 1) line.push(startProduct({ env }));
      const storm = Promise.all(
        Array.from({ length: WRITERS }, () => moveUntilBroken(product, passIds, all, surprises)),
      );
      await untilAnswered(all, all.length + ANSWERS_MIN);
      await sleep(Math.random() * STORM_MS_MAX);
      await product.kill("SIGKILL");
      await storm;
    }
    const unknown = all.filter(({ outcome }) => outcome === "unknown").length;
    const last = await take();
    line.push(Promise.resolve(last));
    await settle(last, all, surprises);
    const { movements, faults } = await compare(databaseUrl, all);
    const acknowledged = all.filter(({ outcome }) => outcome === "acknowledged").length;
    return { rounds, acknowledged, unknown, movements, faults: [...surprises, ...faults] };
  } finally {
    for (const started of await Promise.allSettled(line)) {
      if (started.status === "fulfilled") await started.value.kill("SIGKILL");
    }
    await removeDataDir(dataDir);
  }
}

async function untilAnswered(all: readonly Sent[], count: number): Promise<void> {
  for (const deadline = Date.now() + STORM_WAIT_MS_MAX; Date.now() < deadline; ) {
    if (all.length >= count) return;
    await sleep(2);
  }
}

async function prepare(product: Product): Promise<string[]> {
  const api = { ...product, operatorKey: PRODUCT_OPERATOR_KEY };
  await seedPassTenant(api, TENANT, { "tenant.yml": TENANT_FILE });
  const passIds: string[] = [];
  for (let count = 0; count < PASSES; count += 1) passIds.push((await seedPass(api, TENANT)).id);
  return passIds;
}

async function moveUntilBroken(
  product: Product,
  passIds: readonly string[],
  all: Sent[],
  surprises: string[],
): Promise<void> {
  for (;;) {
    const sent: Sent = {
      passId: passIds[Math.floor(Math.random() * passIds.length)] ?? "",
      reference: randomUUID(),
      // More is issued than redeemed, but some redemptions find nothing left.
      value: Math.random() < 0.5 ? 0.3 : -0.2,
      key: Math.random() < 0.5 ? randomUUID() : undefined,
      outcome: "unknown",
    };
    all.push(sent);
    if (!(await send(product, sent, surprises))) return;
  }
}

/** Returns false if the product is gone. */
async function send(product: Product, sent: Sent, surprises: string[]): Promise<boolean> {
  const { passId, reference, value, key } = sent;
  try {
    const { status, body, text } = await product.post(
      `/api/${TENANT}/passes/${passId}/privileges/points/movements`,
      {
        key: PRODUCT_OPERATOR_KEY,
        body: { value, reference },
        ...(key === undefined ? {} : { headers: { "idempotency-key": key } }),
      },
    );
    const isRefused = status === 409 && body.code === "privilege.insufficient-value";
    if (status === 201) sent.movementId = body.movementId;
    if (status === 201) sent.outcome = "acknowledged";
    else if (isRefused) sent.outcome = "refused";
    // The first request with this key may still be running in a process that was just killed.
    else if (status !== 503 && status !== 409) surprises.push(`${reference}: ${status} ${text}`);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ECONNREFUSED") {
      sent.outcome = "refused";
    }
    return false;
  }
}

/** Sends what had a key and no answer again, as careful callers do. */
async function settle(product: Product, all: readonly Sent[], surprises: string[]): Promise<void> {
  const deadline = Date.now() + SETTLE_MS_MAX;
  for (const sent of all.filter(({ outcome, key }) => outcome === "unknown" && key !== undefined)) {
    while (sent.outcome === "unknown" && Date.now() < deadline) {
      if (!(await send(product, sent, surprises))) throw new Error("The product went away.");
      if (sent.outcome === "unknown") await sleep(50);
    }
    if (sent.outcome === "unknown") surprises.push(`${sent.reference}: never answered`);
  }
}

type Line = { readonly id: string; readonly reference: string; readonly events: number };

async function compare(databaseUrl: string, all: readonly Sent[]) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("set app.tenant = '*'");
    const { rows: lines } = await client.query<Line>(
      `select movement.id, reference, count(event.id)::int as events
         from movement
         left join event on event.tenant_id = movement.tenant_id
                        and event.name = 'privilege.moved'
                        and event.data ->> 'movementId' = movement.id
        group by movement.tenant_id, movement.id, reference`,
    );
    const { rows: events } = await client.query(
      "select count(*)::int as count from event where name = 'privilege.moved'",
    );
    const { rows: sums } = await client.query(
      `select pass_id, privilege.value = coalesce(sum(movement.value), 0)
                       and privilege.sequence = count(movement.id)
                       and privilege.sequence = coalesce(max(movement.sequence), 0)
                       and coalesce(min(movement.value_after), 0) >= 0 as right
         from privilege
         left join movement using (tenant_id, pass_id)
        group by pass_id, privilege.value, privilege.sequence`,
    );
    const faults = [
      ...faultsOfLines(all, lines),
      ...sums.filter((row) => row.right !== true).map((row) => `${row.pass_id}: a wrong sum`),
      ...(events[0].count === lines.length ? [] : [`${events[0].count} events`]),
    ];
    return { movements: lines.length, faults };
  } finally {
    await client.end();
  }
}

function faultsOfLines(all: readonly Sent[], lines: readonly Line[]): string[] {
  const byReference = Map.groupBy(lines, ({ reference }) => reference);
  const faults = lines
    .filter(({ events }) => events !== 1)
    .map(({ reference, events }) => `${reference}: ${events} events`);
  for (const { reference, outcome, movementId } of all) {
    const found = byReference.get(reference) ?? [];
    byReference.delete(reference);
    if (found.length > 1) faults.push(`${reference}: written ${found.length} times`);
    if (outcome === "acknowledged" && found[0]?.id !== movementId)
      faults.push(`${reference}: lost`);
    if (outcome === "refused" && found.length > 0) faults.push(`${reference}: refused and written`);
  }
  for (const reference of byReference.keys()) faults.push(`${reference}: nobody sent it`);
  return faults;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "50" },
      "database-url": { type: "string" },
    },
  });
  const url = values["database-url"];
  if (url === undefined) throw new Error("Name an empty database by --database-url.");
  const result = await runMovementCrash(Number(values.rounds), url);
  console.log(JSON.stringify(result));
  process.exit(result.faults.length === 0 ? 0 : 1);
}
