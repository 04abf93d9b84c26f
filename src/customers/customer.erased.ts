import type { TenantTx } from "#kernel/db/transaction.ts";
import type { Customer } from "./customer.schema.ts";

/** Who the customers were that a transaction erases. */
const erasedBy = new WeakMap<TenantTx, Customer[]>();

export function noteErased(tx: TenantTx, customer: Customer): void {
  erasedBy.set(tx, [...erasedCustomers(tx), customer]);
}

/**
 * The customers that this transaction has erased, as they were. For listeners that erase what others
 * know about them: the event itself must tell nothing of them.
 */
export function erasedCustomers(tx: TenantTx): readonly Customer[] {
  return erasedBy.get(tx) ?? [];
}
