import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { customer, openShop, order } from "#test/support/shop-stage.ts";
import { shareApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";

const WAIT_MS = 10_000;

let count = 0;
const nextTenant = () => {
  count += 1;
  return `work-${count}`;
};

describe("the work on deliveries", () => {
  const api = shareApi();

  it("effects and end are one transaction: a delivery whose worker died is done once", async () => {
    const shop = await openShop(api(), nextTenant());
    // As a worker leaves it that died before its commit: claimed, and the lease is over.
    await shop.put({ enabled: false });
    await api().sql(
      `insert into inbound_delivery (tenant_id, id, connector, dedupe_key, topic, subject,
                                     occurred_at, received_at, headers, body, next_attempt_at,
                                     attempts, claim, claimed_until)
       values ($1, 'inb_1', 'shopify', 'k', 'orders/paid', 'orderId=1', now(), now(), '{}', $2,
               now(), 1, gen_random_uuid(), now() - interval '1 second')`,
      [shop.tenantId, Buffer.from(JSON.stringify(order(1, 7, "10.00")))],
    );
    await shop.put({ enabled: true });
    await shop.settled();
    assert.equal(await shop.points("7"), 10);
    // As if a second worker had worked on it too: what it does finds what was done.
    await api().sql("update inbound_delivery set status = 'waiting' where tenant_id = $1", [
      shop.tenantId,
    ]);
    await shop.settled();
    assert.equal(await shop.points("7"), 10);
    const [row] = await shop.deliveries();
    assert.deepEqual([row?.status, row?.claim], ["done", null]);
  });

  it("a delivery that another worker has claimed is left alone", async () => {
    const shop = await openShop(api(), nextTenant());
    await api().sql(
      `insert into inbound_delivery (tenant_id, id, connector, dedupe_key, topic, subject,
                                     occurred_at, received_at, headers, body, next_attempt_at,
                                     attempts, claim, claimed_until)
       values ($1, 'inb_0', 'shopify', 'k', 'customers/update', 'customerId=7', now(),
               now() - interval '1 minute', '{}',
               $2, now(), 1, gen_random_uuid(), now() + interval '1 hour')`,
      [shop.tenantId, Buffer.from(JSON.stringify(customer(7)))],
    );
    // Of the same subject, so it waits; another subject goes on.
    await shop.send({ body: customer(7, { first_name: "Next" }) });
    await shop.send({ body: customer(8) });
    await until(async () => (await shop.pass("8")) !== undefined, "no pass", WAIT_MS);
    assert.equal(await shop.pass("7"), undefined);
  });

  it("deliveries of one subject are done in the order of arrival", async () => {
    const shop = await openShop(api(), nextTenant());
    for (let day = 10; day < 30; day += 1) {
      await shop.send({
        body: customer(7, { first_name: `Day ${day}`, updated_at: `2026-01-${day}T00:00:00Z` }),
      });
    }
    const rows = await shop.settled();
    assert.deepEqual((await shop.pass("7"))?.data, { firstName: "Day 29" });
    assert.deepEqual([...new Set(rows.map(({ status }) => status))], ["done"]);
    const ends = rows.map(({ finished_at: at }) => (at as Date).getTime());
    assert.deepEqual(
      ends,
      ends.toSorted((left, right) => left - right),
    );
  });

  it("a tenant with very many deliveries holds up no other", async () => {
    const [busy, calm] = [await openShop(api(), nextTenant()), await openShop(api(), nextTenant())];
    await api().sql(
      `insert into inbound_delivery (tenant_id, id, connector, dedupe_key, topic, subject, tells,
                                     occurred_at, received_at, headers, body, next_attempt_at)
       select $1, 'inb_' || n, 'shopify', n::text, 'customers/update', 'customerId=' || n, 'state',
              now(), now(), '{}', convert_to('{"id":' || n || '}', 'UTF8'), now()
         from generate_series(1, 2000) as n`,
      [busy.tenantId],
    );
    await busy.send({ body: customer(9_999) });
    await calm.deliver({ body: customer(1) });
    assert.notEqual(await calm.pass("1"), undefined);
    const [left] = await api().sql(
      "select count(*) from inbound_delivery where tenant_id = $1 and status = 'waiting'",
      [busy.tenantId],
    );
    assert.ok(Number(left?.count) > 0, "the busy tenant should not be done before");
  });

  it("what cannot be read any more goes after retention.inboxDays, and its traces", async () => {
    const shop = await openShop(api(), nextTenant());
    await shop.deliver({ body: customer(1) });
    await shop.deliver({ body: customer(2) });
    const [old] = await shop.deliveries();
    await api().sql(
      "update inbound_delivery set finished_at = now() - interval '15 days' where id = $1",
      [old?.id],
    );
    const purge = 'tasks:\n  - { id: tidy, kind: purge, cron: "0 0 29 2 *" }\n';
    const key = api().operatorKey;
    await api().patch(`/api/tenants/${shop.tenantId}`, {
      key,
      body: { files: { "server/schedule.yml": purge } },
    });
    const run = await api().post(`/api/${shop.tenantId}/scheduler/tidy/executions`, { key });
    assert.ok(run.status < 300, run.text);
    await until(async () => (await shop.deliveries()).length === 1, "not deleted", WAIT_MS);
    const traces = await api().sql("select * from inbound_trace where delivery_id = $1", [old?.id]);
    assert.deepEqual(traces, []);
  });

  it("what waited in vain for so long fails with an event, and keeps no content", async () => {
    const shop = await openShop(api(), nextTenant());
    await shop.put({ enabled: false });
    await api().sql(
      `insert into inbound_delivery (tenant_id, id, connector, dedupe_key, topic, subject,
                                     occurred_at, received_at, headers, body, next_attempt_at)
       select $1, 'inb_' || days, 'shopify', days::text, 'orders/paid', 'orderId=' || days,
              at, at, '{}', '\\x7b7d', at
         from unnest('{13,15}'::integer[]) as days,
              lateral (select now() - make_interval(days => days) as at) as moment`,
      [shop.tenantId],
    );
    const purge = 'tasks:\n  - { id: tidy, kind: purge, cron: "0 0 29 2 *" }\n';
    const key = api().operatorKey;
    await api().patch(`/api/tenants/${shop.tenantId}`, {
      key,
      body: { files: { "server/schedule.yml": purge } },
    });
    const run = await api().post(`/api/${shop.tenantId}/scheduler/tidy/executions`, { key });
    assert.ok(run.status < 300, run.text);
    await until(
      async () => (await shop.deliveries()).some(({ status }) => status === "failed"),
      "one is given up",
    );
    const rows = await shop.deliveries();
    assert.deepEqual(
      rows.map(({ id, status, body }) => [id, status, body === null]),
      [
        ["inb_13", "waiting", false],
        ["inb_15", "failed", true],
      ],
    );
    const events = await api().sql(
      `select data ->> 'deliveryId' as id from event
        where tenant_id = $1 and name = 'extension.delivery-failed'`,
      [shop.tenantId],
    );
    assert.deepEqual(events, [{ id: "inb_15" }]);
  });
});
