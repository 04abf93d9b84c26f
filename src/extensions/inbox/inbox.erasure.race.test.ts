import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { holdLock } from "#test/support/hold-lock.ts";
import { customer, openShop, order, type Shop } from "#test/support/shop-stage.ts";
import { shareApi } from "#test/support/start-api.ts";
import { untilBlocked } from "#test/support/until-blocked.ts";
import { openVendor } from "#test/support/vendor-stage.ts";
import { until } from "#test/support/webhook-receiver.ts";

const IDENTIFIERS = { "crm.customerId": "C-7" };
const CREATE = JSON.stringify({
  action: "createPass",
  passType: "member",
  identifiers: IDENTIFIERS,
  additionalData: { firstName: "Wilhelmina" },
});
const UPDATE = JSON.stringify({
  action: "updatePass",
  idempotencyKey: "once",
  identifiers: IDENTIFIERS,
  additionalData: { firstName: "Wilhelmina" },
});
const PURGE = 'tasks:\n  - { id: tidy, kind: purge, cron: "0 0 29 2 *" }\n';
/** An erasure writes to the audit log last: it has erased what it found, and has not committed. */
const BEFORE_ITS_COMMIT = "lock table audit in share mode";

let count = 0;
const nextTenant = () => {
  count += 1;
  return `raced-${count}`;
};

