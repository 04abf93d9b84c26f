import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

/** Who enrols, for passes of a type. */
export type PersonKey = { readonly passType: string; readonly person: Buffer };

export type Entry = {
  readonly attempt: Buffer;
  readonly passId: string;
  readonly createdAt: Date;
};

/**
 * Returns false if the person has an entry. Waits for a transaction that is making it, so that of two
 * requests at once one is the first.
 */
export async function insertEntry(
  tx: TenantTx,
  { passType, person }: PersonKey,
  attempt: Buffer,
): Promise<boolean> {
  const count = await tx.run(sql`
    insert into enrolment (tenant_id, pass_type, person, attempt, pass_id, created_at)
    values (${tx.tenantId}, ${passType}, ${person}, ${attempt}, '', ${tx.now})
        on conflict do nothing
  `);
  return count === 1;
}

/** Names the pass of an entry that this transaction made. */
export function updatePassOfEntry(
  tx: TenantTx,
  { passType, person }: PersonKey,
  passId: string,
): void {
  tx.defer(sql`
    update enrolment
       set pass_id = ${passId}
     where tenant_id = ${tx.tenantId} and pass_type = ${passType} and person = ${person}
  `);
}

export function findEntry(
  tx: TenantTx,
  { passType, person }: PersonKey,
): Promise<Entry | undefined> {
  return tx.maybeOne(sql<Entry>`
    select attempt, pass_id as "passId", created_at as "createdAt"
      from enrolment
     where tenant_id = ${tx.tenantId} and pass_type = ${passType} and person = ${person}
  `);
}

/** Undefined unless the entry was made by the form with this secret, after that time. */
export async function findPassOfForm(
  context: TenantContext,
  { passType, person }: PersonKey,
  attempt: Buffer,
  since: Date,
): Promise<string | undefined> {
  const rows = await context.read(sql<{ passId: string }>`
    select pass_id as "passId"
      from enrolment
     where tenant_id = ${context.tenantId}
       and pass_type = ${passType}
       and person = ${person}
       and attempt = ${attempt}
       and created_at > ${since}
  `);
  return rows[0]?.passId;
}

export function deleteEntriesOf(tx: TenantTx, passIds: readonly string[]): void {
  tx.defer(sql`
    delete from enrolment
     where tenant_id = ${tx.tenantId} and pass_id = any(${passIds}::text[])
  `);
}
