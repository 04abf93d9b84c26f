/**
 * What the callers of the API know: every write they sent and what they were told about it. Each
 * write bears a mark that its event carries too, and a request id that its audit row carries.
 */

export type WriteKind = "create" | "update" | "delete" | "publish";

/** `unknown`: the connection broke before an answer, so it may have happened or not. */
export type Outcome = "acknowledged" | "unknown" | "refused";

export type Write = {
  readonly kind: WriteKind;
  readonly tenantId: string;
  /** What is written: the name of a key, or the id of a tenant. */
  readonly target: string;
  readonly mark: string;
  readonly requestId: string;
  readonly body: unknown;
  readonly idempotencyKey?: string;
  outcome: Outcome;
  /** Of a published tenant, as answered. */
  version?: number;
};

export class WriteJournal {
  readonly writes: Write[] = [];
  /** Answers that no fault excuses. */
  readonly surprises: string[] = [];

  begin(write: Omit<Write, "outcome">): Write {
    const begun: Write = { ...write, outcome: "unknown" };
    this.writes.push(begun);
    return begun;
  }

  count(outcome: Outcome): number {
    return this.writes.filter((write) => write.outcome === outcome).length;
  }

  /** Sent with an Idempotency-Key and never answered: a careful caller sends these again. */
  unansweredCreates(): Write[] {
    return this.writes.filter(
      ({ idempotencyKey, outcome }) => idempotencyKey !== undefined && outcome === "unknown",
    );
  }
}

/** Events know no request id, but each of these is unique by what it says. */
export function markOfEvent(name: string, data: Record<string, unknown>): string {
  switch (name) {
    case "api-key.created":
      return `create ${data.name}`;
    case "api-key.updated":
      return `update ${data.name} ${data.expiresAt}`;
    case "api-key.deleted":
      return `delete ${data.name}`;
    default:
      return `publish ${data.message}`;
  }
}