describe("an erasure while deliveries are claimed", () => {
  const api = shareApi();
  const key = () => api().operatorKey;

  /** A vendor that knows people by identifiers of other systems, too. */
  async function openJourneys() {
    const tenantId = nextTenant();
    const vendor = await openVendor(api(), tenantId, {
      connector: "customerio",
      settings: { signingKey: "hush" },
      identifier: "crm.customerId",
      sign: () => ({}),
    });
    const enable = async (enabled: boolean) => {
      const body = { passType: "member", enabled };
      const { status, text } = await api().put(vendor.path, { key: key(), body });
      assert.equal(status, 204, text);
    };
    /** As a worker leaves it that died, or is still at work: until then nobody else takes it. */
    const claimed = (until: string, receivedAt = "now()", body = CREATE) =>
      api().sql(
        `insert into inbound_delivery (tenant_id, id, connector, dedupe_key, topic, subject,
                                       occurred_at, received_at, headers, body, next_attempt_at,
                                       attempts, claim, claimed_until)
         select $1, 'inb_1', 'customerio', 'k', 'createPass', 'crm.customerId=C-7', at, at, '{}',
                convert_to($2, 'UTF8'), at, 1, gen_random_uuid(), ${until}
           from (values (${receivedAt})) as received (at)`,
        [tenantId, body],
      );
    const waiting = (body = CREATE) =>
      api().sql(
        `insert into inbound_delivery (tenant_id, id, connector, dedupe_key, topic, subject,
                                       occurred_at, received_at, headers, body, next_attempt_at)
         values ($1, 'inb_1', 'customerio', 'k', 'createPass', 'crm.customerId=C-7', now(), now(),
                 '{}', convert_to($2, 'UTF8'), now())`,
        [tenantId, body],
      );
    return { ...vendor, tenantId, enable, claimed, waiting };
  }

  async function made(path: string, body: object): Promise<string> {
    const { status, body: answer, text } = await api().post(path, { key: key(), body });
    assert.equal(status, 201, text);
    return answer.customerId ?? answer.id;
  }

  async function erase(path: string): Promise<void> {
    const { status, text } = await api().delete(path, { key: key() });
    assert.ok(status < 300, text);
  }

  const passes = (tenantId: string) =>
    api().sql("select id, identifiers from pass where tenant_id = $1", [tenantId]);

  const customers = (tenantId: string) =>
    api().sql("select id from customer where tenant_id = $1", [tenantId]);

  /** A transaction that does this waits for the returned function. */
  async function holdWrites(t: TestContext, what: string, condition: string) {
    const lock = 4_000 + count;
    await api().sql(`
      create function hold_${count}() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(${lock}); return new; end $$`);
    await api().sql(`create trigger hold_${count} before ${what} for each row
      when (${condition}) execute function hold_${count}()`);
    const table = what.split(" ").at(-1);
    t.after(() => api().sql(`drop trigger hold_${count} on ${table}`));
    return await holdLock(t, api(), `select pg_advisory_xact_lock(${lock})`);
  }

  for (const [worker, lease] of [
    ["whose worker died", "now() - interval '1 second'"],
    ["whose worker dies before its lease is over", "now() + interval '1 hour'"],
  ] as const) {
    it(`reaches one ${worker}: it is erased at once, and makes nobody anew`, async () => {
      const { tenantId, enable, claimed, deliveries, hasten } = await openJourneys();
      await enable(false);
      const path = `/api/${tenantId}/passes`;
      const id = await made(`${path}?passType=member`, { identifiers: IDENTIFIERS });
      await claimed(lease);
      await erase(`${path}/${id}`);
      const [row] = await deliveries();
      assert.deepEqual(
        [row?.status, row?.body, row?.headers, row?.subject, row?.claim],
        ["ignored", null, {}, "erased", null],
      );
      // The time of the lease has come.
      await api().sql(
        "update inbound_delivery set claimed_until = now() - interval '1 second' where tenant_id = $1 and claim is not null",
        [tenantId],
      );
      await enable(true);
      await hasten();
      assert.deepEqual(await passes(tenantId), []);
    });
  }

  for (const [work, body, table] of [
    ["what a living worker does for it at that moment", CREATE, "pass"],
    ["nothing where a living worker finds that it cannot be done", UPDATE, "journey_call"],
  ] as const) {
    it(`undoes ${work}, and the worker goes on with others`, async (t) => {
      const { tenantId, waiting, deliveries, pass } = await openJourneys();
      const path = `/api/${tenantId}/customers`;
      const customerId = await made(path, { identifiers: IDENTIFIERS, firstName: "Wilhelmina" });
      const release = await holdWrites(t, `insert on ${table}`, `new.tenant_id = '${tenantId}'`);
      await waiting(body);
      await untilBlocked(api());
      await erase(`${path}/${customerId}`);
      await release();
      const logged = (words: string) =>
        api().logLines.some((line) => line.includes(tenantId) && line.includes(words));
      await until(() => logged("is left to others"), "the worker gives up");
      assert.ok(!logged("work failed"));
      assert.equal(await pass("C-7"), undefined);
      const [row] = await deliveries();
      assert.deepEqual([row?.status, row?.body], ["ignored", null]);
    });
  }

  it("finds what ends while it is not committed, although that is about an order", async (t) => {
    const shop = await openShop(api(), nextTenant(), {
      earn: { privilege: "nothing", perUnit: 1 },
    });
    await shop.deliver({ body: customer(7) });
    const [row] = await customers(shop.tenantId);
    const release = await holdWrites(
      t,
      "update on inbound_delivery",
      `new.status = 'failed' and new.tenant_id = '${shop.tenantId}'`,
    );
    await shop.send({ topic: "orders/paid", body: order(1001, 7, "20.00") });
    await untilBlocked(api());
    const erasure = erase(`/api/${shop.tenantId}/customers/${row?.id}`);
    await Promise.race([erasure, untilBlocked(api(), 2)]);
    await release();
    await erasure;
    const rows = await shop.settled();
    assert.deepEqual(
      rows.map(({ status, body }) => [status, body]),
      [
        ["done", null],
        ["failed", null],
      ],
    );
    assert.equal(rows[1]?.problem, "What it contained was erased.");
    assert.doesNotMatch(JSON.stringify(rows), /Lovelace|c7@example/);
  });

  it("is seen by a worker that waited for it: the order of an erased person makes no new pass", async (t) => {
    const shop = await openShop(api(), nextTenant());
    await shop.deliver({ body: customer(7) });
    const [row] = await passes(shop.tenantId);
    const release = await holdLock(t, api(), BEFORE_ITS_COMMIT);
    const erasure = erase(`/api/${shop.tenantId}/passes/${row?.id}`);
    await untilBlocked(api());
    const at = "2026-01-01T00:00:00Z";
    await shop.send({ topic: "orders/paid", body: order(1001, 7, "5.00"), at });
    await untilBlocked(api(), 2);
    await release();
    await erasure;
    const rows = await shop.settled();
    assert.deepEqual(await passes(shop.tenantId), []);
    assert.deepEqual([rows[1]?.status, rows[1]?.body], ["ignored", null]);
    assert.match(String(rows[1]?.problem), /older than the erasure/);
    assert.equal(rows[1]?.subject, "erased");
    const traces = await api().sql("select term from inbound_trace where tenant_id = $1", [
      shop.tenantId,
    ]);
    assert.doesNotMatch(JSON.stringify(traces), /customerId=7/);
  });

  it("leaves a request to erase a person that waits, which asks for more", async () => {
    const shop = await openShop(api(), nextTenant());
    await shop.deliver({ body: customer(7) });
    const [row] = await passes(shop.tenantId);
    await holdInbox(shop);
    await shop.send({ topic: "customers/redact", body: { customer: { id: 7 } } });
    await erase(`/api/${shop.tenantId}/passes/${row?.id}`);
    assert.equal((await customers(shop.tenantId)).length, 1);
    await shop.hasten();
    assert.deepEqual(await customers(shop.tenantId), []);
    const [, request] = await shop.deliveries();
    assert.deepEqual([request?.status, request?.body], ["done", null]);
  });

  /** What arrives from now on waits until it is hastened. */
  async function holdInbox({ tenantId }: Shop): Promise<void> {
    await api().sql(`
      create or replace function wait_longer() returns trigger language plpgsql as $$
      begin new.next_attempt_at := now() + interval '1 hour'; return new; end $$`);
    await api().sql(`create trigger wait_longer before insert on inbound_delivery for each row
      when (new.tenant_id = '${tenantId}') execute function wait_longer()`);
  }

  it("one that a dead worker claimed goes after retention.inboxDays, and one of a living worker stays", async () => {
    for (const [lease, status] of [
      ["now() - interval '14 days'", "failed"],
      ["now() + interval '1 hour'", "waiting"],
    ] as const) {
      const { tenantId, enable, claimed, deliveries } = await openJourneys();
      await enable(false);
      await claimed(lease, "now() - interval '15 days'");
      const files = { "server/schedule.yml": PURGE };
      await api().patch(`/api/tenants/${tenantId}`, { key: key(), body: { files } });
      const path = `/api/${tenantId}/scheduler/tidy/executions`;
      const { headers } = await api().post(path, { key: key() });
      const run = () => api().get(headers.get("location") ?? "", { key: key() });
      await until(async () => (await run()).body.status === "succeeded", "the purge");
      const [row] = await deliveries();
      assert.deepEqual([row?.status, row?.body === null], [status, status === "failed"]);
    }
  });
});
