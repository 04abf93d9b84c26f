import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { sql } from "#kernel/db/sql.ts";
import { modules } from "#main/modules.ts";
import { purgeFileContents } from "#src/tenants/configuration/configuration.jobs.ts";
import { makeCredentials } from "#test/support/access-credentials.ts";
import type { ApiResponse, RequestOptions } from "#test/support/client.ts";
import { isTurn } from "#test/support/combinations.ts";
import {
  addressOf,
  makeParameters,
  newMark,
  type Operation,
  readOperations,
  shareParameters,
} from "#test/support/operations.ts";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { runSeed } from "#test/support/run-seed.ts";
import { startApi, type TestApi } from "#test/support/start-api.ts";
import { listTenantTables, snapshotRows } from "#test/support/tenant-rows.ts";
import { until } from "#test/support/webhook-receiver.ts";

/** Every text of a tenant contains this mark, so that it is recognised wherever it appears. */
const markOf = (tenantId: string) => `canary-${tenantId}`;

async function start(owner: Parameters<typeof startApi>[0]) {
  const api = await startApi(owner, { env: { TRUST_PROXY: "1" } });
  for (const tenantId of ["left", "right"]) await api.seed.tenant(tenantId);
  const operations = (await readOperations(api)).filter(({ isPublic }) => !isPublic);
  return { api, operations };
}

function bodyOf(operation: Operation, tenantId: string): Pick<RequestOptions, "body"> {
  const body = operation.markedBody(newMark(markOf(tenantId)));
  return body === undefined ? {} : { body };
}

/** Calls every writing operation once, with the key of the tenant. */
async function fill(api: TestApi, operations: readonly Operation[], tenantId: string, key: string) {
  for (const operation of operations) {
    if (!operation.hasTenant || operation.needsRole || operation.method === "GET") continue;
    const parameters = await makeParameters(api, operation, tenantId, markOf(tenantId));
    const { status, text } = await api.request(operation.method, addressOf(operation, parameters), {
      key,
      ...bodyOf(operation, tenantId),
    });
    assert.ok(status >= 200 && status < 300, `${operation.op}: ${status} ${text}`);
  }
}

/** The answer without the values that the caller sent and that the answer repeats. */
function bytesOf({ headers, text }: ApiResponse, parameters: Record<string, string>): string {
  const { tenantId: _kept, ...echoed } = parameters;
  const names = Object.values(echoed).map(decodeURIComponent);
  return names.reduce((bytes, name) => bytes.replaceAll(name, ""), `${[...headers]}\n${text}`);
}

async function fillBoth() {
  const { api, operations } = await start({ after });
  const sides = {
    left: await makeCredentials(api, "left", "right"),
    right: await makeCredentials(api, "right", "left"),
  };
  for (const tenantId of ["left", "right"] as const) {
    await fill(api, operations, tenantId, sides[tenantId].fullKey);
  }
  return { api, operations, sides };
}

const SIDES = [
  ["left", "right"],
  ["right", "left"],
] as const;

/** Whether the database keeps rows of tenants apart as well, or nothing but the statements does. */
type Lock = "with the lock" | "without the lock";
const LOCKS: readonly Lock[] = ["with the lock", "without the lock"];

/**
 * Who tries what alternates: with the lock the one side, without it the other. The sides differ in nothing but
 * their names, so what one of them has tried need not be tried by the other in the same way.
 */
function isTurnOf(mine: string, lock: Lock, place: number): boolean {
  return isTurn(place + LOCKS.indexOf(lock) + (mine === "left" ? 0 : 1));
}

const { api, operations, sides } = await fillBoth();
const reads = operations.filter(({ method }) => method === "GET");
const lists = reads.filter(({ hasTenant, isList }) => hasTenant && isList);
const toRead = shareParameters(api, markOf);

/** Some operations restore older files, which lack the pass types that other operations need. */
async function publishTypes(): Promise<void> {
  for (const tenantId of ["left", "right"]) await seedPassTenant(api, tenantId);
}

