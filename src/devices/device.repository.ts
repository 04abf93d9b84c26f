import type { TenantContext } from "#kernel/context.ts";
import { defineRecord } from "#kernel/db/record.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import type { DeviceUse } from "#src/api-keys/public.ts";
import { DEVICE_MEMBERS, type Device, type DeviceFields, presentDevice } from "./device.schema.ts";

const record = defineRecord<Device, typeof DEVICE_MEMBERS>(DEVICE_MEMBERS);

export const DEVICE_LIST: ListSpec = {
  fields: {
    deviceId: { sql: "id", type: "id", nullable: false },
    name: { sql: "name", type: "text", nullable: false },
    status: { sql: "status", type: "text", nullable: false, values: ["registered", "connected"] },
    lastSeenAt: { sql: "last_seen_at", type: "timestamp" },
    createdAt: { sql: "created_at", type: "timestamp", nullable: false },
    updatedAt: { sql: "updated_at", type: "timestamp", nullable: false },
  },
  id: "deviceId",
  paging: "when-asked",
};

export function listDevices(context: TenantContext, input: ListInput): Promise<Answer> {
  return listPage(
    context,
    {
      columns: record.columns,
      from: sql`device`,
      where: sql`tenant_id = ${context.tenantId}`,
      spec: DEVICE_LIST,
      present: presentDevice,
    },
    input,
  );
}

export async function findDevice(context: TenantContext, id: string): Promise<Device | undefined> {
  const rows = await context.read(sql<Device>`
    select ${record.columns} from device where tenant_id = ${context.tenantId} and id = ${id}
  `);
  return rows[0];
}

export function findDeviceForUpdate(tx: TenantTx, id: string): Promise<Device | undefined> {
  return tx.maybeOne(sql<Device>`
    select ${record.columns}
      from device
     where tenant_id = ${tx.tenantId} and id = ${id}
       for update
  `);
}

/**
 * Serialises changes of the number of devices: a count after this call stays correct until the
 * transaction ends.
 */
export async function lockDevices(tx: TenantTx): Promise<void> {
  await tx.run(sql`
    select pg_advisory_xact_lock(hashtextextended(${`device ${tx.tenantId}`}, 0))
  `);
}

export async function countDevices(tx: TenantTx): Promise<number> {
  const { total } = await tx.one(sql<{ total: number }>`
    select count(*)::int as total from device where tenant_id = ${tx.tenantId}
  `);
  return total;
}

export function insertDevice(tx: TenantTx, id: string, fields: DeviceFields): Promise<Device> {
  const row = { ...fields, id, createdAt: tx.now, updatedAt: tx.now };
  return tx.one(sql<Device>`
    insert into device (tenant_id, ${record.insertColumns})
    values (${tx.tenantId}, ${record.insertValues(row)})
    returning ${record.columns}
  `);
}

/** `findDeviceForUpdate` must have locked the row, here and in the statements below. */
export function updateDevice(tx: TenantTx, id: string, fields: DeviceFields): Promise<Device> {
  return tx.one(sql<Device>`
    update device
       set ${record.assignments(fields)}, updated_at = ${tx.now}, version = version + 1
     where tenant_id = ${tx.tenantId} and id = ${id}
    returning ${record.columns}
  `);
}

export function updateConnected(tx: TenantTx, id: string): Promise<Device> {
  return tx.one(sql<Device>`
    update device
       set status = 'connected', updated_at = ${tx.now}, version = version + 1
     where tenant_id = ${tx.tenantId} and id = ${id}
    returning ${record.columns}
  `);
}

export async function deleteDevice(tx: TenantTx, id: string): Promise<void> {
  await tx.run(sql`delete from device where tenant_id = ${tx.tenantId} and id = ${id}`);
}

/** Also deletes their pairing codes. */
export async function deleteAllDevices(tx: TenantTx): Promise<void> {
  await tx.run(sql`delete from device where tenant_id = ${tx.tenantId}`);
}

/**
 * Devices of all tenants, in one statement. Only moves times forward. Locks the rows in one order,
 * so that two nodes that saw the same devices do not deadlock.
 */
export async function updateLastSeen(tx: TenantTx, uses: readonly DeviceUse[]): Promise<void> {
  await tx.run(sql`
    with seen as (
      select device.tenant_id, device.id, used.at
        from unnest(${uses.map((use) => use.tenantId)}::text[],
                    ${uses.map((use) => use.deviceId)}::text[],
                    ${uses.map((use) => use.at)}::timestamptz[]) as used (tenant_id, id, at)
        join device using (tenant_id, id)
       where device.last_seen_at is null or device.last_seen_at < used.at
       order by device.tenant_id, device.id
         for update of device
    )
    update device
       set last_seen_at = seen.at
      from seen
     where device.tenant_id = seen.tenant_id
       and device.id = seen.id
  `);
}
