import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { DeviceKey } from "../devices/device.key.ts";
import { MIN_PUSH_INTERVAL_MS } from "../push/push.schedule.ts";

/** The time between two pushes to a device. */
export const MIN_PUSH_INTERVAL = sql`make_interval(secs => ${MIN_PUSH_INTERVAL_MS / 1_000}::float8)`;

/**
 * Tells the devices of these passes of a change: a new revision and a new tag for each pass, and a
 * delivery for each device with a token. Older deliveries that are still open are superseded: a
 * device always fetches the newest content. With `device`, only this device is told.
 *
 * The tag is taken first, by a statement of its own. It is locked until the commit, so transactions
 * that tell devices come one after the other from here on, and each sees the deliveries of the one
 * before. Whoever locks deliveries takes no tag after that, or two could wait for each other.
 */
export function raiseRevisions(tx: TenantTx, passIds: readonly string[], device?: DeviceKey): void {
  const only =
    device === undefined
      ? sql`true`
      : sql`device_id = ${device.deviceId} and pass_type_identifier = ${device.passTypeIdentifier}`;
  takeTag(tx);
  raise(tx, passIds, only, sql`true`);
}

/**
 * The same for those of the passes that a device holds and whose issued content shows privileges.
 * If no content does, no tag is taken: it would make movements of all passes wait for each other.
 * Whether a device holds the pass is not asked here: a device that registers between two statements
 * would be told under the last tag, which it may know already, and would find nothing new.
 */
export function raiseShown(tx: TenantTx, passIds: readonly string[]): void {
  const isHeld = sql`
    exists (
      select from apple_registration as held
       where held.tenant_id = ${tx.tenantId} and held.pass_id = apple_pass.pass_id)
  `;
  takeTag(
    tx,
    sql`exists (
      select from apple_pass
       where tenant_id = ${tx.tenantId} and pass_id = any(${passIds}::text[])
         and shows_privileges)`,
  );
  raise(tx, passIds, sql`true`, sql`shows_privileges and ${isHeld}`);
}

function raise(tx: TenantTx, passIds: readonly string[], only: Sql, isWanted: Sql): void {
  tx.defer(sql`
    with raised as (
      update apple_pass
         set revision = revision + 1, tag = counter.tag
        from apple_tag as counter
       where counter.tenant_id = ${tx.tenantId} and apple_pass.tenant_id = ${tx.tenantId}
         and pass_id = any(${passIds}::text[]) and ${isWanted}
      returning apple_pass.pass_id, revision
    )
    insert into apple_delivery (tenant_id, pass_id, device_id, pass_type_identifier, revision, state,
                                queued_at, next_push_at)
    select ${tx.tenantId}, raised.pass_id, device_id, pass_type_identifier, raised.revision, 'queued',
           ${tx.now},
           greatest(${tx.now}::timestamptz,
                    -- The clock of another process may be ahead: what it noted for later does not count.
                    case when pushed_at <= ${tx.now} then pushed_at + ${MIN_PUSH_INTERVAL} end)
      from raised
      join apple_registration
        on apple_registration.tenant_id = ${tx.tenantId}
       and apple_registration.pass_id = raised.pass_id
      join apple_device using (tenant_id, device_id, pass_type_identifier)
     where push_token is not null and ${only}
  `);
  supersede(tx, passIds, only, isWanted);
}

/** Locks the tag until the commit: it comes before locks of deliveries. */
export function takeTag(tx: TenantTx, isNeeded: Sql = sql`true`): void {
  tx.defer(sql`
    insert into apple_tag as given (tenant_id, tag)
    select ${tx.tenantId}, 1 where ${isNeeded}
        on conflict (tenant_id) do update set tag = given.tag + 1
  `);
}

/** Everything that changes several deliveries locks them in this order, so none waits in a circle. */
export const LOCK_ORDER = sql`
  order by pass_id collate "C", device_id collate "C", pass_type_identifier collate "C", revision
`;

/**
 * Has a next push. Said by the state: otherwise a planner that does not know better looks for these in the
 * index of what is due, and reads every open delivery of the tenant.
 */
const OPEN = sql`state in ('queued', 'pushed', 'asked')`;

/**
 * Ends open deliveries of earlier revisions, of the wanted passes that have just got the tag. A pass may
 * have the last tag from an earlier transaction that told one device alone, and none was taken now: such
 * a pass is not a wanted one, so its other devices keep what is open. Looks at one pass
 * after the other. Rows that are locked stay in their place.
 */
