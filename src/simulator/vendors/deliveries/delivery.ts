/** One try to deliver, as the vendor's own log would show it. */
export type Attempt = {
  readonly at: string;
  /** What was sent besides the body; keys are not shown. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null if no answer came. */
  readonly status: number | null;
  readonly failure: "timeout" | "connection" | "cut" | "out-of-reach" | null;
  readonly durationMs: number;
  readonly answer: string;
  /** What the receiver said of when to try again, in its own words. */
  readonly retryAfter: string | null;
  /** How the vendor misbehaved in this one. */
  readonly fault: DeliveryFaultKind | null;
};

/** Something that a vendor tells a receiver, until it got through or the vendor gave up. */
export type Delivery = {
  readonly id: string;
  readonly account: string;
  readonly subscription: string;
  readonly topic: string;
  readonly url: string;
  /** The text that is signed and sent; the same in all attempts. */
  readonly body: string;
  /** What the vendor needs to write the headers, such as the id of the event. */
  readonly facts: Readonly<Record<string, string>>;
  readonly createdAt: string;
  readonly attempts: Attempt[];
  /** Held back until others overtook it. */
  isHeld: boolean;
  /** `dropped`: the subscription ended before. */
  state: "waiting" | "delivered" | "failed" | "dropped";
  nextAttemptAt: string | null;
  /** How many of the attempts failed since it was sent, or sent again. */
  failures: number;
  order: number;
};

/** Where an account wants to be told of what. */
export type Subscription = {
  readonly id: string;
  readonly account: string;
  readonly url: string;
  /** Null for all. */
  readonly topics: readonly string[] | null;
  readonly createdAt: string;
  failuresInRow: number;
  endedAt: string | null;
  endedBecause: string | null;
};

export type Verdict = "delivered" | "retry" | "failed" | "end-subscription";

/** How a vendor treats receivers. */
export type DeliveryRules = {
  readonly deadlineMs: number;
  /** The waits before each retry; its length is the number of retries. */
  readonly retryDelaysSeconds: readonly number[];
  /** Whether later deliveries wait until the one at hand got through, or was given up. */
  readonly holdsBack?: boolean;
  /** When a delivery is given up after so many failures in a row, the subscription ends. */
  readonly failuresInRowMax?: number;
  /** What an answer means; a 2xx is a delivery and all else a retry if nothing is said. */
  readonly judge?: (attempt: Attempt) => Verdict;
  /** How long the receiver asked to wait before a retry; the usual wait if it is undefined. */
  readonly askedWaitMs?: (attempt: Attempt) => number | undefined;
};

export type Prepared = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export const DELIVERY_FAULT_KINDS = [
  /** Signed with a secret that is not the account's. */
  "wrong-signature",
  /** Not signed at all. */
  "no-signature",
  /** Sent twice, with the same id. */
  "duplicate",
  /** Never sent, as if the vendor had forgotten it. */
  "lost",
  /** Deliveries are held back, `times` of them, and then sent in the opposite order. */
  "reorder",
  /** The connection ends in the middle of the body. */
  "cut",
  /** The body pauses for `delayMs` in its middle. */
  "slow",
] as const;
export type DeliveryFaultKind = (typeof DELIVERY_FAULT_KINDS)[number];

export type DeliveryFault = {
  readonly kind: DeliveryFaultKind;
  /** How many deliveries it hits; all until it is cleared if nothing is said. For `reorder` 2. */
  readonly times?: number;
  readonly delayMs?: number;
};

export function judge(rules: DeliveryRules, attempt: Attempt): Verdict {
  if (rules.judge !== undefined) return rules.judge(attempt);
  return isSuccess(attempt) ? "delivered" : "retry";
}

export function isSuccess({ status }: Attempt): boolean {
  return status !== null && status >= 200 && status <= 299;
}
