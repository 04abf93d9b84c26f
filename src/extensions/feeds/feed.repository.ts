import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

export type Feed = {
  readonly connector: string;
  readonly startedAt: Date;
  readonly xact: string;
  readonly sequence: string;
  readonly done: readonly string[];
  readonly attempts: number;
  readonly refusals: number;
  /** As text, because it is compared to the microsecond. */
  readonly nextAttemptAt: string;
};

/** Begins at this transaction: whatever commits later is told. */
export function insertFeed(tx: TenantTx, connector: string): void {
  tx.defer(sql`
    insert into connector_feed (tenant_id, connector, started_at, xact, sequence, next_attempt_at)
    values (${tx.tenantId}, ${connector}, ${tx.now}, pg_snapshot_xmin(pg_current_snapshot()), 0,
            ${tx.now})
        -- Other settings may help what failed before.
        on conflict (tenant_id, connector) do update set next_attempt_at = excluded.next_attempt_at
  `);
}

/** Whom the vendor must still erase stays: the file may be back a minute later. */
export function deleteFeed(tx: TenantTx, connector: string): void {
  for (const table of [sql`connector_feed`, sql`connector_refusal`]) {
    tx.defer(
      sql`delete from ${table} where tenant_id = ${tx.tenantId} and connector = ${connector}`,
    );
  }
}

/** All tenants with a feed, and whether one of theirs is to be looked at without a hint. */
export function listFedTenants(
  context: SystemContext,
): Promise<{ tenantId: string; isDue: boolean }[]> {
  return context.read(sql<{ tenantId: string; isDue: boolean }>`
    select tenant_id as "tenantId", bool_or(next_attempt_at <= ${context.clock.now()}) as "isDue"
      from connector_feed
     group by tenant_id
  `);
}

/**
 * Claims all feeds of the tenant that may go on: a hint does not say which of them it is for. The claim
 * ends by the database's clock, which all processes share.
 */
export async function claimFeeds(tx: TenantTx, token: string, seconds: number): Promise<Feed[]> {
  return await tx.many(sql<Feed>`
    update connector_feed
       set claim = ${token}, claimed_until = now() + make_interval(secs => ${seconds})
     where tenant_id = ${tx.tenantId}
       and connector in (
             select connector
               from connector_feed
              where tenant_id = ${tx.tenantId}
                and (claimed_until is null or claimed_until <= now())
                -- After a failure it waits; otherwise there may be news at any time.
                and ((attempts = 0 and refusals = 0) or next_attempt_at <= ${tx.now})
              order by connector
                for update skip locked)
    returning connector, started_at as "startedAt", xact::text, sequence::text, done, attempts,
              refusals, next_attempt_at::text as "nextAttemptAt"
  `);
}

export async function renewFeeds(
  tx: TenantTx,
  tokens: readonly string[],
  seconds: number,
): Promise<void> {
  await tx.run(sql`
    update connector_feed
       set claimed_until = now() + make_interval(secs => ${seconds})
     where claim = any(${tokens}::uuid[])
  `);
}

/** How a turn ended. */
export type FeedStep = Pick<Feed, "xact" | "sequence" | "done" | "attempts" | "refusals"> & {
  readonly problem: string | null;
  readonly nextAttemptAt: Date;
  readonly hasSent: boolean;
};

/**
 * False if another process has claimed the feed meanwhile, or it was removed. Settings that were saved
 * during the turn have moved its next attempt: what was wrong with those before is not shown and
 * delays nothing.
 */
export async function updateFeed(
  tx: TenantTx,
  { connector, nextAttemptAt }: Pick<Feed, "connector" | "nextAttemptAt">,
  token: string,
  step: FeedStep,
): Promise<boolean> {
  const restarted = sql`next_attempt_at <> ${nextAttemptAt}::timestamptz`;
  const count = await tx.run(sql`
    update connector_feed
       set xact = ${step.xact}::xid8,
           sequence = ${step.sequence}::bigint,
           done = ${step.done}::text[],
           attempts = ${step.attempts},
           refusals = ${step.refusals},
           problem = case when ${restarted} then null else ${step.problem} end,
           next_attempt_at = case when ${restarted} then next_attempt_at
                                  else ${step.nextAttemptAt} end,
           last_sent_at = case when ${step.hasSent} then ${tx.now} else last_sent_at end,
           claim = null,
           claimed_until = null
     where tenant_id = ${tx.tenantId} and connector = ${connector} and claim = ${token}
  `);
  return count === 1;
}

/** The process stops: another one may go on at once. */
export async function releaseFeed(tx: TenantTx, connector: string, token: string): Promise<void> {
  await tx.run(sql`
    update connector_feed
       set claim = null, claimed_until = null
     where tenant_id = ${tx.tenantId} and connector = ${connector} and claim = ${token}
  `);
}

/** Settings that were saved again are tried at once, and what was wrong with those before is over. */
export function restartFeed(tx: TenantTx, connector: string): void {
  tx.defer(sql`
    update connector_feed
       set problem = null, next_attempt_at = ${tx.now}
     where tenant_id = ${tx.tenantId} and connector = ${connector}
       -- A turn under way still works with the settings before.
       and (problem is not null or claim is not null)
  `);
}

/** How the feed of one connector does, for the gallery. */
export type FeedState = {
  readonly connector: string;
  readonly problem: string | null;
  /** Events that were set aside since the time that was asked for. */
  readonly refused: number;
  /** The last of them. */
  readonly eventName: string | null;
  readonly reason: string | null;
};

export function listFeedStates(context: TenantContext, since: Date): Promise<FeedState[]> {
  return context.read(sql<FeedState>`
    select feed.connector, feed.problem,
           (select count(*)::integer from connector_refusal as aside
             where aside.tenant_id = feed.tenant_id and aside.connector = feed.connector
               and aside.refused_at > ${since}) as refused,
           last.event_name as "eventName", last.reason
      from connector_feed as feed
      left join lateral (
           select event_name, reason from connector_refusal as aside
            where aside.tenant_id = feed.tenant_id and aside.connector = feed.connector
              and aside.refused_at > ${since}
            order by aside.refused_at desc, aside.event_id desc
            limit 1) as last on true
     where feed.tenant_id = ${context.tenantId}
  `);
}