function supersede(tx: TenantTx, passIds: readonly string[], only: Sql, isWanted: Sql): void {
  const places = sql`
    select place
      from (select pass_id as id, revision as newest
              from apple_pass
             where tenant_id = ${tx.tenantId} and pass_id = any(${passIds}::text[])
               and tag = (select tag from apple_tag where tenant_id = ${tx.tenantId})
               and ${isWanted}
             order by pass_id) as told,
           lateral (
             select apple_delivery.ctid as place
               from apple_delivery
              where tenant_id = ${tx.tenantId} and pass_id = told.id and revision < told.newest
                and ${OPEN} and ${only}
              ${LOCK_ORDER}
                for update) as open
  `;
  // By a statement of its own: the next one then sees where rows are that changed meanwhile.
  tx.defer(sql`select from (${places}) as locked`);
  tx.defer(sql`
    update apple_delivery set ${superseded(tx)} where ctid = any (array(${places}))
  `);
}

const superseded = (tx: TenantTx): Sql => sql`
  state = 'superseded', ended_at = ${tx.now}, next_push_at = null, claim = null, claimed_until = null
`;

/**
 * Ends open deliveries of these passes, before new ones are added. Mostly there are none, and whoever holds the
 * tag knows that none is added. Otherwise the passes are locked first, as by those who erase passes.
 */
export async function endAsSuperseded(tx: TenantTx, isWanted: Sql): Promise<void> {
  const isOpen = sql`tenant_id = ${tx.tenantId} and ${isWanted} and ${OPEN}`;
  // In an order, so that the planner takes the index of the passes.
  const { count } = await tx.one(sql<{ count: number }>`
    select count(*)::integer as count
      from (select from apple_delivery where ${isOpen} ${LOCK_ORDER}) as open
  `);
  if (count === 0) return;
  lockStates(tx, isWanted);
  lockOpen(tx, isWanted);
  tx.defer(sql`update apple_delivery set ${superseded(tx)} where ${isOpen}`);
}

/** Everything that locks several passes and waits for it does so in this order, and before deliveries. */
function lockStates(tx: TenantTx, isWanted: Sql): void {
  tx.defer(sql`
    select from apple_pass
     where tenant_id = ${tx.tenantId} and ${isWanted}
     order by pass_id
       for update
  `);
}

function lockOpen(tx: TenantTx, isWanted: Sql): void {
  tx.defer(sql`
    select from apple_delivery
     where tenant_id = ${tx.tenantId} and ${OPEN} and ${isWanted}
     ${LOCK_ORDER}
       for update
  `);
}

/** Lists these passes again for devices that ask, as if they had changed. */
export function raiseTags(tx: TenantTx, passIds: readonly string[]): void {
  takeTag(tx);
  tx.defer(sql`
    update apple_pass set tag = counter.tag
      from apple_tag as counter
     where counter.tenant_id = ${tx.tenantId} and apple_pass.tenant_id = ${tx.tenantId}
       and pass_id = any(${passIds}::text[])
  `);
}

/** Notes that the device asked which passes have changed, and got these. */
export async function noteAsked(
  tx: TenantTx,
  { deviceId, passTypeIdentifier }: DeviceKey,
  passIds: readonly string[],
  from: string,
): Promise<void> {
  const isWanted = sql`
    device_id = ${deviceId} and pass_type_identifier = ${passTypeIdentifier}
    and pass_id = any(${passIds}::text[])
  `;
  lockOpen(tx, isWanted);
  await tx.run(sql`
    update apple_delivery
       set state = 'asked', asked_at = ${tx.now}, asked_from = ${from}
     where tenant_id = ${tx.tenantId} and ${OPEN} and ${isWanted}
  `);
}

export type OpenDelivery = DeviceKey & {
  readonly revision: number;
  readonly state: string;
  readonly queuedAt: Date;
  readonly pushes: number;
  readonly askedFrom: string | null;
  /** How many devices are registered for the pass. */
  readonly devices: number;
};

/**
 * The device has been told, or will be, and has not fetched the pass. Deliveries that were given up
 * are among them: the device may come late.
 */
export const UNFETCHED = sql`state in ('queued', 'pushed', 'asked', 'failed')`;

/**
 * Deliveries of the pass that a fetch may end: the newest one of each device up to this revision, the
 * one that was asked for first at the top.
 */
export function listUnfetched(
  tx: TenantTx,
  passId: string,
  revision: number,
): Promise<OpenDelivery[]> {
  const isCandidate = sql`
    tenant_id = ${tx.tenantId} and pass_id = ${passId} and revision <= ${revision}
    and ${UNFETCHED}
  `;
  tx.defer(sql`select from apple_delivery where ${isCandidate} ${LOCK_ORDER} for update`);
  return tx.many(sql<OpenDelivery>`
    select device_id as "deviceId", pass_type_identifier as "passTypeIdentifier", revision, state,
           queued_at as "queuedAt", pushes, asked_from as "askedFrom",
           (select count(*)::int from apple_registration
             where tenant_id = ${tx.tenantId} and pass_id = ${passId}) as devices
      from apple_delivery as delivery
     where ${isCandidate}
       and exists (
             select from apple_registration as held
              where held.tenant_id = delivery.tenant_id and held.pass_id = delivery.pass_id
                and held.device_id = delivery.device_id
                and held.pass_type_identifier = delivery.pass_type_identifier)
       and not exists (
             select from apple_delivery as newer
              where newer.tenant_id = delivery.tenant_id and newer.pass_id = delivery.pass_id
                and newer.device_id = delivery.device_id
                and newer.pass_type_identifier = delivery.pass_type_identifier
                and newer.revision > delivery.revision and newer.revision <= ${revision})
     order by asked_at nulls last, queued_at
     limit 1000
  `);
}

