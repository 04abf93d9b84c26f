import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { accessToken, createFirstAdministrator } from "#test/support/people.ts";
import { createDatabase } from "#test/support/server.ts";
import { startWait } from "#test/support/slowness.ts";
import { startApi, type TestApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";

const makeKey = () => randomBytes(32).toString("base64");
const WAIT_MS_MAX = 60_000;

/** Starts one process, and returns a function that stops it. */
async function startNode(
  database: TestApi["database"],
  env: Record<string, string>,
): Promise<{ api: TestApi; stop(): Promise<void> }> {
  const undos: (() => Promise<void>)[] = [];
  const api = await startApi({ after: (undo) => void undos.push(undo) }, { database, env });
  return {
    api,
    async stop() {
      for (const undo of undos.splice(0)) await undo();
    },
  };
}

async function store(api: TestApi, tenantId: string, value: string): Promise<void> {
  const path = `/api/${tenantId}/secrets/password`;
  const { status, text } = await api.put(path, { key: api.operatorKey, body: { value } });
  assert.ok(status === 201 || status === 204, text);
}

async function read(api: TestApi, tenantId: string): Promise<string> {
  const path = `/api/${tenantId}/secrets/password`;
  const { status, body, text } = await api.get(path, { key: api.operatorKey });
  assert.equal(status, 200, text);
  return body.value;
}

async function publicKeys(api: TestApi): Promise<unknown> {
  const { status, body } = await api.get("/jwks");
  assert.equal(status, 200);
  return body;
}

async function replay(api: TestApi): Promise<string> {
  const { status, body, text } = await api.post("/api/acme/admin/apiKeys", {
    key: api.operatorKey,
    body: { name: "made-once", scopes: ["Pass.Read"] },
    headers: { "idempotency-key": "made-once" },
  });
  assert.equal(status, 201, text);
  return body.token;
}

/** The marks of the master keys with which the stored values are sealed. */
async function marks(api: TestApi): Promise<string[]> {
  const rows = await api.sql(`
    select distinct encode(substring(value from 1 for 5), 'hex') as mark from (
      select wrapped as value from secret_data_key
      union all select sealed from authorization_key
      union all select payload from authorization_record
      union all select answer from idempotent_answer
      union all select value from installation where name = 'master-key-check') as sealed`);
  return rows.map(({ mark }) => String(mark));
}

async function waitForOneMark(api: TestApi, mark: string): Promise<void> {
  const isOver = startWait(WAIT_MS_MAX);
  for (let found = await marks(api); found.join() !== mark; found = await marks(api)) {
    if (isOver()) throw new Error(`Still sealed with ${found.join()}.`);
    await sleep(100);
  }
}

const markOf = ({ runtime }: TestApi) => runtime.sealer.mark.toString("hex");

describe("MASTER_KEY", () => {
  it("is changed on two nodes, one after the other, without a failed request", async (t) => {
    const database = await createDatabase();
    const stops = new Set<() => Promise<void>>();
    t.after(async () => {
      for (const stop of stops) await stop();
      await database.drop();
    });
    const start = async (current: string, other?: string) => {
      const previous: Record<string, string> =
        other === undefined ? {} : { MASTER_KEY_PREVIOUS: other };
      const node = await startNode(database, { MASTER_KEY: current, ...previous });
      stops.add(node.stop);
      return node;
    };
    const replace = async (node: Awaited<ReturnType<typeof start>>, ...keys: [string, string?]) => {
      const next = await start(...keys);
      stops.delete(node.stop);
      await node.stop();
      return next;
    };
    const [old, fresh] = [makeKey(), makeKey()];

    let [one, two] = [await start(old), await start(old)];
    for (const tenantId of ["acme", "rival"]) await one.api.seed.tenant(tenantId);
    await store(one.api, "acme", "plum");
    await store(one.api, "rival", "damson");
    const [keys, token] = [await publicKeys(one.api), await replay(one.api)];
    const { browser } = await createFirstAdministrator(one.api);
    const assertAllWell = async () => {
      for (const { api } of [one, two]) {
        assert.equal(await read(api, "acme"), "plum");
        assert.equal(await read(api, "rival"), "damson");
        assert.deepEqual(await publicKeys(api), keys);
        assert.equal(await replay(api), token);
        // Without a new sign-in: session, cookie and token must still be valid.
        const bearer = await accessToken(api, browser.at(api.url));
        assert.equal((await api.get("/api/tenants", { bearer })).status, 200);
      }
    };
    await assertAllWell();

    // Every node must know the new key before any node seals with it.
    one = await replace(one, old, fresh);
    await assertAllWell();
    two = await replace(two, old, fresh);
    await assertAllWell();
    assert.deepEqual(await marks(one.api), [markOf(one.api)]);

    one = await replace(one, fresh, old);
    await assertAllWell();
    await store(one.api, "acme", "plum");
    await one.api.seed.tenant("young");
    await store(two.api, "young", "sloe");
    assert.equal(await read(one.api, "young"), "sloe");
    two = await replace(two, fresh, old);
    await assertAllWell();
    await waitForOneMark(one.api, markOf(one.api));
    await assertAllWell();

    one = await replace(one, fresh);
    two = await replace(two, fresh);
    await assertAllWell();
    assert.equal(await read(two.api, "young"), "sloe");
  });

  it("is refused when it does not open the database, or leaves part of it shut", async (t) => {
    const [old, fresh] = [makeKey(), makeKey()];
    const api = await startApi(t, { env: { MASTER_KEY: old, ROLES: "api" } });
    const { database } = api;
    await api.seed.tenant("acme");
    await store(api, "acme", "plum");
    await assert.rejects(
      startNode(database, { MASTER_KEY: fresh }),
      /^Error: MASTER_KEY does not open this database: .*MASTER_KEY_PREVIOUS/,
    );

    const both = await startNode(database, { MASTER_KEY: fresh, MASTER_KEY_PREVIOUS: old });
    await waitForOneMark(both.api, markOf(both.api));
    // A process that has only the old key still seals with it.
    await api.seed.tenant("late");
    await store(api, "late", "damson");
    await both.stop();
    await assert.rejects(startNode(database, { MASTER_KEY: fresh }), /secret_data_key/);

    const again = await startNode(database, { MASTER_KEY: fresh, MASTER_KEY_PREVIOUS: old });
    try {
      assert.equal(await read(again.api, "late"), "damson");
      await waitForOneMark(again.api, markOf(again.api));
      // Logged a moment after the last row is sealed with the new key.
      await until(() => again.api.logLines.some((line) => line.includes("can be dropped")));
    } finally {
      await again.stop();
    }
  });
});
