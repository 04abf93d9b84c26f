import type { TenantTx } from "#kernel/db/transaction.ts";
import { deleteTickets } from "../actions/action-ticket.repository.ts";
import type { Connector } from "../kit/connector.ts";
import { deletePlaces } from "./catch-up.repository.ts";

/**
 * In the transaction that publishes other settings, or none: how far the vendor was looked through is
 * forgotten, and its tickets lead to no pass any more. Whom an erasure took stays away.
 */
export function leaveAccount(tx: TenantTx, { name, account }: Connector): void {
  deletePlaces(tx, name);
  // Ids that are unique in the whole world are the same when the connector comes back.
  if (account !== undefined) deleteTickets(tx, name);
}