export async function noteFetched(
  tx: TenantTx,
  passId: string,
  { deviceId, passTypeIdentifier, revision }: DeviceKey & { readonly revision: number },
): Promise<void> {
  await tx.run(sql`
    update apple_delivery
       set state = 'fetched', ended_at = ${tx.now}, next_push_at = null,
           claim = null, claimed_until = null
     where tenant_id = ${tx.tenantId} and pass_id = ${passId} and device_id = ${deviceId}
       and pass_type_identifier = ${passTypeIdentifier} and revision = ${revision}
  `);
}

/** Nothing is open for a device that is not registered for the pass. */
const passesOf = (tx: TenantTx, { deviceId, passTypeIdentifier }: DeviceKey): Sql => sql`
  array(select held.pass_id from apple_registration as held
         where held.tenant_id = ${tx.tenantId} and held.device_id = ${deviceId}
           and held.pass_type_identifier = ${passTypeIdentifier})
`;

/** Ends what is open for a device: of one pass, or of all. */
export async function endAsGone(
  tx: TenantTx,
  { deviceId, passTypeIdentifier }: DeviceKey,
  passId: string | undefined,
  reason: string,
): Promise<void> {
  const passIds =
    passId === undefined
      ? passesOf(tx, { deviceId, passTypeIdentifier })
      : sql`${[passId]}::text[]`;
  const isWanted = sql`
    device_id = ${deviceId} and pass_type_identifier = ${passTypeIdentifier}
    and pass_id = any(${passIds})
  `;
  lockOpen(tx, isWanted);
  await tx.run(sql`
    update apple_delivery
       set state = 'gone', ended_at = ${tx.now}, next_push_at = null, last_reason = ${reason},
           claim = null, claimed_until = null
     where tenant_id = ${tx.tenantId} and ${OPEN} and ${isWanted}
  `);
}

/** A device with another token is told at once what it was told under the old one. */
export async function pushAgainNow(
  tx: TenantTx,
  { deviceId, passTypeIdentifier }: DeviceKey,
): Promise<void> {
  const isWanted = sql`
    device_id = ${deviceId} and pass_type_identifier = ${passTypeIdentifier}
    and pass_id = any(${passesOf(tx, { deviceId, passTypeIdentifier })})
  `;
  lockOpen(tx, isWanted);
  await tx.run(sql`
    update apple_delivery set next_push_at = ${tx.now}, claim = null, claimed_until = null
     where tenant_id = ${tx.tenantId} and ${OPEN} and ${isWanted}
  `);
}

export async function listRegisteredAmong(
  tx: TenantTx,
  passIds: readonly string[],
): Promise<string[]> {
  const rows = await tx.many(sql<{ id: string }>`
    select distinct pass_id as id from apple_registration
     where tenant_id = ${tx.tenantId} and pass_id = any(${passIds}::text[])
  `);
  return rows.map(({ id }) => id);
}

export async function hasRegistrations(tx: TenantTx): Promise<boolean> {
  const rows = await tx.many(sql`
    select from apple_registration where tenant_id = ${tx.tenantId} limit 1
  `);
  return rows.length > 0;
}

/**
 * First the passes: that waits for whoever is telling their devices, and the deliveries which it adds
 * are then seen by the last statement.
 */
export async function deletePassStates(tx: TenantTx, passIds: readonly string[]): Promise<void> {
  const isWanted = sql`tenant_id = ${tx.tenantId} and pass_id = any(${passIds}::text[])`;
  lockStates(tx, isWanted);
  tx.defer(sql`delete from apple_pass where ${isWanted}`);
  tx.defer(sql`select from apple_delivery where ${isWanted} ${LOCK_ORDER} for update`);
  await tx.run(sql`delete from apple_delivery where ${isWanted}`);
}

/** Deletes ended deliveries of all tenants. Returns how many. */
export function deleteEnded(tx: TenantTx, before: Date, count: number): Promise<number> {
  return tx.run(sql`
    delete from apple_delivery
     where ctid = any (array(
       select ctid from apple_delivery where ended_at < ${before}
        limit ${count} for update skip locked))
  `);
}
