import { listen } from "#kernel/events/listen.ts";
import { customerDeleted } from "#src/customers/public.ts";
import { passDeleted } from "#src/passes/public.ts";
import { eraseAnswers } from "./delivery-erasure.repository.ts";

/** Runs in the transaction that erases the customer or pass. */
export const eraseOnErasure = listen([customerDeleted, passDeleted], (tx, events) =>
  eraseAnswers(
    tx,
    events.flatMap(({ subject }) => subject ?? []),
  ),
);
