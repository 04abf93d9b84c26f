import type { Decimal } from "#kernel/decimal.ts";
import type { CustomerUpdate, Identifiers } from "#src/customers/public.ts";
import type { PassWish } from "#src/passes/public.ts";
import type { Sale } from "./earning.ts";

/** Which pass is meant: the only one that has all these identifiers. */
export type PassReference = {
  readonly identifiers: Identifiers;
  readonly passType?: string | undefined;
};

/** A customer with one of the identifiers is changed; without one, a customer is created. */
export type CustomerAction = {
  readonly do: "customer";
  readonly identifiers: Identifiers;
  /** What is sent replaces what is known, and null clears it. */
  readonly change: Omit<CustomerUpdate, "identifiers">;
  /** A customer that is there already stays as it is. */
  readonly onlyIfMissing?: boolean;
};

export type PassAction = {
  readonly do: "pass";
  readonly wish: PassWish;
  /** The type of passes that texts of `additionalData` are fitted to, such as `"12"` to a number. */
  readonly fitsTo?: string | undefined;
  /** With a key it happens once in two weeks: for wishes that do more than to say how the pass shall be. */
  readonly key?: string;
  /** A pass that is there already stays as it is. */
  readonly onlyIfMissing?: boolean;
  /** The delivery waits as long as there is no such pass. */
  readonly waits?: boolean;
};

/** Moves the value of a privilege, once for each key. */
export type MovementAction = {
  readonly do: "movement";
  /** The vendor's own name for what happened, such as `order:1001`. */
  readonly key: string;
  readonly pass: PassReference;
  readonly privilege: string;
  /** Signed. Zero moves nothing, and is remembered. */
  readonly value: Decimal;
  /** The money that it is given for, by which refunds find out what they take back. */
  readonly sale?: Sale | undefined;
  readonly reason?: string | undefined;
  readonly occurredAt?: Date | undefined;
};

/**
 * Takes back what the movement `of` gave, wholly or in part, once for each key; all together never
 * more than it gave. Waits as long as there is no such movement.
 */
export type ReversalAction = {
  readonly do: "reversal";
  readonly key: string;
  readonly of: string;
  /**
   * The money that went back; all that is left of the movement is taken back if it is missing. Its
   * rate is that of today, and counts only for movements whose own was not kept.
   */
  readonly refunded?: Sale | undefined;
  readonly reason?: string | undefined;
};

/** Records a scan of the pass, once for each key. Waits as long as there is no such pass. */
export type CheckInAction = {
  readonly do: "check-in";
  readonly key: string;
  readonly pass: PassReference;
  readonly location?: string | undefined;
  readonly at?: Date | undefined;
};

/** A ticket that is valid, as the vendor tells of it. */
export type Ticket = {
  /** The vendor's own id of it. */
  readonly key: string;
  /** Further identifiers of its pass. */
  readonly identifiers?: Identifiers;
  readonly additionalData: PassWish["additionalData"];
  readonly expirationDate?: PassWish["expirationDate"];
  /** All that the vendor knows of; each is recorded once. */
  readonly checkIns?: readonly TicketCheckIn[];
};

export type TicketCheckIn = Pick<CheckInAction, "key" | "location" | "at">;

/**
 * Brings the passes of tickets to what the vendor tells of them. One that cannot be brought there is
 * told of, and keeps no other from it; then the delivery counts as failed. Those of erased people are
 * left out.
 */
export type TicketsAction = {
  readonly do: "tickets";
  readonly passType: string;
  /** The identifier of passes that is the key of their ticket, without the name of the connector. */
  readonly identifier: string;
  /** What they were sold as, such as an order. */
  readonly soldAs: string;
  /** All that are valid. Passes of others that were sold as the same are disabled. */
  readonly valid: readonly Ticket[];
};

/** Keeps a transaction as a receipt, once for each key. */
export type ReceiptAction = {
  readonly do: "receipt";
  readonly key: string;
  readonly pass?: PassReference | undefined;
  readonly receipt: ReceiptContent;
};

export type ReceiptContent = {
  /** As people know it, such as `#1001`. */
  readonly number: string;
  readonly issuedAt: Date;
  /** ISO 4217. */
  readonly currency: string;
  readonly total: Decimal;
  readonly tax?: Decimal | undefined;
  readonly lines: readonly {
    readonly name: string;
    readonly quantity: Decimal;
    /** Of one, before discounts. */
    readonly price: Decimal;
    /** Of all of them, after discounts. */
    readonly total: Decimal;
  }[];
};

/**
 * Notes on the receipt `of` that money went back, once for each key. Nothing happens without such a
 * receipt, and nothing beyond what was paid.
 */
export type RefundAction = {
  readonly do: "refund";
  readonly key: string;
  /** The key of the receipt. */
  readonly of: string;
  /** Without a sign. */
  readonly amount: Decimal;
  readonly currency?: string | undefined;
  /** The delivery waits as long as there is no such receipt. */
  readonly waits?: boolean;
  readonly reason?: string | undefined;
  readonly at?: Date | undefined;
};

/** Has a part of what the vendor has looked through once more, known or not, such as all orders of an event. */
export type LookAgainAction = { readonly do: "look-again"; readonly part: string };

/** Erases the customer with these identifiers, and their passes. */
export type EraseAction = { readonly do: "erase"; readonly identifiers: Identifiers };

/** Shows a sentence beside the connector until its settings are saved again. */
export type NoticeAction = { readonly do: "notice"; readonly text: string };

/**
 * What a delivery may ask for. All actions of a delivery are one transaction, and lock what they are
 * about in their order: a plan names its customer before its pass, and one of each. The passes of
 * tickets are locked together.
 */
export type Action =
  | CustomerAction
  | PassAction
  | MovementAction
  | ReversalAction
  | CheckInAction
  | TicketsAction
  | ReceiptAction
  | RefundAction
  | LookAgainAction
  | EraseAction
  | NoticeAction;
