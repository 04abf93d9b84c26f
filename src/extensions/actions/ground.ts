import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { PassTypes } from "#src/passes/public.ts";
import type { ReceiptDesk } from "#src/receipts/public.ts";

/** The delivery whose actions are applied. */
export type ActionGround = {
  readonly context: TenantContext;
  readonly tx: TenantTx;
  readonly types: PassTypes;
  readonly desk: ReceiptDesk;
  readonly connector: string;
  readonly occurredAt: Date;
  /** What it brings news of, which is not gone then. Undefined if it only says what happened. */
  readonly newsSubject: string | undefined;
  /** Whom the actions have found not to be erased: that must still be so when all are applied. */
  readonly found: { readonly subjects: readonly string[]; readonly at: Date | null }[];
  /** Shows a sentence beside the connector. */
  showNotice(text: string): void;
};
