import assert from "node:assert/strict";
import { after, describe, it, type TestContext } from "node:test";
import pg from "pg";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { untilBlocked } from "#test/support/until-blocked.ts";
import { type Received, type Reply, until } from "#test/support/webhook-receiver.ts";
import { createStage } from "#test/support/webhook-stage.ts";

const NAME = "Wilhelmina";
const echo = ({ raw }: Received): Reply => ({
  status: 200,
  headers: { "x-heard": NAME },
  body: `${NAME} ${raw}`,
});

const api = await startApi({ after });
const stage = createStage(api);
const key = api.operatorKey;

/** An endpoint that has its request, and answers when `go` is called. */
function slowly(reply: (request: Received) => Reply) {
  const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const answer = async (request: Received) => {
    reached.resolve();
    await go.promise;
    return reply(request);
  };
  return { answer, reached: reached.promise, go: go.resolve };
}

async function createCustomer(tenantId: string): Promise<string> {
  const { status, body, text } = await api.post(`/api/${tenantId}/customers`, {
    key,
    body: { firstName: NAME },
  });
  assert.equal(status, 201, text);
  return `/api/${tenantId}/customers/${body.customerId}`;
}

async function erase(path: string): Promise<void> {
  const { status, text } = await api.delete(path, { key });
  assert.equal(status, 204, text);
}

const logOf = (tenantId: string) =>
  api.sql(
    `select event_id as id, event_name as event, state, attempts from delivery
      where tenant_id = $1 order by sequence`,
    [tenantId],
  );
const textOf = async (tenantId: string) => JSON.stringify(await logOf(tenantId));

/** Waits until all deliveries of the tenant have ended. */
async function ended(tenantId: string, count: number) {
  let rows: Record<string, unknown>[] = [];
  await until(
    async () => {
      rows = await logOf(tenantId);
      return rows.length >= count && rows.every(({ state }) => state !== "pending");
    },
    () => JSON.stringify(rows),
  );
  return rows;
}

/** A transaction of its own, that others wait for. */
async function hold(t: TestContext, ...statements: string[]) {
  const client = new pg.Client(api.database.connection);
  await client.connect();
  t.after(() => client.end());
  await client.query("begin; set local app.tenant = '*'");
  for (const statement of statements) await client.query(statement);
  return () => client.query("commit");
}

/** What an erasure writes last: it has erased what it found, and has not committed. */
const beforeItsCommit = "lock table audit in share mode";

