import type { Listener } from "#kernel/module.ts";
import { eraseAnswers } from "./delivery-erasure.repository.ts";

function eraseOn(events: string): Listener {
  return {
    events,
    hear: (tx, heard) =>
      eraseAnswers(
        tx,
        heard.flatMap(({ subject }) => subject ?? []),
      ),
  };
}

/** In the transaction that erases the person. */
export const eraseOnErasure: readonly Listener[] = ["customer.deleted", "pass.deleted"].map(
  eraseOn,
);
