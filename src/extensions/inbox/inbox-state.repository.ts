import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import { UNREADABLE_TOPIC } from "./inbox.repository.ts";
import type { Waiting } from "./inbox.room.ts";

/** How the inbox of one connector does. */
export type InboxState = {
  readonly connector: string;
  readonly lastDeliveryAt: Date | null;
  readonly waiting: number;
  readonly waitingBytes: number;
  /** Since the time that was asked for. */
  readonly failures: number;
};

export function listInboxStates(context: TenantContext, since: Date): Promise<InboxState[]> {
  return context.read(sql<InboxState>`
    select inbox.connector,
           (select received_at from inbound_delivery as last
             where last.tenant_id = inbox.tenant_id and last.connector = inbox.connector
             order by last.id desc limit 1) as "lastDeliveryAt",
           (select count(*)::integer from inbound_delivery as open
             where open.tenant_id = inbox.tenant_id and open.connector = inbox.connector
               and open.status = 'waiting') as waiting,
           (select coalesce(sum(octet_length(open.body)), 0)::float8 from inbound_delivery as open
             where open.tenant_id = inbox.tenant_id and open.connector = inbox.connector
               and open.status = 'waiting') as "waitingBytes",
           (select count(*)::integer from inbound_delivery as bad
             where bad.tenant_id = inbox.tenant_id and bad.connector = inbox.connector
               and bad.status = 'failed' and bad.finished_at > ${since}) as failures
      from connector_inbox as inbox
     where inbox.tenant_id = ${context.tenantId}
  `);
}

/** How much of a connector waits. The sizes are known without reading the bodies. */
export async function countWaiting(context: TenantContext, connector: string): Promise<Waiting> {
  const [row] = await context.read(sql<Waiting>`
    select count(*)::integer as deliveries,
           coalesce(sum(octet_length(body)), 0)::float8 as "sizeBytes"
      from inbound_delivery
     where tenant_id = ${context.tenantId} and connector = ${connector} and status = 'waiting'
  `);
  return row ?? { deliveries: 0, sizeBytes: 0 };
}

/** How much of a connector is kept that could not be read. */
export async function countUnreadable(context: TenantContext, connector: string): Promise<Waiting> {
  const [row] = await context.read(sql<Waiting>`
    select count(*)::integer as deliveries,
           coalesce(sum(octet_length(body)), 0)::float8 as "sizeBytes"
      from inbound_delivery
     where tenant_id = ${context.tenantId} and connector = ${connector} and status = 'failed'
       and topic = ${UNREADABLE_TOPIC}
  `);
  return row ?? { deliveries: 0, sizeBytes: 0 };
}
