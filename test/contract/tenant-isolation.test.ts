import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { sql } from "#kernel/db/sql.ts";
import { makeCredentials } from "#test/support/access-credentials.ts";
import type { ApiResponse, RequestOptions } from "#test/support/client.ts";
import {
  addressOf,
  makeParameters,
  newMark,
  type Operation,
  readOperations,
} from "#test/support/operations.ts";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
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

function promiseIsolation({ api, operations, sides }: Awaited<ReturnType<typeof fillBoth>>) {
  const reads = operations.filter(({ method }) => method === "GET");
  const lists = reads.filter(({ hasTenant, isList }) => hasTenant && isList);
  const made = new Map<string, Promise<Record<string, string>>>();
  /** Parameters for a reading operation. Reading changes nothing, so they are made only once. */
  const toRead = (operation: Operation, tenantId: string) => {
    const name = `${operation.op} ${tenantId}`;
    const known = made.get(name) ?? makeParameters(api, operation, tenantId, markOf(tenantId));
    made.set(name, known);
    return known;
  };
  /** Some operations restore older files, which lack the pass types that other operations need. */
  const publishTypes = async () => {
    for (const tenantId of ["left", "right"]) await seedPassTenant(api, tenantId);
  };
  before(publishTypes);

  for (const [mine, theirs] of SIDES) {
    const { fullKey, person, deviceKey } = sides[mine];
    const credentials = {
      key: { key: fullKey },
      device: { key: deviceKey },
      person: { bearer: person },
    };

    it(`no read of ${mine} ever shows a mark of ${theirs}`, async () => {
      const own = new Set<string>();
      for (const operation of reads) {
        const parameters = [
          await toRead(operation, mine),
          { ...(await toRead(operation, theirs)), tenantId: mine },
          await toRead(operation, theirs),
        ];
        for (const [name, credential] of Object.entries(credentials)) {
          for (const given of parameters) {
            const path = addressOf(operation, given);
            const answer = await api.get(
              operation.isList ? `${path}?pageSize=500` : path,
              credential,
            );
            const bytes = bytesOf(answer, given);
            assert.ok(!bytes.includes(markOf(theirs)), `${operation.op}, ${name}: ${bytes}`);
            if (bytes.includes(markOf(mine))) own.add(operation.op);
          }
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
        const answer = await api.get(path, { key: fullKey });
        assert.ok(!answer.text.includes(markOf(theirs)), operation.op);
      }
    });
  }

  // Runs after the tests that read, because some operations here delete what those tests read.
  for (const [mine, theirs] of SIDES) {
    describe(`an Idempotency-Key of ${theirs} is unknown to ${mine}`, () => {
      before(publishTypes);
      for (const operation of operations) {
        if (operation.method !== "POST" || !operation.hasTenant) continue;
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

const both = await fillBoth();

describe("two tenants full of marked texts", () => {
  promiseIsolation(both);

  it("a statement that forgot its tenant sees and moves that tenant's rows alone", async () => {
    const { api } = both;
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

describe("two tenants full of marked texts, without the database's own lock", () => {
  before(async () => {
    for (const { name } of await listTenantTables(both.api)) {
      await both.api.sql(`alter table ${name} disable row level security`);
    }
  });
  promiseIsolation(both);
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
    const seed = randomInt(2 ** 31);
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
    const theirs = new Map<Operation, Record<string, string>>();
    for (const operation of operations) {
      theirs.set(operation, await makeParameters(api, operation, "right", markOf("right")));
    }
    await holdFeeds(api, "right");
    const before = await snapshotRows(api, "right");

    const statuses = new Map<number, number>();
    for (let sent = 0; sent < REQUESTS; sent += 1) {
      const operation = pick(pick([inTenant, operations]));
      const given = pick([true, false])
        ? await makeParameters(api, operation, "left", markOf("left"))
        : { ...theirs.get(operation), tenantId: pick(["left", "left", "right", "%2A"]) };
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
