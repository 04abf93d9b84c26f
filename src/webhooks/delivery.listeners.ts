import type { TenantTx } from "#kernel/db/transaction.ts";
import type { StoredEvent } from "#kernel/events/outbox.ts";
import type { Listener } from "#kernel/module.ts";
import { RecentMap } from "#kernel/recent-map.ts";
import { createMatcher, type Matcher } from "#src/events/public.ts";

import { DELIVERY_HINT, writeDeliveryHint } from "./delivery.signal.ts";
import * as deliveries from "./delivery-fan-out.repository.ts";
import { webhookTest } from "./webhook.events.ts";

/** Of tenants that were busy lately. */
const TENANTS_KNOWN = 2_000;
const DELIVERIES_PER_STATEMENT = 5_000;
const WEBHOOKS_PER_HINT = 500;

// By revision, which no two states of any tenant's subscriptions share.
const matchers = new RecentMap<Matcher>(TENANTS_KNOWN);
const lastRevisions = new RecentMap<string>(TENANTS_KNOWN);

/**
 * In the transaction of the event, so a delivery exists if, and only if, the event does. Costs one
 * statement: what the subscriptions are is guessed, and the statement tells whether rightly.
 */
export const fanOut: Listener = {
  events: "*",
  async hear(tx, events) {
    const byTenant = Map.groupBy(
      // A test is sent to the one subscription it is for.
      events.filter(({ name }) => name !== webhookTest.name),
      ({ tenantId }) => tenantId,
    );
    for (const [tenantId, happened] of byTenant) await fanOutIn(tx, tenantId, happened);
  },
};

async function fanOutIn(
  tx: TenantTx,
  tenantId: string,
  events: readonly StoredEvent[],
): Promise<void> {
  const guess = lastRevisions.get(tenantId);
  const known = guess === undefined ? undefined : matchers.get(guess);
  if (guess !== undefined && known !== undefined) {
    if ((await deliver(tx, tenantId, guess, known, events)) === guess) return;
  }
  const found = await deliveries.findEnabledSubscriptions(tx, tenantId);
  if (found === undefined) return;
  const matcher = matchers.get(found.revision) ?? createMatcher(found.subscriptions);
  matchers.set(found.revision, matcher);
  lastRevisions.set(tenantId, found.revision);
  // Between two statements someone may have changed them once more: whom both name is owed it once.
  const now = await deliver(tx, tenantId, found.revision, matcher, events);
  if (now !== undefined && now !== found.revision) await fanOutIn(tx, tenantId, events);
}

/** The revision in force. Nothing is written when it is not the one given. */
async function deliver(
  tx: TenantTx,
  tenantId: string,
  revision: string,
  matcher: Matcher,
  events: readonly StoredEvent[],
): Promise<string | undefined> {
  const owed = events.flatMap((event) =>
    matcher.match(event.name).map((webhookId) => ({ webhookId, event })),
  );
  let current = owed.length === 0 ? await deliveries.findRevision(tx, tenantId) : revision;
  for (let from = 0; from < owed.length && current === revision; from += DELIVERIES_PER_STATEMENT) {
    const batch = owed.slice(from, from + DELIVERIES_PER_STATEMENT);
    current = await deliveries.insertDeliveries(tx, tenantId, revision, batch);
  }
  if (current === revision) hintAt(tx, tenantId, new Set(owed.map(({ webhookId }) => webhookId)));
  return current;
}

function hintAt(tx: TenantTx, tenantId: string, webhooks: ReadonlySet<string>): void {
  const ids = [...webhooks];
  for (let from = 0; from < ids.length; from += WEBHOOKS_PER_HINT) {
    const payload = writeDeliveryHint(tenantId, ids.slice(from, from + WEBHOOKS_PER_HINT));
    tx.hint(DELIVERY_HINT, payload);
  }
}