/** The addresses and credentials with which one side reads in its turn. */
async function* callsToRead(place: number, mine: "left" | "right", theirs: string, lock: Lock) {
  const operation = reads[place] as Operation;
  const { fullKey, person, deviceKey } = sides[mine];
  // What one side reads by its key, the other reads as a person: both are let in everywhere.
  const credentials = [{ key: fullKey }, { bearer: person }, { key: deviceKey }];
  const parameters = [
    await toRead(operation, mine),
    { ...(await toRead(operation, theirs)), tenantId: mine },
    await toRead(operation, theirs),
  ];
  for (const [which, credential] of credentials.entries()) {
    for (const [whose, given] of parameters.entries()) {
      // By its own key each side sees its own marks, which proves that there are some.
      const isOwn = which === 0 && whose === 0;
      if (isOwn || isTurnOf(mine, lock, place + which + whose)) yield { credential, given };
    }
  }
}

function promiseReads(lock: Lock) {
  for (const [mine, theirs] of SIDES) {
    it(`no read of ${mine} ever shows a mark of ${theirs}`, async () => {
      const own = new Set<string>();
      for (const [place, operation] of reads.entries()) {
        for await (const { credential, given } of callsToRead(place, mine, theirs, lock)) {
          const path = addressOf(operation, given);
          const answer = await api.get(
            operation.isList ? `${path}?pageSize=500` : path,
            credential,
          );
          const bytes = bytesOf(answer, given);
          const where = `${operation.op}, ${Object.keys(credential)}, ${path}`;
          assert.ok(!bytes.includes(markOf(theirs)), `${where}: ${bytes}`);
          if (bytes.includes(markOf(mine))) own.add(operation.op);
        }
      }
      // Without this check, the test would also succeed if no marks had been stored.
      assert.deepEqual(
        lists.filter(({ op }) => !own.has(op)).map(({ op }) => op),
        [],
      );
    });

    it(`a page of ${theirs} continues for ${mine} in its own list`, async () => {
      for (const operation of lists) {
        const given = await toRead(operation, theirs);
        const page = `${addressOf(operation, given)}?pageSize=1`;
        const first = await api.get(page, { key: sides[theirs].fullKey });
        const [, next = ""] = /<([^>]+)>/.exec(first.headers.get("link") ?? "") ?? [];
        assert.notEqual(next, "", operation.op);
        const path = next.replace(`/${theirs}/`, `/${mine}/`).replace(/^https?:\/\/[^/]+/, "");
        const answer = await api.get(path, { key: sides[mine].fullKey });
        assert.ok(!answer.text.includes(markOf(theirs)), operation.op);
      }
    });
  }
}

function promiseKeys(lock: Lock) {
  const posts = operations.filter(({ method, hasTenant }) => method === "POST" && hasTenant);

  for (const [mine, theirs] of SIDES) {
    describe(`an Idempotency-Key of ${theirs} is unknown to ${mine}`, () => {
      before(publishTypes);
      for (const operation of posts.filter((_, place) => isTurnOf(mine, lock, place))) {
        it(`${operation.op}: neither of two calls with one key is a replay`, async () => {
          const headers = { "idempotency-key": newMark("shared") };
          for (const tenantId of [theirs, mine] as const) {
            const parameters = await makeParameters(api, operation, tenantId, markOf(tenantId));
            const answer = await api.post(addressOf(operation, parameters), {
              key: sides[tenantId].fullKey,
              headers,
              ...bodyOf(operation, tenantId),
            });
            assert.ok(answer.status < 300, `${answer.status} ${answer.text}`);
            assert.equal(answer.headers.get("idempotency-replayed"), null);
          }
        });
      }
    });
  }
}

describe("two tenants full of marked texts", () => {
  // Not again for the next reads: it would take away what the first have made for all.
  before(publishTypes);
  promiseReads("with the lock");

  it("a statement that forgot its tenant sees and moves that tenant's rows alone", async () => {
    const { db } = api.runtime;
    for (const { name, column } of await listTenantTables(api)) {
      const [table, tenant] = [sql.raw(name), sql.raw(column)];
      const seen = await db.read(
        "left",
        sql<{ tenant: string }>`select ${tenant} as tenant from ${table}`,
      );
      assert.ok(
        seen.every((row) => row.tenant === "left"),
        name,
      );
      if (seen.length === 0) continue;
      await assert.rejects(
        db.read("left", sql`update ${table} set ${tenant} = ${"right"}`),
        { code: "42501" },
        name,
      );
    }
  });
});

