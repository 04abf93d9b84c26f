import { type Decimal, showDecimal } from "#kernel/decimal.ts";
import { defineError } from "#kernel/errors.ts";

// Also thrown for a receipt of another tenant: nobody can tell the two cases apart.
export const receiptNotFound = defineError({
  code: "receipt.not-found",
  status: 404,
  title: "Receipt not found",
  detail: ({ receiptId }: { receiptId: string }) => `This tenant has no receipt '${receiptId}'.`,
});

type Taken = {
  readonly receiptId: string;
  /** What has the number already. */
  readonly what: "receipt" | "refund";
};

export const receiptReferenceTaken = defineError<Taken>({
  code: "receipt.reference-taken",
  status: 409,
  title: "Reference is taken",
  detail: ({ receiptId, what }) =>
    what === "receipt"
      ? `Receipt '${receiptId}' has this source and reference, and says something else.`
      : `A refund of receipt '${receiptId}' has this reference, and another amount.`,
  members: ({ receiptId }) => ({ receiptId }),
});

type TooLarge = { readonly receiptId: string; readonly left: Decimal };

export const receiptRefundTooLarge = defineError<TooLarge>({
  code: "receipt.refund-too-large",
  status: 409,
  title: "Refund is too large",
  detail: ({ left }) => `Only ${left} of this receipt are left to give back.`,
  members: ({ receiptId, left }) => ({ receiptId, left: showDecimal(left) }),
});

export const receiptTooManyRefunds = defineError<{ readonly most: number }>({
  code: "receipt.too-many-refunds",
  status: 409,
  title: "Too many refunds",
  detail: ({ most }) => `A receipt has at most ${most} refunds.`,
});
