import type { TenantContext } from "#kernel/context.ts";
import type { Lease } from "#kernel/work/lease.ts";
import type { Connection, Connector } from "../kit/connector.ts";
import type { Outbound, SendingProblem } from "../kit/outbound.ts";
import { retryAt } from "./feed.backoff.ts";
import type { Feed, FeedStep } from "./feed.repository.ts";

/** One turn of a feed, with all that it needs. */
export type Turn = {
  readonly context: TenantContext;
  readonly connector: Connector;
  readonly outbound: Outbound<Connection>;
  readonly connection: Connection;
  readonly feed: Feed;
  readonly lease: Lease;
};

/** After a request that failed as a whole: the place stays, and the feed waits. */
export function afterProblem(
  { context, feed }: Turn,
  { problem, retryAfter }: SendingProblem,
): Partial<FeedStep> {
  const attempts = feed.attempts + 1;
  const now = context.clock.now();
  const nextAttemptAt = retryAt({ attempts, now, retryAfter, random: Math.random() });
  return { attempts, problem, nextAttemptAt };
}
