import { sql } from "../db/sql.ts";
import type { TenantTx } from "../db/transaction.ts";
import type { StoredEvent } from "./define.ts";
import type { Listener } from "./listen.ts";

/** The hint that something happened; its payload is the id of the tenant. */
export const EVENT_HINT = "event";

const ROUNDS_MAX = 10;

/**
 * The commit step that writes the events of a transaction in one statement, and calls the listeners
 * in the same transaction. A listener may emit events too; listeners that cause each other
 * endlessly are a defect.
 */
export function createOutbox(listeners: readonly Listener[]): (tx: TenantTx) => Promise<void> {
  return async (tx) => {
    for (let round = 0; tx.pendingEvents.length > 0 || tx.pendingErasures.size > 0; round += 1) {
      if (round === ROUNDS_MAX) throw new Error("Listeners keep emitting events to each other.");
      await emitEvents(tx, listeners);
      await reportErasures(tx, listeners);
    }
  };
}

async function emitEvents(tx: TenantTx, listeners: readonly Listener[]): Promise<void> {
  const pending = tx.pendingEvents.splice(0);
  if (pending.length === 0) return;
  const events = pending.map((event) => ({ ...event, occurredAt: tx.now }));
  insertEvents(tx, events);
  for (const tenantId of new Set(events.map((event) => event.tenantId))) {
    tx.hint(EVENT_HINT, tenantId);
  }
  for (const listener of listeners) await listener.hear(tx, events);
}

async function reportErasures(tx: TenantTx, listeners: readonly Listener[]): Promise<void> {
  const subjects = [...tx.pendingErasures];
  if (subjects.length === 0) return;
  tx.pendingErasures.clear();
  for (const listener of listeners) await listener.hearErased?.(tx, subjects);
}

/** Sent with the next statement of the transaction. */
export function insertEvents(tx: TenantTx, events: readonly StoredEvent[]): void {
  // The definition is left out: with its schema it is many times as long as the event.
  const rows = events.map(({ definition: _, ...row }) => row);
  tx.defer(sql`
    insert into event (tenant_id, id, name, occurred_at, data, previous, subject, request_id)
    select "tenantId", id, name, "occurredAt", data, previous, subject, "requestId"
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as event (
        "tenantId" text, id text, name text, "occurredAt" timestamptz, data jsonb, previous jsonb,
        subject text, "requestId" text)
  `);
}
