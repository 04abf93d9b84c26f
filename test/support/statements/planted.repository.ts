import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

/** Mistakes that the test of the statements must find, and one statement in which there is none. */

type Known = { readonly id: string; readonly passType: string };

export function listRight(tx: TenantTx): Promise<Known[]> {
  return tx.many(sql<Known>`select id, pass_type as "passType" from pass`);
}

export function listMisspelled(tx: TenantTx): Promise<Known[]> {
  return tx.many(sql<Known>`select id, pas_type as "passType" from pass`);
}

export function listIncomplete(tx: TenantTx): Promise<Known[]> {
  return tx.many(sql<Known>`select id from pass`);
}

export function listTooMuch(tx: TenantTx): Promise<Known[]> {
  return tx.many(sql<Known>`select id, pass_type as "passType", secret from pass`);
}

type Wrong = { readonly id: string; readonly nickname: string };

export function listUnknown(tx: TenantTx): Promise<Wrong[]> {
  return tx.many(sql<Wrong>`select id, pass_type as "passType" from pass where status = 'active'`);
}

export function countAsNumber(tx: TenantTx): Promise<{ total: number }[]> {
  return tx.many(sql<{ total: number }>`select count(*) as total from pass`);
}
