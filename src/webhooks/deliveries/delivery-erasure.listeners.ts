import { listenToErasures } from "#kernel/events/listen.ts";
import { hintDeliveries } from "./delivery.signal.ts";
import { eraseAnswers } from "./delivery-erasure.repository.ts";

/**
 * Runs in the transaction that erases the customer, pass or receipt. The deliveries of the event
 * about the erasure are among them: an endpoint may still answer with a name that it remembers.
 */
export const eraseOnErasure = listenToErasures(async (tx, subjects) => {
  // A worker passes over what is locked or has just changed, and is not to wait for the next sweep.
  hintDeliveries(tx, tx.tenantId, await eraseAnswers(tx, subjects));
});
