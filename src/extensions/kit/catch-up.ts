import type { TenantContext } from "#kernel/context.ts";

/** Something that changed at the vendor: it is worked on as if the vendor had told of it. */
export type Changed = {
  /** The same for the same change: it is worked on once. */
  readonly dedupeKey: string;
  readonly topic: string;
  /** As deliveries about the same name it. */
  readonly subject: string;
  /** When it changed last. It is left out where that is known already. */
  readonly occurredAt: Date;
  /** What `plan` gets as the JSON of the delivery. */
  readonly body: Readonly<Record<string, unknown>>;
};

export type ChangedPage = {
  readonly changed: readonly Changed[];
  readonly hasMore: boolean;
  /** From where to look the next time, in the vendor's words. That of the first page counts. */
  readonly nextSince: string;
};

export type PageWish = {
  readonly part: string;
  /**
   * As an earlier page gave it, or when the last one seen changed, which may then come again; undefined
   * for all that there is.
   */
  readonly since: string | undefined;
  /** Counted from 1. Further ones are asked for where a whole page is of the same moment. */
  readonly page: number;
};

/** How a vendor is asked what changed. No transaction is open then. */
export type CatchUp<Connected> = {
  /** What is looked through one by one, each from a place of its own, such as events. */
  parts(
    context: TenantContext,
    connection: Connected,
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  /** The ones that changed first come first. */
  page(
    context: TenantContext,
    connection: Connected,
    wish: PageWish,
    signal: AbortSignal,
  ): Promise<ChangedPage>;
};
