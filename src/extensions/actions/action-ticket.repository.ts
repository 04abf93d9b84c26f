import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

/** A ticket of the vendor of which there is a pass. */
export type KnownTicket = {
  readonly key: string;
  readonly soldAs: string;
  readonly passId: string;
  readonly isVoid: boolean;
  readonly isDisabledHere: boolean;
};

/** The tickets with these keys, and all that were sold as the same. */
export type TicketSelection = {
  readonly connector: string;
  readonly soldAs: string;
  readonly keys: readonly string[];
};

/** The passes must be locked: an erasure locks a pass, and then its ticket. */
export function listTicketsForUpdate(
  tx: TenantTx,
  selection: TicketSelection,
): Promise<KnownTicket[]> {
  return tx.many(sql<KnownTicket>`
    select key, sold_as as "soldAs", pass_id as "passId", is_void as "isVoid",
           is_disabled_here as "isDisabledHere"
      from connector_ticket
     where ${isSelected(tx, selection)}
     order by key
       for update
  `);
}

/** The passes of these tickets, without a lock. */
export async function listPassesOfTickets(
  tx: TenantTx,
  selection: TicketSelection,
): Promise<string[]> {
  const rows = await tx.many(sql<{ passId: string }>`
    select pass_id as "passId" from connector_ticket where ${isSelected(tx, selection)}
  `);
  return rows.map(({ passId }) => passId);
}

function isSelected(tx: TenantTx, { connector, soldAs, keys }: TicketSelection): Sql {
  return sql`
    tenant_id = ${tx.tenantId}
    and connector = ${connector}
    and (sold_as = ${soldAs} or key = any(${keys}::text[]))`;
}

export function upsertTickets(
  tx: TenantTx,
  connector: string,
  tickets: readonly KnownTicket[],
): void {
  tx.defer(sql`
    insert into connector_ticket (tenant_id, connector, key, sold_as, pass_id, is_void,
                                  is_disabled_here)
    select ${tx.tenantId}, ${connector}, key, "soldAs", "passId", "isVoid", "isDisabledHere"
      from jsonb_to_recordset(${JSON.stringify(tickets)}::jsonb) as told (
             key text, "soldAs" text, "passId" text, "isVoid" boolean, "isDisabledHere" boolean)
     order by key
        on conflict (tenant_id, connector, key) do update
       set sold_as = excluded.sold_as, pass_id = excluded.pass_id, is_void = excluded.is_void,
           is_disabled_here = excluded.is_disabled_here
  `);
}

/** Nothing leads from tickets of this connector to passes any more; the passes stay. */
export function deleteTickets(tx: TenantTx, connector: string): void {
  tx.defer(sql`
    delete from connector_ticket where tenant_id = ${tx.tenantId} and connector = ${connector}
  `);
}

/** For erasures: nothing leads from a ticket to a pass that is no more. */
export function deleteTicketsOf(tx: TenantTx, passIds: readonly string[]): void {
  tx.defer(sql`
    delete from connector_ticket
     where tenant_id = ${tx.tenantId} and pass_id = any(${passIds}::text[])
  `);
}
