import { sql } from "../db/sql.ts";
import type { TenantTx } from "../db/transaction.ts";
import type { Listener } from "../module.ts";
import type { PendingEvent } from "./define.ts";

export type StoredEvent = {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  readonly occurredAt: Date;
  readonly data: unknown;
  readonly previous: unknown;
  readonly subject: string | undefined;
};

/** Its payload is a tenant in which something happened. */
export const EVENT_HINT = "event";

const ROUNDS_MAX = 10;

/**
 * The commit step that writes what a transaction emitted, in one statement, and lets listeners add
 * to the same transaction. A listener may emit in turn; a circle of listeners is a defect.
 */
export function createOutbox(listeners: readonly Listener[]): (tx: TenantTx) => Promise<void> {
  return async (tx) => {
    for (let round = 0; tx.pendingEvents.length > 0; round += 1) {
      if (round === ROUNDS_MAX) throw new Error("Listeners keep emitting events to each other.");
      const events = tx.pendingEvents.splice(0).map((event) => store(event, tx.now));
      insertEvents(tx, events);
      for (const tenantId of new Set(events.map((event) => event.tenantId))) {
        tx.hint(EVENT_HINT, tenantId);
      }
      for (const listener of listeners) {
        const heard = events.filter((event) => isHeard(listener.events, event.name));
        if (heard.length > 0) await listener.hear(tx, heard);
      }
    }
  };
}

function store(event: PendingEvent, now: Date): StoredEvent {
  return {
    id: event.id,
    tenantId: event.tenantId,
    name: event.name,
    occurredAt: now,
    data: event.data,
    previous: event.previous,
    subject: event.subject,
  };
}

function isHeard(wanted: string, name: string): boolean {
  if (!wanted.endsWith("*")) return wanted === name;
  return name.startsWith(wanted.slice(0, -1));
}

function insertEvents(tx: TenantTx, events: readonly StoredEvent[]): void {
  tx.defer(sql`
    insert into event (tenant_id, id, name, occurred_at, data, previous, subject)
    select "tenantId", id, name, "occurredAt", data, previous, subject
      from jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as event (
        "tenantId" text, id text, name text, "occurredAt" timestamptz, data jsonb, previous jsonb,
        subject text)
  `);
}
