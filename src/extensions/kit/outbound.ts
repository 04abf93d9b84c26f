import type { TenantContext } from "#kernel/context.ts";
import type { Pass } from "#src/passes/public.ts";

/** An event of the history that a vendor may be told. */
export type OutboundEvent = {
  readonly id: string;
  readonly name: string;
  readonly occurredAt: Date;
  readonly data: Readonly<Record<string, unknown>>;
  /** Those of the pass that it is about, as they are now; empty if there is none. */
  readonly identifiers: Readonly<Record<string, string>>;
};

/** A request that failed as a whole, and is tried again. The sentence is for people. */
export type SendingProblem = { readonly problem: string; readonly retryAfter?: string | undefined };

/** What the vendor will tell of as its own, although it came from here: it is not done again. */
export type Echo = { readonly key: string; readonly passId: string };

/** Which of the commands were refused, by the id of their event; all others were taken. */
export type Sent =
  | { readonly refused: ReadonlyMap<string, string>; readonly echoes?: readonly Echo[] }
  | SendingProblem;

export type OutboundCommand = { readonly eventId: string; readonly command: unknown };

/** The events that a connector tells its vendor, in the order of the history. */
export type Outbound<Connected> = {
  readonly patterns: readonly string[];
  /** How many commands one request holds. */
  readonly batchMax: number;
  /** Pure. Undefined if the vendor is not told of this event. */
  command(event: OutboundEvent): unknown;
  /** Sends commands in one request; any of them may have been sent before. */
  send(
    context: TenantContext,
    connection: Connected,
    commands: readonly OutboundCommand[],
    signal: AbortSignal,
  ): Promise<Sent>;
  /** The identifiers by which the vendor knows somebody; undefined if it does not. Pure. */
  personOf?(
    identifiers: Readonly<Record<string, string>>,
  ): Readonly<Record<string, string>> | undefined;
  /** Erases somebody at the vendor, by the identifiers of `personOf`. Undefined if that is done. */
  erase?(
    context: TenantContext,
    connection: Connected,
    person: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<SendingProblem | undefined>;
  /** Called for new passes, once the vendor knows of them. May change them. */
  welcome?(
    context: TenantContext,
    connection: Connected,
    passes: readonly Pass[],
    signal: AbortSignal,
  ): Promise<void>;
};
