import type { Action } from "../kit/action.ts";

/** What became of one action, as the inbox shows it. Ids only: a person may be erased later. */
export type ActionOutcome = {
  readonly do: Action["do"];
  readonly outcome: string;
  readonly passId?: string | undefined;
  readonly customerId?: string | undefined;
  readonly movementId?: string | undefined;
  readonly scanId?: string | undefined;
  readonly receiptId?: string | undefined;
  /** What the value was moved by. */
  readonly value?: string | undefined;
  /** For people, where the outcome alone does not tell enough. */
  readonly note?: string | undefined;
};

/** Ends the work on a delivery without any effect; it is tried again when others have come. */
export class NotYet extends Error {}

/** Ends the work on a delivery without any effect: nothing shall happen any more. */
export class PassedOver extends Error {}

/** Passed over because it is older than the erasure of whom it is about: its content must not stay. */
export class PassedOverErased extends PassedOver {
  constructor() {
    super("It is older than the erasure of whom it is about.");
  }
}
