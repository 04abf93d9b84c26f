import type { TenantContext } from "#kernel/context.ts";
import type { Lease } from "#kernel/work/lease.ts";
import { compilePatterns, readFeed, readsOf } from "#src/events/public.ts";
import type { Pass } from "#src/passes/public.ts";
import { newestConfigurationOf } from "#src/tenants/public.ts";
import type { Connector } from "../kit/connector.ts";
import type { Echo, OutboundEvent } from "../kit/outbound.ts";
import { type Refusal, upsertRefusals } from "../refusals/refusal.repository.ts";
import { findConnection, missingSecret } from "../settings/connection.service.ts";
import { tellErasures } from "./erasure.service.ts";
import { later, REFUSALS_MAX, retryRefusedAt } from "./feed.backoff.ts";
import * as feeds from "./feed.repository.ts";
import { afterProblem, type Turn } from "./feed.turn.ts";
import { tellAgain } from "./feed-again.service.ts";
import { noteEchoes } from "./feed-echo.service.ts";
import { commandsOf, type NamedCommand, passIdOf, readEvents } from "./feed-event.service.ts";

/** A feed without news is looked at so often, in case a hint was lost. */
const IDLE_SECONDS = 30;

export type TurnEnd = {
  /** There is more to tell right now. */
  readonly hasMore: boolean;
  /** There is more, but earlier events may still be committed. */
  readonly isHeldBack: boolean;
};

const NOTHING_MORE: TurnEnd = { hasMore: false, isHeldBack: false };

/** Tells the vendor the next events of one feed, and moves its place in the history. */
export async function takeTurn(
  context: TenantContext,
  connector: Connector,
  feed: feeds.Feed,
  lease: Lease,
): Promise<TurnEnd> {
  const { outbound } = connector;
  // A publication may have switched it on a moment ago.
  await newestConfigurationOf(context);
  const connection = outbound && (await findConnection(context, connector));
  if (outbound === undefined || connection === undefined) {
    // Switched off: its place stays, and it goes on from there when it is switched on again.
    return await rest(context, feed, lease, null);
  }
  const missing = missingSecret(connector, connection);
  if (missing !== undefined) {
    const problem = `The ${missing} is missing, or was stored for another address: send it again.`;
    return await rest(context, feed, lease, problem);
  }
  const turn = { context, connector, outbound, connection, feed, lease };
  const standing = await tellErasures(context, connector, connection, lease.signal);
  const failed = await tellAgain(turn);
  if (failed === undefined) return await tellEvents(turn, standing ?? null);
  await save(context, feed, lease, failed);
  return NOTHING_MORE;
}

async function rest(
  context: TenantContext,
  feed: feeds.Feed,
  lease: Lease,
  problem: string | null,
): Promise<TurnEnd> {
  const nextAttemptAt = later(context.clock.now(), IDLE_SECONDS);
  // As after a failure: no event wakes it before that time.
  const attempts = Math.max(1, feed.attempts);
  await save(context, feed, lease, { problem, attempts, nextAttemptAt });
  return NOTHING_MORE;
}

async function tellEvents(turn: Turn, standing: string | null): Promise<TurnEnd> {
  const { context, outbound, feed, lease } = turn;
  const matches = compilePatterns(outbound.patterns);
  const page = await readFeed(readsOf(context), feed, matches, outbound.batchMax);
  const { events, passes } = await readEvents(context, feed.startedAt, page.events);
  const done = new Set(feed.done);
  const commands = commandsOf(
    outbound,
    events.filter(({ id }) => !done.has(id)),
  );
  const step = await send(turn, commands);
  if (lease.isOver) return NOTHING_MORE;
  if ("failed" in step) {
    await save(context, feed, lease, step.failed, step);
    return NOTHING_MORE;
  }
  const moved = await save(
    context,
    feed,
    lease,
    {
      ...page.position,
      done: [],
      attempts: 0,
      refusals: 0,
      problem: standing,
      nextAttemptAt: later(context.clock.now(), IDLE_SECONDS),
      hasSent: commands.length > 0,
    },
    step,
  );
  if (moved) await welcome(turn, events, passes);
  return moved ? { hasMore: page.hasMore, isHeldBack: page.isHeldBack } : NOTHING_MORE;
}

type Left = {
  readonly setAside?: readonly Refusal[];
  readonly echoes?: readonly Echo[] | undefined;
};
type Step = Left & ({ readonly failed: Partial<feeds.FeedStep> } | object);

async function send(turn: Turn, commands: readonly NamedCommand[]): Promise<Step> {
  const { context, outbound, connection, feed, lease } = turn;
  if (commands.length === 0) return {};
  const sent = await outbound.send(context, connection, commands, lease.signal);
  if ("problem" in sent) return { failed: afterProblem(turn, sent) };
  const refused = commands.flatMap(({ eventId, name }) => {
    const reason = sent.refused.get(eventId);
    return reason === undefined ? [] : [{ eventId, eventName: name, reason }];
  });
  const refusals = feed.refusals + 1;
  const { echoes } = sent;
  if (refused.length === 0 || refusals >= REFUSALS_MAX) return { setAside: refused, echoes };
  const taken = commands.filter(({ eventId }) => !sent.refused.has(eventId));
  return {
    echoes,
    failed: {
      done: [...feed.done, ...taken.map(({ eventId }) => eventId)],
      attempts: 0,
      refusals,
      // Not in the words of the vendor: they may name a person, and no erasure would find them here.
      problem: `${refused.length === 1 ? "An event was" : `${refused.length} events were`} refused, and will be sent again.`,
      nextAttemptAt: retryRefusedAt(refusals, context.clock.now()),
      hasSent: taken.length > 0,
    },
  };
}

/** False if somebody else has the feed by now. */
async function save(
  context: TenantContext,
  feed: feeds.Feed,
  lease: Lease,
  step: Partial<feeds.FeedStep>,
  { setAside = [], echoes = [] }: Left = {},
): Promise<boolean> {
  const { xact, sequence, done, attempts, refusals } = feed;
  const known = { xact, sequence, done, attempts, refusals, problem: null, hasSent: false };
  const nextAttemptAt = context.clock.now();
  return await context.transaction(async (tx) => {
    const next = { ...known, nextAttemptAt, ...step };
    const isOurs = await feeds.updateFeed(tx, feed, lease.token, next);
    if (isOurs && setAside.length > 0) upsertRefusals(tx, feed.connector, setAside);
    await noteEchoes(tx, feed.connector, echoes);
    return isOurs;
  });
}

async function welcome(
  { context, outbound, connection, lease }: Turn,
  events: readonly OutboundEvent[],
  passes: ReadonlyMap<string, Pass>,
): Promise<void> {
  const isNew = ({ name }: OutboundEvent) => name === "pass.created";
  const made = events.filter(isNew).flatMap(({ data }) => passes.get(passIdOf(data) ?? "") ?? []);
  if (made.length === 0) return;
  await outbound.welcome?.(context, connection, made, lease.signal);
}
