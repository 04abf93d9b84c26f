import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "#kernel/clock.ts";
import { Database } from "#kernel/db/database.ts";
import { startEmbeddedPostgres } from "#kernel/db/embedded/embedded-postgres.ts";
import { leaseTokens } from "#kernel/http/rate-limit/rate-limit.repository.ts";
import { createRateLimiter } from "#kernel/http/rate-limit/rate-limit.ts";
import { createLog } from "#kernel/log.ts";
import { prepareDatabase } from "#main/open-database.ts";

/*
 * Decisions per second of the rate limiter, by leases and by one upsert per decision, which is what
 * a counter kept in PostgreSQL comes to: `node bench/rate-limit.ts`.
 */

const ROUND_MS = 2_000;
const ROUNDS = 3;
const CALLERS = 50;
const LIMIT = 1_000_000_000;

type Decide = (caller: number) => unknown;

async function decisionsPerSecond(decide: Decide): Promise<number> {
  const endsAt = performance.now() + ROUND_MS;
  let decisions = 0;
  const call = async (caller: number) => {
    while (performance.now() < endsAt) {
      // As in a server, where every request is a turn of the event loop, if a shared one.
      for (let count = 0; count < 10; count += 1) await decide(caller);
      decisions += 10;
      await new Promise(setImmediate);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)));
  return (decisions / ROUND_MS) * 1_000;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

const dataDir = await mkdtemp(join(tmpdir(), "billfold-bench-"));
const server = await startEmbeddedPostgres({ dataDir, log: () => undefined });
await prepareDatabase(server.connection);
const log = createLog({ level: "warn" });
const db = new Database({
  connection: server.connection,
  poolSize: 10,
  clock: systemClock,
  log,
  role: "billfold_app",
});

const limiter = createRateLimiter({ db, log });
const tight = { limit: 6_000, windowSeconds: 1 };
const route = (limit: number) => ({
  op: "bench.read",
  method: "GET" as const,
  rateLimit: { limit, windowSeconds: 60 },
});
const place = { tenantId: "bench", op: "bench.upsert", windowSeconds: 60, limit: LIMIT, wanted: 1 };
const contenders: Record<string, Decide> = {
  "upsert per decision, one key": () => leaseTokens(db, { ...place, credentialId: "key" }),
  "upsert per decision, 50 keys": (caller) =>
    leaseTokens(db, { ...place, credentialId: `key-${caller}` }),
  "leases, one key, 6,000 a second, rest refused": () =>
    limiter.takeToken("bench", "one", { ...route(0), rateLimit: tight }),
  "leases, one key, never at the limit": () => limiter.takeToken("bench", "one", route(LIMIT)),
  "leases, 50 keys, never at the limit": (caller) =>
    limiter.takeToken("bench", `key-${caller}`, route(LIMIT)),
};

const results = new Map<string, number[]>();
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, decide] of Object.entries(contenders)) {
    results.set(name, [...(results.get(name) ?? []), await decisionsPerSecond(decide)]);
  }
}
for (const [name, rates] of results) {
  console.log(`${name.padEnd(44)} ${Math.round(median(rates)).toLocaleString("en")} decisions/s`);
}

await db.close();
await server.stop();
await rm(dataDir, { recursive: true, force: true });
