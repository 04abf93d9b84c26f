import type { TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import {
  type DeliverySummary,
  INBOX_STATUSES,
  presentDelivery,
  type StoredDelivery,
} from "./inbox.schema.ts";

/** The topic of deliveries that cannot be read. */
export const UNREADABLE_TOPIC = "unreadable";

export type NewDelivery = {
  readonly id: string;
  readonly connector: string;
  readonly dedupeKey: string;
  readonly topic: string;
  readonly subject: string;
  readonly tells: "state" | "gone" | null;
  readonly occurredAt: Date;
  readonly receivedAt: Date;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Set for one that cannot be read: it failed already. */
  readonly problem: string | null;
};

/** One statement by itself, because vendors wait for it, or inside a transaction. */
type Writer = Pick<TenantContext, "tenantId" | "read"> | TenantTx;

/** Returns false if a delivery with the same key is there. */
export async function insertDelivery(writer: Writer, delivery: NewDelivery): Promise<boolean> {
  const { id, connector, dedupeKey, topic, subject, tells, occurredAt, receivedAt } = delivery;
  const isFailed = delivery.problem !== null;
  const statement = sql<{ id: string }>`
    insert into inbound_delivery (tenant_id, id, connector, dedupe_key, topic, subject, tells,
                                  occurred_at, received_at, headers, body, next_attempt_at, status,
                                  finished_at, problem)
    values (${writer.tenantId}, ${id}, ${connector}, ${dedupeKey}, ${topic}, ${subject}, ${tells},
            ${occurredAt}, ${receivedAt}, ${JSON.stringify(delivery.headers)}::jsonb,
            ${delivery.body}, ${receivedAt}, ${isFailed ? "failed" : "waiting"},
            ${isFailed ? receivedAt : null}, ${delivery.problem})
        on conflict (tenant_id, connector, dedupe_key) do nothing
    returning id
  `;
  const rows = "read" in writer ? await writer.read(statement) : await writer.many(statement);
  return rows.length > 0;
}

/** The conditions name the table `inbound_delivery`, so the query must use that name. */
export const INBOX_LIST: ListSpec = {
  fields: {
    deliveryId: { sql: "inbound_delivery.id", type: "id", nullable: false },
    status: {
      sql: "inbound_delivery.status",
      type: "text",
      values: INBOX_STATUSES,
      nullable: false,
    },
    topic: { sql: "inbound_delivery.topic", type: "text", nullable: false },
    subject: { sql: "inbound_delivery.subject", type: "text", nullable: false },
    receivedAt: { sql: "inbound_delivery.received_at", type: "timestamp", nullable: false },
  },
  id: "deliveryId",
  paging: "always",
  defaultSort: [{ field: "deliveryId", direction: "DESC" }],
};

const summaryColumns: Sql<DeliverySummary> = sql<DeliverySummary>`
  id, connector, topic, subject, status, occurred_at as "occurredAt", received_at as "receivedAt",
  finished_at as "finishedAt", attempts, next_attempt_at as "nextAttemptAt", problem
`;

export function listDeliveries(
  context: TenantContext,
  connector: string,
  input: ListInput,
): Promise<Answer> {
  return listPage(
    context,
    {
      columns: summaryColumns,
      from: sql`inbound_delivery`,
      where: sql`inbound_delivery.tenant_id = ${context.tenantId}
             and inbound_delivery.connector = ${connector}`,
      spec: INBOX_LIST,
      present: presentDelivery,
    },
    input,
  );
}

export async function findDelivery(
  context: TenantContext,
  connector: string,
  id: string,
): Promise<StoredDelivery | undefined> {
  const rows = await context.read(sql<StoredDelivery>`
    select ${summaryColumns}, headers, body, result
      from inbound_delivery
     where tenant_id = ${context.tenantId} and connector = ${connector} and id = ${id}
  `);
  return rows[0];
}

export function findDeliveryForUpdate(
  tx: TenantTx,
  connector: string,
  id: string,
): Promise<StoredDelivery | undefined> {
  return tx.maybeOne(sql<StoredDelivery>`
    select ${summaryColumns}, headers, body, result
      from inbound_delivery
     where tenant_id = ${tx.tenantId} and connector = ${connector} and id = ${id}
       for update
  `);
}

/** As if it had just arrived. One that is being worked on at this moment is left as it is. */
export async function updateToWaiting(tx: TenantTx, id: string): Promise<void> {
  await tx.run(sql`
    update inbound_delivery
       set status = 'waiting', attempts = 0, next_attempt_at = ${tx.now}, finished_at = null,
           problem = null, result = null, yields = false, claim = null, claimed_until = null
     where tenant_id = ${tx.tenantId} and id = ${id}
       and (status <> 'waiting' or claimed_until is null or claimed_until <= now())
  `);
}
