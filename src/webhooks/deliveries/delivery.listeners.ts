import type { TenantTx } from "#kernel/db/transaction.ts";
import type { StoredEvent } from "#kernel/events/define.ts";
import { listenToEverything } from "#kernel/events/listen.ts";
import { RecentMap } from "#kernel/recent-map.ts";
import { createMatcher, type Matcher } from "#src/events/public.ts";
import { webhookTest } from "../webhook.events.ts";
import { WEBHOOK_SIGNAL } from "../webhook.service.ts";
import { hintDeliveries } from "./delivery.signal.ts";
import * as deliveries from "./delivery-fan-out.repository.ts";

/** The number of tenants, recently active, whose subscriptions are remembered. */
const TENANTS_KNOWN = 2_000;
const DELIVERIES_PER_STATEMENT = 5_000;

/** The subscriptions of a tenant, as this process last read them; no revision if there are none. */
type Seen = { readonly revision: string | undefined; readonly matcher: Matcher };

// By database, because one process (a test) may use several.
const seenIn = new WeakMap<object, RecentMap<Seen>>();

/**
 * Runs in the transaction of the event, so a delivery exists if, and only if, the event does. No
 * statement waits for an answer: the remembered subscriptions are assumed to be current, and if
 * they are not, the transaction fails and runs again.
 */
export const fanOut = listenToEverything(async (tx, events) => {
  const byTenant = Map.groupBy(
    // A test event is sent only to the subscription under test, and not from here.
    events.filter(({ definition }) => definition !== webhookTest),
    ({ tenantId }) => tenantId,
  );
  for (const [tenantId, happened] of byTenant) {
    const guess = guessFor(tx, tenantId);
    const owed =
      guess === undefined
        ? await deliverAsSeen(tx, tenantId, happened)
        : deliverByGuess(tx, tenantId, happened, guess);
    hintDeliveries(tx, tenantId, new Set(owed.map(({ webhookId }) => webhookId)));
  }
});

/** A transaction that changes subscriptions knows that the remembered ones are out of date. */
function guessFor(tx: TenantTx, tenantId: string): Seen | undefined {
  const changesThem = tx.pendingSignals.some(({ channel }) => channel === WEBHOOK_SIGNAL);
  return tx.mayGuess && !changesThem ? seenBy(tx).get(tenantId) : undefined;
}

function deliverByGuess(
  tx: TenantTx,
  tenantId: string,
  events: readonly StoredEvent[],
  guess: Seen,
): readonly deliveries.NewDelivery[] {
  const owed = insertOwed(tx, tenantId, events, guess);
  deliveries.requireRevision(tx, tenantId, guess.revision);
  return owed;
}

/**
 * Reads the subscriptions and inserts; other transactions may change subscriptions between the two
 * statements, so the revision is compared afterwards. A delivery that is inserted twice is stored
 * once.
 */
async function deliverAsSeen(
  tx: TenantTx,
  tenantId: string,
  events: readonly StoredEvent[],
): Promise<readonly deliveries.NewDelivery[]> {
  for (;;) {
    const found = await deliveries.findEnabledSubscriptions(tx, tenantId);
    const seen = {
      revision: found?.revision,
      matcher: createMatcher(found?.subscriptions ?? []),
    };
    const owed = insertOwed(tx, tenantId, events, seen);
    if ((await deliveries.findRevision(tx, tenantId)) !== seen.revision) continue;
    tx.afterCommit(() => seenBy(tx).set(tenantId, seen));
    return owed;
  }
}

function insertOwed(
  tx: TenantTx,
  tenantId: string,
  events: readonly StoredEvent[],
  { revision, matcher }: Seen,
): readonly deliveries.NewDelivery[] {
  const owed = events.flatMap((event) =>
    matcher.match(event.name).map((webhookId) => ({ webhookId, event })),
  );
  for (let from = 0; from < owed.length; from += DELIVERIES_PER_STATEMENT) {
    const batch = owed.slice(from, from + DELIVERIES_PER_STATEMENT);
    deliveries.insertDeliveries(tx, tenantId, revision, batch);
  }
  return owed;
}

function seenBy({ database }: TenantTx): RecentMap<Seen> {
  const seen = seenIn.get(database) ?? new RecentMap<Seen>(TENANTS_KNOWN);
  seenIn.set(database, seen);
  return seen;
}
