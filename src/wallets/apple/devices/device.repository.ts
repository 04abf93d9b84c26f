import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { DeviceKey } from "./device.key.ts";

/**
 * Whoever changes the registrations of a pass takes this lock first, before that of the pass itself.
 * Otherwise two devices that register at once would not count each other.
 */
export function lockRegistrations(tx: TenantTx, passId: string): void {
  const name = `apple.registrations ${tx.tenantId} ${passId}`;
  tx.defer(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
}

export type Registered = {
  readonly isRegistered: boolean;
  /** Null if there is none, or Apple called it wrong. */
  readonly pushToken: string | null;
  /** How many devices are registered for the pass. */
  readonly devices: number;
  /** How many passes the device is registered for. */
  readonly passes: number;
};

export function getRegistered(
  tx: TenantTx,
  passId: string,
  { deviceId, passTypeIdentifier }: DeviceKey,
): Promise<Registered> {
  return tx.one(sql<Registered>`
    select exists (
             select from apple_registration
              where tenant_id = ${tx.tenantId} and pass_id = ${passId}
                and device_id = ${deviceId} and pass_type_identifier = ${passTypeIdentifier}
           ) as "isRegistered",
           (select push_token from apple_device
             where tenant_id = ${tx.tenantId} and device_id = ${deviceId}
               and pass_type_identifier = ${passTypeIdentifier}) as "pushToken",
           (select count(*)::int from apple_registration
             where tenant_id = ${tx.tenantId} and pass_id = ${passId}) as devices,
           (select count(*)::int from apple_registration
             where tenant_id = ${tx.tenantId} and device_id = ${deviceId}
               and pass_type_identifier = ${passTypeIdentifier}) as passes
  `);
}

/** The time of the token counts from now on, even if the device sends the same one again. */
export async function upsertDevice(
  tx: TenantTx,
  { deviceId, passTypeIdentifier }: DeviceKey,
  pushToken: string,
): Promise<void> {
  await tx.run(sql`
    insert into apple_device (tenant_id, device_id, pass_type_identifier, push_token, token_at)
    values (${tx.tenantId}, ${deviceId}, ${passTypeIdentifier}, ${pushToken}, ${tx.now})
        on conflict (tenant_id, device_id, pass_type_identifier)
        do update set push_token = excluded.push_token, token_at = excluded.token_at,
                      pushed_at = case when apple_device.push_token = excluded.push_token
                                       then apple_device.pushed_at end
  `);
}

export async function insertRegistration(
  tx: TenantTx,
  passId: string,
  { deviceId, passTypeIdentifier }: DeviceKey,
): Promise<void> {
  await tx.run(sql`
    insert into apple_registration (tenant_id, pass_id, device_id, pass_type_identifier, registered_at)
    values (${tx.tenantId}, ${passId}, ${deviceId}, ${passTypeIdentifier}, ${tx.now})
        on conflict do nothing
  `);
}

/** Also forgets the device if this was its last pass. */
export async function deleteRegistration(
  tx: TenantTx,
  passId: string,
  { deviceId, passTypeIdentifier }: DeviceKey,
): Promise<void> {
  await tx.run(sql`
    delete from apple_registration
     where tenant_id = ${tx.tenantId} and pass_id = ${passId}
       and device_id = ${deviceId} and pass_type_identifier = ${passTypeIdentifier}
  `);
  await deleteUnregistered(tx, [{ deviceId, passTypeIdentifier }]);
}

/**
 * Forgets those of these devices that are registered for no pass. They are locked by a statement of
 * their own. So the next one begins after a registration that was under way, and sees it.
 */
async function deleteUnregistered(tx: TenantTx, keys: readonly DeviceKey[]): Promise<void> {
  const wanted = sql`
    select "deviceId" as device_id, "passTypeIdentifier" as pass_type_identifier
      from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb)
           as wanted ("deviceId" text, "passTypeIdentifier" text)
  `;
  const isWanted = sql`
    tenant_id = ${tx.tenantId} and (device_id, pass_type_identifier) in (${wanted})
  `;
  tx.defer(sql`
    select from apple_device
     where ${isWanted}
     order by device_id, pass_type_identifier
       for update
  `);
  await tx.run(sql`
    delete from apple_device as device
     where ${isWanted}
       and not exists (
             select from apple_registration as other
              where other.tenant_id = device.tenant_id and other.device_id = device.device_id
                and other.pass_type_identifier = device.pass_type_identifier)
  `);
}

/** A token that Apple no longer knows since a time. */
export type TokenGone = { readonly pushToken: string; readonly goneAt: Date };

/** The passes that the device is registered for, unless it sent another token, or this one again. */
export async function listPassesOfDevice(
  context: TenantContext,
  { deviceId, passTypeIdentifier }: DeviceKey,
  { pushToken, goneAt }: TokenGone,
): Promise<string[]> {
  const rows = await context.read(sql<{ id: string }>`
    select registration.pass_id as id
      from apple_registration as registration
      join apple_device as device using (tenant_id, device_id, pass_type_identifier)
     where tenant_id = ${context.tenantId} and device_id = ${deviceId}
       and pass_type_identifier = ${passTypeIdentifier}
       and device.token_at <= ${goneAt} and device.push_token = ${pushToken}
     order by registration.pass_id
  `);
  return rows.map(({ id }) => id);
}

/** True if the device has sent neither this token again since then, nor another one. */
export async function isTokenGone(
  tx: TenantTx,
  { deviceId, passTypeIdentifier }: DeviceKey,
  { pushToken, goneAt }: TokenGone,
): Promise<boolean> {
  const rows = await tx.many(sql`
    select from apple_device
     where tenant_id = ${tx.tenantId} and device_id = ${deviceId}
       and pass_type_identifier = ${passTypeIdentifier}
       and token_at <= ${goneAt} and push_token = ${pushToken}
  `);
  return rows.length > 0;
}

/** Only this token: the device may have sent another one meanwhile, and then this returns 0. */
export function dropToken(
  tx: TenantTx,
  { deviceId, passTypeIdentifier }: DeviceKey,
  pushToken: string,
): Promise<number> {
  return tx.run(sql`
    update apple_device set push_token = null
     where tenant_id = ${tx.tenantId} and device_id = ${deviceId}
       and pass_type_identifier = ${passTypeIdentifier} and push_token = ${pushToken}
  `);
}

export type UpdatablePass = { readonly passId: string; readonly tag: string };

/**
 * Passes of the device with a later tag, in the order of their tags. One statement sees one moment.
 * After the database was restored from a copy, a device may know a tag that was not given out yet:
 * it gets the full list, or it would hear of no change until the tags have come so far again.
 */
export function listUpdatable(
  tx: TenantTx,
  { deviceId, passTypeIdentifier }: DeviceKey,
  since: string,
): Promise<UpdatablePass[]> {
  return tx.many(sql<UpdatablePass>`
    select pass_id as "passId", state.tag::text as tag
      from apple_registration
      join apple_pass as state using (tenant_id, pass_id)
     where tenant_id = ${tx.tenantId} and device_id = ${deviceId}
       and pass_type_identifier = ${passTypeIdentifier}
       and (state.tag > ${since}::bigint
            or ${since}::bigint > (select tag from apple_tag where tenant_id = ${tx.tenantId}))
     order by state.tag, pass_id
  `);
}

/** Deletes everything about erased passes. */
export async function deletePassesOfDevices(
  tx: TenantTx,
  passIds: readonly string[],
): Promise<void> {
  const gone = await tx.many(sql<DeviceKey>`
    delete from apple_registration
     where tenant_id = ${tx.tenantId} and pass_id = any(${passIds}::text[])
    returning device_id as "deviceId", pass_type_identifier as "passTypeIdentifier"
  `);
  if (gone.length > 0) await deleteUnregistered(tx, gone);
}