async function setLock(change: "disable" | "enable"): Promise<void> {
  for (const { name } of await listTenantTables(api)) {
    await api.sql(`alter table ${name} ${change} row level security`);
  }
}

// Keys come after all that read: with some of them, operations delete what is read.
describe("two tenants full of marked texts, without the database's own lock", () => {
  before(() => setLock("disable"));
  promiseReads("without the lock");
  promiseKeys("without the lock");
});

describe("two tenants full of marked texts, with the database's own lock again", () => {
  before(() => setLock("enable"));
  promiseKeys("with the lock");
});

describe("work that jobs do for all tenants", () => {
  it("goes on while one of them, full of rows, has ended", async () => {
    await api.sql("update tenant set deleted_at = now() where id = 'left'");
    const planned = modules.flatMap(({ jobs = [] }) => jobs).filter(({ cron }) => cron);
    assert.ok(planned.length > 10);
    const failed: string[] = [];
    for (const job of planned) {
      const context = systemCall(api.runtime, job.name);
      await job.run(context, {}, AbortSignal.timeout(60_000)).catch((error: Error) => {
        failed.push(`${job.name}: ${error.message}`);
      });
    }
    assert.deepEqual(failed, []);
  });
});

/** A small random generator. With the seed, a failed run can be repeated. */
function createDice(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return <Item>(items: readonly Item[]): Item => {
    const item = items[Math.floor(next() * items.length)];
    if (item === undefined) throw new Error("Nothing to choose from.");
    return item;
  };
}

/** Vendors that nobody reaches are tried again when their time comes, which changes the rows of feeds. */
async function holdFeeds(api: TestApi, tenantId: string): Promise<void> {
  const hold = `update connector_feed set claim = gen_random_uuid(), claimed_until = 'infinity'
                 where tenant_id = $1 and claim is null`;
  const free =
    "select from connector_feed where tenant_id = $1 and claimed_until is distinct from 'infinity'";
  await until(async () => {
    await api.sql(hold, [tenantId]);
    return (await api.sql(free, [tenantId])).length === 0;
  });
}

describe("whatever one tenant does", () => {
  const REQUESTS = 400;

  it("the rows of another stay as they were", async (t) => {
    const { api, operations } = await start(t);
    const seed = runSeed();
    t.diagnostic(`seed ${seed}`);
    const pick = createDice(seed);
    const { fullKey, deviceKey, person, refused } = await makeCredentials(api, "left", "right");
    const credentials = [
      { key: fullKey },
      { bearer: person },
      { key: deviceKey },
      ...Object.values(refused),
    ];
    const inTenant = operations.filter(({ hasTenant }) => hasTenant);
    const shared = shareParameters(api, markOf);
    const makeOwn = (operation: Operation, tenantId: string) =>
      makeParameters(api, operation, tenantId, markOf(tenantId));
    for (const operation of operations) await shared(operation, "right");
    await holdFeeds(api, "right");
    // It runs every night, and deletes files that no version uses any more.
    const purge = systemCall(api.runtime, purgeFileContents.name);
    await purgeFileContents.run(purge, {}, new AbortController().signal);
    const before = await snapshotRows(api, "right");

    const statuses = new Map<number, number>();
    for (let sent = 0; sent < REQUESTS; sent += 1) {
      const operation = pick(pick([inTenant, operations]));
      const make = operation.method === "GET" ? shared : makeOwn;
      const given = pick([true, false])
        ? await make(operation, "left")
        : {
            ...(await shared(operation, "right")),
            tenantId: pick(["left", "left", "right", "%2A"]),
          };
      const { status, text } = await api.request(operation.method, addressOf(operation, given), {
        // Most requests use a valid credential, because refusals alone would prove little.
        ...pick([{ key: fullKey }, { bearer: person }, pick(credentials)]),
        ...bodyOf(operation, "left"),
        headers: { "x-forwarded-for": `10.1.${sent >> 8}.${sent & 255}` },
      });
      assert.ok(status < 500, `seed ${seed}, ${operation.op}: ${status} ${text}`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }

    t.diagnostic(`answers ${JSON.stringify([...statuses].sort())}`);
    assert.ok([...statuses.keys()].some((status) => status < 300));
    assert.deepEqual(await snapshotRows(api, "right"), before, `seed ${seed}`);
  });
});