describe("what an endpoint answers about someone who is erased meanwhile", () => {
  it("is not stored when the erasure came before the answer", async (t) => {
    const { receiver, hook } = await stage.open(t, { events: ["customer.created"] });
    const { answer, reached, go } = slowly(echo);
    receiver.answer(answer);
    const customer = await createCustomer(hook.tenantId);
    await reached;
    await erase(customer);
    go();
    const [row] = await ended(hook.tenantId, 1);
    assert.doesNotMatch(await textOf(hook.tenantId), new RegExp(NAME));
    const { body } = await stage.get(`${hook.path}/deliveries/${row?.id}`);
    const [attempt] = body.attempts;
    assert.deepEqual([body.state, attempt.status, attempt.response], ["delivered", 200, null]);
  });

  it("is not stored when the answer comes while the erasure is not committed", async (t) => {
    const { receiver, hook } = await stage.open(t, { events: ["customer.created"] });
    const { answer, reached, go } = slowly(echo);
    receiver.answer(answer);
    const customer = await createCustomer(hook.tenantId);
    await reached;
    const release = await hold(t, beforeItsCommit);
    const erasure = erase(customer);
    await untilBlocked(api);
    go();
    await Promise.race([ended(hook.tenantId, 1), untilBlocked(api, 2)]);
    await release();
    await erasure;
    await ended(hook.tenantId, 1);
    assert.doesNotMatch(await textOf(hook.tenantId), new RegExp(NAME));
  });

  it("is not stored when a later attempt is answered with what the endpoint remembers", async (t) => {
    const { receiver, hook } = await stage.open(t, { events: ["customer.created"] });
    receiver.answer({ status: 503, body: NAME });
    const customer = await createCustomer(hook.tenantId);
    await until(async () => (await textOf(hook.tenantId)).includes(NAME));
    await erase(customer);
    assert.doesNotMatch(await textOf(hook.tenantId), new RegExp(NAME));
    receiver.answer(echo);
    const [row] = await logOf(hook.tenantId);
    assert.equal((await stage.post(`${hook.path}/deliveries/${row?.id}/redeliver`)).status, 202);
    const [again] = await ended(hook.tenantId, 1);
    assert.equal(again?.state, "delivered");
    assert.doesNotMatch(await textOf(hook.tenantId), new RegExp(NAME));
  });

  it("is not stored either of the event about the erasure", async (t) => {
    const { receiver, hook } = await stage.open(t, { events: ["customer.*"] });
    receiver.answer(echo);
    await erase(await createCustomer(hook.tenantId));
    const rows = await ended(hook.tenantId, 2);
    assert.deepEqual(
      rows.map(({ event, state }) => [event, state]),
      [
        ["customer.created", "delivered"],
        ["customer.deleted", "delivered"],
      ],
    );
    assert.doesNotMatch(await textOf(hook.tenantId), new RegExp(NAME));
  });

  it("goes with the receipts of an erased pass, too, which have no event of their own", async (t) => {
    const { receiver, hook } = await stage.open(t, { events: ["receipt.*"] });
    const { tenantId } = hook;
    receiver.answer(echo);
    await seedPassTenant(api, tenantId);
    const { id: passId } = await seedPass(api, tenantId);
    const record = async (reference: string) => {
      const lines = [{ description: "Tea", total: 4 }];
      const body = { reference, passId, currency: "EUR", total: 4, lines };
      const { status, text } = await api.post(`/api/${tenantId}/receipts`, { key, body });
      assert.equal(status, 201, text);
    };
    await record("early");
    await ended(tenantId, 1);
    assert.match(await textOf(tenantId), new RegExp(NAME));
    const { answer, reached, go } = slowly(echo);
    receiver.answer(answer);
    await record("late");
    await reached;
    await erase(`/api/${tenantId}/passes/${passId}`);
    assert.doesNotMatch(await textOf(tenantId), new RegExp(NAME));
    go();
    await ended(tenantId, 2);
    assert.doesNotMatch(await textOf(tenantId), new RegExp(NAME));
  });

  it("is not stored of a delivery that a recovery inserts beside the erasure", async (t) => {
    const { receiver, hook } = await stage.open(t, { events: ["nothing.ever"] });
    const { tenantId } = hook;
    receiver.answer(echo);
    const customer = await createCustomer(tenantId);
    const late = await stage.subscribe(tenantId, receiver.url, { events: ["customer.created"] });
    await api.sql(`
      create or replace function hold_recovery() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(4711); return new; end $$`);
    await api.sql(`create trigger hold before insert on delivery for each row
      when (new.tenant_id = '${tenantId}') execute function hold_recovery()`);
    t.after(() => api.sql("drop trigger hold on delivery"));
    const letInsert = await hold(t, "select pg_advisory_xact_lock(4711)");
    const since = new Date(Date.now() - 60_000).toISOString();
    assert.equal((await stage.post(`${late.path}/recover`, { since })).status, 202);
    await untilBlocked(api);
    const release = await hold(t, beforeItsCommit);
    const erasure = erase(customer);
    await untilBlocked(api, 2);
    await letInsert();
    const free = "select from delivery where tenant_id = $1 for update skip locked";
    let lockedFor = 0;
    await until(async () => {
      const [row] = await logOf(tenantId);
      if (row === undefined) return false;
      // A worker has it for a moment only.
      lockedFor = (await api.sql(free, [tenantId])).length === 0 ? lockedFor + 1 : 0;
      return row.state === "delivered" || lockedFor > 5;
    });
    await release();
    await erasure;
    await ended(tenantId, 1);
    assert.doesNotMatch(await textOf(tenantId), new RegExp(NAME));
  });

  it("409: nor in the stored answer to a request that showed it", async (t) => {
    const { receiver, hook } = await stage.open(t, { events: ["customer.created"] });
    receiver.answer(echo);
    const customer = await createCustomer(hook.tenantId);
    const [row] = await ended(hook.tenantId, 1);
    const redeliver = () =>
      stage.post(`${hook.path}/deliveries/${row?.id}/redeliver`, undefined, {
        "idempotency-key": "again",
      });
    const first = await redeliver();
    assert.equal(first.status, 202);
    assert.ok(first.text.includes(NAME));
    assert.equal((await redeliver()).text, first.text);
    await erase(customer);
    const later = await redeliver();
    assert.deepEqual([later.status, later.body.code], [409, "idempotency.answer-erased"]);
  });
});
