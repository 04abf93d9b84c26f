import { listen } from "#kernel/events/listen.ts";
import { customerDeleted } from "#src/customers/public.ts";
import { finishErasure } from "./receipt.jobs.ts";
import { deleteReceiptsOfCustomers } from "./receipt.repository.ts";

/** Receipts that were being recorded are there already: the erasure waited for them. */
export const eraseReceiptsOfErased = listen(customerDeleted, async (tx, events) => {
  const customerIds = events.map(({ data }) => data.customerId);
  await finishErasure(tx, await deleteReceiptsOfCustomers(tx, customerIds));
});
