import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shareApi } from "#test/support/start-api.ts";

const COUNTED = 10_000;
/** Columns of lists that are written in the same way for each row. */
const INBOUND =
  "connector, topic, subject, occurred_at, received_at, headers, next_attempt_at, status";
const EXECUTION =
  "task_id, kind, settings, time_limit_seconds, status, trigger, created_at, created_by";

type LongList = {
  /** `:webhook` stands for the id of a webhook of the tenant. */
  readonly path: string;
  readonly table: string;
  /** The column that tells rows apart, and the others with their values. */
  readonly id: string;
  readonly columns: string;
  readonly values: string;
};

const LISTS: Readonly<Record<string, LongList>> = {
  "the audit": {
    path: "admin/audit",
    table: "audit",
    id: "id",
    columns: "at, actor_kind, actor_id, op, target, request_id, ip",
    values:
      "now() - n * interval '1 second', 'api-key', 'k', 'pass.change', 'pass:' || n, 'r', '::1'",
  },
  customers: {
    path: "customers",
    table: "customer",
    id: "id",
    columns: "identifiers, consents, created_at, updated_at",
    values: "'{}', '{}', now(), now()",
  },
  "the deliveries of a webhook": {
    path: "webhooks/:webhook/deliveries",
    table: "delivery",
    id: "event_id",
    columns: "webhook_id, event_name, state, due_at, created_at",
    values: "':webhook', 'pass.created', 'delivered', now(), now()",
  },
  "the deliveries of all webhooks": {
    path: "deliveries",
    table: "delivery",
    id: "event_id",
    columns: "webhook_id, event_name, state, due_at, created_at",
    values: "':webhook', 'pass.created', 'delivered', now(), now()",
  },
  "the inbox of a connector": {
    path: "admin/extensions/shopify/inbox",
    table: "inbound_delivery",
    id: "id",
    columns: `dedupe_key, ${INBOUND}`,
    values: "'k' || n, 'shopify', 't', 's', now(), now(), '{}', now(), 'done'",
  },
  "the events that a connector refused": {
    path: "admin/extensions/cdp/refused-events",
    table: "connector_refusal",
    id: "event_id",
    columns: "connector, event_name, reason, refused_at",
    values: "'cdp', 'pass.created', 'It said no.', now()",
  },
  "the executions of all tasks": {
    path: "scheduler/executions",
    table: "task_execution",
    id: "id",
    columns: EXECUTION,
    values: "'nightly', 'purge', '{}', 60, 'succeeded', 'schedule', now(), 'system'",
  },
  "the executions of a task": {
    path: "scheduler/nightly/executions",
    table: "task_execution",
    id: "id",
    columns: EXECUTION,
    values: "'nightly', 'purge', '{}', 60, 'succeeded', 'schedule', now(), 'system'",
  },
};

describe("a list that grows for ever", () => {
  const api = shareApi();
  let tenants = 0;

  async function seed() {
    tenants += 1;
    const tenantId = `long-${tenants}`;
    await api().seed.tenant(tenantId);
    const body = { events: ["pass.created"], endpoint: "https://hooks.harbour.example/" };
    const { body: webhook } = await api().post(`/api/${tenantId}/webhooks`, {
      key: api().operatorKey,
      body,
    });
    return { tenantId, fill: (text: string) => text.replace(":webhook", webhook.id) };
  }

  async function totalOf(path: string) {
    const { status, headers, text } = await api().get(path, { key: api().operatorKey });
    assert.equal(status, 200, text);
    return [headers.get("x-pagination-total"), headers.get("x-pagination-total-is")];
  }

  for (const [name, { path, table, id, columns, values }] of Object.entries(LISTS)) {
    it(`200: ${name}: up to 10,000 entries are counted, and no more`, async () => {
      const { tenantId, fill } = await seed();
      const url = fill(`/api/${tenantId}/${path}`);
      const insert = (from: number, to: number) =>
        api().sql(
          `insert into ${table} (tenant_id, ${id}, ${columns})
           select '${tenantId}', 'x' || lpad(n::text, 21, '0'), ${fill(values)}
             from generate_series(${from}, ${to}) as n`,
        );
      await insert(1, 1);
      const [known, is] = await totalOf(url);
      assert.equal(is, "exact");
      const added = COUNTED - Number(known) + 1;
      await insert(2, added);
      assert.deepEqual(await totalOf(url), [String(COUNTED), "exact"]);
      await insert(added + 1, added + 500);
      assert.deepEqual(await totalOf(url), [String(COUNTED + 1), "estimate"]);
      assert.deepEqual(await totalOf(`${url}?pageIndex=20`), [String(COUNTED + 1), "estimate"]);
    });
  }

  it("200: the audit of the installation is counted in the same way", async () => {
    const { tenantId } = await seed();
    await api().sql(
      `insert into audit (tenant_id, id, at, actor_kind, actor_id, op, target, request_id, ip)
       select '${tenantId}', 'i' || n, now(), 'api-key', 'k', 'pass.change', 'pass:1', 'r', '::1'
         from generate_series(1, ${COUNTED + 1}) as n`,
    );
    assert.deepEqual(await totalOf("/api/audit"), [String(COUNTED + 1), "estimate"]);
  });
});
