/**
 * One audit entry. The caller, the time, the address and the operation come from the transaction.
 */
export type AuditEntry = {
  /** The record that was changed, such as `api-key:till-7`. */
  readonly target: string;
  /**
   * The id of the customer or pass that the change concerns; the entry is erased together with it.
   */
  readonly subject?: string;
  /** The record as it is shown to callers, never the row itself, which may hold secrets. */
  readonly before?: unknown;
  readonly after?: unknown;
};
