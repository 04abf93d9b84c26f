/**
 * What callers of the API know: every write that they sent, and its answer. Each write has a mark,
 * which its event contains too, and a request id, which its audit row contains too.
 */

export type WriteKind = "create" | "update" | "delete" | "publish";

/** `unknown`: the connection broke before an answer, so the write may or may not have been made. */
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
  /** The version in the answer to a publication. */
  version?: number;
};

export class WriteJournal {
  readonly writes: Write[] = [];
  /** Answers that no fault can explain. */
  readonly surprises: string[] = [];

  begin(write: Omit<Write, "outcome">): Write {
    const begun: Write = { ...write, outcome: "unknown" };
    this.writes.push(begun);
    return begun;
  }

  count(outcome: Outcome): number {
    return this.writes.filter((write) => write.outcome === outcome).length;
  }

  /** Unanswered writes with an Idempotency-Key, which a careful caller sends again. */
  unansweredCreates(): Write[] {
    return this.writes.filter(
      ({ idempotencyKey, outcome }) => idempotencyKey !== undefined && outcome === "unknown",
    );
  }
}

/** Events contain no request id, but the data of each of these events is unique. */
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
