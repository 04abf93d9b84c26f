import type { TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { Lease } from "#kernel/work/lease.ts";
import { endAsSuperseded, LOCK_ORDER, takeTag } from "../deliveries/delivery.repository.ts";
import { accepted, type ClaimedDelivery, claimedColumns } from "../push/push.repository.ts";

/** A walk over so many changed files goes over all passes. */
const PATHS_MAX = 1_000;

/**
 * Begins the walk over the passes of the tenant, or begins it again: over those that may show one of the files,
 * of this publication or of one before whose walk has not ended. Without `paths`, over all.
 */
export async function upsertFanOut(
  tx: TenantTx,
  { version, paths }: { readonly version: number; readonly paths?: readonly string[] | undefined },
): Promise<void> {
  const both = sql`array(select distinct unnest(known.paths || excluded.paths))`;
  await tx.run(sql`
    insert into apple_fan_out as known (tenant_id, pass_id, version, paths)
    values (${tx.tenantId}, '', ${version}, ${paths ?? null}::text[])
        on conflict (tenant_id) do update
           set pass_id = excluded.pass_id, version = excluded.version,
               paths = case when known.version = excluded.version - 1
                             and known.paths is not null and excluded.paths is not null
                             and cardinality(${both}) <= ${PATHS_MAX} then ${both} end
  `);
}

/** A publication of files that no pass shows: a walk under way covers it, too. */
export function updateFanOutVersion(tx: TenantTx, version: number): void {
  tx.defer(sql`
    update apple_fan_out set version = ${version}
     where tenant_id = ${tx.tenantId} and version = ${version - 1}
  `);
}

export type FanOut = {
  readonly isPaused: boolean;
  /** Of the configuration: the newest one that `paths` covers. */
  readonly version: number;
  /** Of `PassChanges`; null if any pass may have changed. */
  readonly paths: readonly string[] | null;
};

/** Undefined if nothing is left to be told. */
export async function findFanOut(context: TenantContext): Promise<FanOut | undefined> {
  const { tenantId } = context;
  const [fanOut] = await context.read(sql<FanOut>`
    select exists (select from apple_push_pause where tenant_id = ${tenantId}) as "isPaused",
           version, paths
      from apple_fan_out
     where tenant_id = ${tenantId}
  `);
  return fanOut;
}

/** Passes in the order of their ids: those after the one, up to and with the other. */
export type PassRange = { readonly after: string; readonly last: string };

const isWithin = ({ after, last }: PassRange): Sql =>
  sql`pass_id > ${after} and pass_id <= ${last}`;

/**
 * Without types, all passes. Otherwise each is looked up by itself: where PostgreSQL knows little of the tables, a
 * join compared ten thousand registrations with as many passes, for ten seconds. The columns of `apple_pass` have other
 * names here: under its own, `pass_id` would be that of `apple_pass` and not that of the outer statement.
 */
const isOfTypes = (tx: TenantTx, passTypes: readonly string[] | undefined): Sql =>
  passTypes === undefined
    ? sql`true`
    : sql`(
        select type
          from (select tenant_id, pass_id, pass_type from apple_pass) as typed (tenant, pass, type)
         where tenant = ${tx.tenantId} and pass = pass_id) = any(${passTypes}::text[])`;

export type NextPasses = {
  readonly after: string;
  /** Null at the end of the walk. */
  readonly last: string | null;
  /** Of the files that the walk is about by now. */
  readonly version: number;
};

/**
 * Locks the walk and finds its next passes: with so many devices, and those of the last pass that go beyond.
 * Undefined if there is no walk. Waits for another process that takes a step,
 * and by a statement of its own: the next one then sees where that step ended.
 */
export function lockNext(tx: TenantTx, devices: number): Promise<NextPasses | undefined> {
  const ahead = sql`
    from apple_registration as held
   where held.tenant_id = ${tx.tenantId} and held.pass_id > walk.pass_id
  `;
  tx.defer(sql`select from apple_fan_out where tenant_id = ${tx.tenantId} for update`);
  return tx.maybeOne(sql<NextPasses>`
    select pass_id as after, version,
           coalesce(
             (select held.pass_id ${ahead} order by held.pass_id offset ${devices - 1} limit 1),
             (select max(held.pass_id) ${ahead})) as last
      from apple_fan_out as walk
     where tenant_id = ${tx.tenantId}
  `);
}

/** A step looks no further than so many registrations, however few of them are of the types. */
export const AHEAD_MAX = 10_000;

/** The last one of the next passes if only those of these types count; null at the end. */
export async function findLastOfTypes(
  tx: TenantTx,
  after: string,
  devices: number,
  passTypes: readonly string[],
): Promise<string | null> {
  const { last } = await tx.one(sql<{ last: string | null }>`
    with ahead as materialized (
      select pass_id
        from apple_registration
       where tenant_id = ${tx.tenantId} and pass_id > ${after}
       order by pass_id
       limit ${AHEAD_MAX}
    )
    select coalesce(
             (select pass_id
                from ahead
                join apple_pass as typed using (pass_id)
               where typed.tenant_id = ${tx.tenantId} and pass_type = any(${passTypes}::text[])
               order by pass_id offset ${devices - 1} limit 1),
             (select max(pass_id) from ahead)) as last
  `);
  return last;
}

/** The passes up to this one are done. */
export function updateFanOut(tx: TenantTx, last: string): void {
  tx.defer(sql`update apple_fan_out set pass_id = ${last} where tenant_id = ${tx.tenantId}`);
}

export function deleteFanOut(tx: TenantTx): void {
  tx.defer(sql`delete from apple_fan_out where tenant_id = ${tx.tenantId}`);
}

/** Deliveries of a fan-out that are claimed, and the tokens to push to. */
export type FanOutBatch = PassRange & {
  /** Parted by spaces; a device that holds several passes is there several times. */
  readonly tokens: string;
  /** The ids of the devices that had these tokens, in the same order. */
  readonly devices: string;
  /** Where the deliveries were written, as an array in the notation of PostgreSQL. */
  readonly places: string;
  readonly count: number;
};

/** For which pass type deliveries are claimed, and when they are pushed again if nobody fetches. */
export type FanOutClaim = Pick<Lease, "token" | "seconds"> & {
  readonly passTypeIdentifier: string;
  readonly pushAgainAt: Date;
};

/**
 * Notes a change for the devices of these passes, as `raiseRevisions` does. With `claim`, deliveries of its
 * pass type are claimed at once and stand in the ledger as they will be after the push, except for what
 * Apple answers. All others are due now. With `passTypes`, devices whose passes have
 * other types are left out.
 *
 * Open deliveries are superseded first. Every transaction that adds deliveries holds the tag, so none is added
 * meanwhile.
 */
export async function raiseRange(
  tx: TenantTx,
  range: PassRange,
  passTypes: readonly string[] | undefined,
  claim: FanOutClaim | undefined,
): Promise<FanOutBatch> {
  takeTag(tx);
  const isWanted = sql`${isWithin(range)} and ${isOfTypes(tx, passTypes)}`;
  await endAsSuperseded(tx, isWanted);
  const until = new Date(tx.now.getTime() + (claim?.seconds ?? 0) * 1_000);
  const isClaimed = sql`coalesce(pass_type_identifier = ${claim?.passTypeIdentifier ?? null}, false)`;
  if (claim !== undefined) {
    tx.defer(sql`
      insert into apple_push_batch (tenant_id, claim, after_pass_id, last_pass_id, claimed_until)
      values (${tx.tenantId}, ${claim.token}::uuid, ${range.after}, ${range.last}, ${until})
    `);
  }
  const told = await tx.one(sql<Omit<FanOutBatch, keyof PassRange>>`
    with held as materialized (
      select pass_id, device_id, pass_type_identifier,
             (select push_token from apple_device as device
               where device.tenant_id = ${tx.tenantId} and device.device_id = registration.device_id
                 and device.pass_type_identifier = registration.pass_type_identifier
             ) as push_token
        from apple_registration as registration
       where tenant_id = ${tx.tenantId} and ${isWanted}
    ), raised as (
      update apple_pass
         set revision = revision + 1,
             tag = (select tag from apple_tag where tenant_id = ${tx.tenantId})
       where tenant_id = ${tx.tenantId} and ${isWithin(range)}
         and pass_id in (select pass_id from held)
      returning pass_id, revision
    ), due as materialized (
      select held.*, revision, ${isClaimed} as is_claimed
        from held join raised using (pass_id)
       where push_token is not null
    ), told as (
      insert into apple_delivery (tenant_id, pass_id, device_id, pass_type_identifier, revision, state,
                                  queued_at, next_push_at, claim, claimed_until)
      select ${tx.tenantId}, pass_id, device_id, pass_type_identifier, revision, 'queued', ${tx.now},
             case when is_claimed then ${claim?.pushAgainAt ?? null} else ${tx.now} end::timestamptz,
             case when is_claimed then ${claim?.token ?? null}::uuid end,
             case when is_claimed then ${until}::timestamptz end
        from due
      returning ctid, claim
    ), placed as (
      select coalesce(array_agg(ctid)::text, '{}') as places, count(*)::integer as count
        from told
       where claim is not null
    ), addressed as (
      select coalesce(string_agg(push_token, ' '), '') as tokens,
             coalesce(string_agg(device_id, ' '), '') as devices
        from due
       where is_claimed
    )
    select places, count, tokens, devices from placed, addressed
  `);
  return { ...range, ...told };
}

const isOfBatch = (tx: TenantTx, batch: FanOutBatch, claim: string): Sql =>
  sql`tenant_id = ${tx.tenantId} and ${isWithin(batch)} and claim = ${claim}::uuid`;

/**
 * Locks deliveries by a statement of its own. The next one then sees them as they are by now: one that waits
 * for a lock itself overlooks rows that changed meanwhile.
 */
function lockInOrder(tx: TenantTx, isWanted: Sql): void {
  tx.defer(sql`select from apple_delivery where ${isWanted} ${LOCK_ORDER} for update`);
}

/**
 * Moves deliveries of a batch to another claim, as if they had been due now: those of devices whose push
 * Apple did not take, which are few. From then on they are like any others that are claimed. Their tokens
 * may be others by now than those that were pushed to.
 */
export function claimApart(
  tx: TenantTx,
  batch: FanOutBatch,
  [from, to]: readonly [string, string],
  deviceIds: readonly string[],
): Promise<ClaimedDelivery[]> {
  const isWanted = sql`${isOfBatch(tx, batch, from)} and device_id = any(${deviceIds}::text[])`;
  lockInOrder(tx, isWanted);
  return tx.many(sql<ClaimedDelivery>`
    update apple_delivery as delivery
       set claim = ${to}::uuid, next_push_at = ${tx.now}
     where ${isWanted}
    returning ${claimedColumns(tx)}
  `);
}

/**
 * Records that Apple took the pushes of a batch, where the deliveries still are where they were written and
 * nobody else is changing them. Waits for nobody, so the order does not matter. Returns how many they are.
 * Names nothing that an index knows: a planner that chose one would compare each row with every place.
 */
export function recordBatch(tx: TenantTx, batch: FanOutBatch, claim: string): Promise<number> {
  return tx.run(sql`
    update apple_delivery set ${accepted(tx)}
     where ctid = any (array(
             select ctid from apple_delivery
              where ctid = any(${batch.places}::text::tid[]) and claim = ${claim}::uuid
                for update skip locked))
  `);
}

/** The same for those that are left, wherever they are by now. In a transaction of its own: it may wait. */
export function recordLeft(tx: TenantTx, batch: FanOutBatch, claim: string): Promise<number> {
  lockInOrder(tx, isOfBatch(tx, batch, claim));
  return tx.run(sql`
    update apple_delivery set ${accepted(tx)} where ${isOfBatch(tx, batch, claim)}
  `);
}

export function deleteBatch(tx: TenantTx, claim: string): void {
  tx.defer(sql`
    delete from apple_push_batch where tenant_id = ${tx.tenantId} and claim = ${claim}::uuid
  `);
}

/**
 * Deliveries of batches whose claim has run out are due at once. They are locked before their batches, as by
 * those who record them. Looks at one batch after the other: a join might read all deliveries of the tenant.
 */
export function releaseBatches(tx: TenantTx): void {
  const isOver = sql`tenant_id = ${tx.tenantId} and claimed_until <= ${tx.now}`;
  const left = sql`
    lateral (
      select ctid as place
        from apple_delivery
       where tenant_id = ${tx.tenantId} and pass_id > over.after_pass_id
         and pass_id <= over.last_pass_id and claim = over.claim
       ${LOCK_ORDER}
         for update) as left_over
  `;
  tx.defer(sql`
    select from (select * from apple_push_batch where ${isOver} order by after_pass_id) as over, ${left}
  `);
  tx.defer(sql`
    with over as (
      delete from apple_push_batch where ${isOver} returning claim, after_pass_id, last_pass_id
    )
    update apple_delivery set next_push_at = ${tx.now}, claim = null, claimed_until = null
     where ctid = any (array(select place from over, ${left}))
  `);
}
