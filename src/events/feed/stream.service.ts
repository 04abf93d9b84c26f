import { setTimeout as sleep } from "node:timers/promises";
import type { TenantContext } from "#kernel/context.ts";
import type { Environment } from "#kernel/environment.ts";
import { ProblemError } from "#kernel/errors.ts";
import { type EventStream, eventStream, type StreamMessage } from "#kernel/http/event-stream.ts";
import { writeEnvelope } from "../event.envelope.ts";
import type { PlacedEvent } from "../event.repository.ts";
import {
  cursorsOf,
  type FeedPage,
  type FeedReads,
  findEnd,
  type Matches,
  readCursor,
  readFeed,
  readsOf,
} from "./feed.service.ts";
import { type Cursors, isSamePosition, type Position } from "./position.ts";
import { openWatch, type Watch } from "./watch.ts";

const BATCH_EVENTS = 100;
/** The same for all listeners, whatever their patterns, so that they can share what is read. */
const HEADS_MAX = 500;
/**
 * Events may be held back until another transaction ends. No signal tells when, so the feed is read
 * again after a pause.
 */
const HELD_BACK_MS_MIN = 50;
const HELD_BACK_MS_MAX = 1_000;
const UNAVAILABLE_MS = 1_000;
/** Limits how often a busy tenant is read: ten times a second, not once for each event. */
const PAUSE_MS = 100;

/** Reads once what several listeners of the tenant request at the same time. */
export type Share = Watch["share"];

export type Feed = {
  /** The message after which to go on; undefined to start with the next event. */
  readonly cursor: string | undefined;
  /** The name of the parameter or header that contained the cursor. */
  readonly cursorField: string;
  readonly matches: Matches;
  /** Undefined if this listener should not get the event. */
  present(event: HeardEvent): { readonly event: string; readonly data: string } | undefined;
  /** Called before events are shown. If it returns false, the stream ends. */
  isCurrent?(share: Share): Promise<boolean>;
};

/** An event for several listeners. The parts that are the same for all are made once. */
export class HeardEvent {
  readonly event: PlacedEvent;
  readonly #cursors: Cursors;
  readonly #environment: Environment;
  #cursor: string | undefined;
  #envelope: string | undefined;

  constructor(event: PlacedEvent, cursors: Cursors, environment: Environment) {
    this.event = event;
    this.#cursors = cursors;
    this.#environment = environment;
  }

  get cursor(): string {
    this.#cursor ??= this.#cursors.encode(this.event);
    return this.#cursor;
  }

  get envelope(): string {
    this.#envelope ??= writeEnvelope(this.event, this.#environment);
    return this.#envelope;
  }
}

/** The answer of a route that sends events as they happen. */
export async function streamFeed(context: TenantContext, feed: Feed): Promise<EventStream> {
  const { cursor, cursorField } = feed;
  const start =
    cursor === undefined
      ? await findEnd(context)
      : readCursor(cursorsOf(context), cursor, cursorField);
  return eventStream((signal) => follow(context, feed, start, signal));
}

type Listener = {
  readonly feed: Feed;
  readonly watch: Watch;
  readonly cursors: Cursors;
  readonly reads: FeedReads<HeardEvent>;
};

async function* follow(
  context: TenantContext,
  feed: Feed,
  start: Position,
  signal: AbortSignal,
): AsyncGenerator<readonly StreamMessage[]> {
  const watch = openWatch(context.runtime, context.tenantId);
  const cursors = cursorsOf(context);
  const listener = { feed, watch, cursors, reads: sharedReads(context, watch, cursors) };
  try {
    // A client that is disconnected before the first event can go on from this position.
    yield [{ id: cursors.encode(start) }];
    let position = start;
    for (let heldBackMs = HELD_BACK_MS_MIN; !signal.aborted; ) {
      const startedAt = performance.now();
      const page = await readIfAvailable(listener, position);
      if (signal.aborted || page === "over") return;
      if (page === "unavailable") {
        await pause(UNAVAILABLE_MS, signal);
        continue;
      }
      const messages = messagesOf(listener, page, position);
      position = page.position;
      if (messages.length > 0) yield messages;
      if (page.hasMore) continue;
      if (messages.length > 0) heldBackMs = HELD_BACK_MS_MIN;
      if (page.isHeldBack) {
        await pause(heldBackMs, signal);
        heldBackMs = Math.min(2 * heldBackMs, HELD_BACK_MS_MAX);
      } else {
        await pause(PAUSE_MS - (performance.now() - startedAt), signal);
        await watch.wait(signal);
      }
    }
  } finally {
    watch.close();
  }
}

/** Listeners that are up to date are at the same position, so they share the same reads. */
function sharedReads(
  context: TenantContext,
  { share }: Watch,
  cursors: Cursors,
): FeedReads<HeardEvent> {
  const { environment } = context.runtime;
  const own = readsOf(context);
  return {
    headsMax: HEADS_MAX,
    heads: (after, count) => share(`heads ${nameOf(after)}`, () => own.heads(after, count)),
    events: (places) =>
      share(`events ${places.map(nameOf).join()}`, async () => {
        const found = await own.events(places);
        return found.map((event) => new HeardEvent(event, cursors, environment));
      }),
  };
}

function nameOf({ xact, sequence }: Position): string {
  return `${xact}.${sequence}`;
}

/** Keeps the stream open without the database, because browsers do not reconnect after a 503. */
async function readIfAvailable(
  { feed, watch, reads }: Listener,
  position: Position,
): Promise<FeedPage<HeardEvent> | "over" | "unavailable"> {
  try {
    const page = await readFeed(reads, position, feed.matches, BATCH_EVENTS);
    const isOver = page.events.length > 0 && (await feed.isCurrent?.(watch.share)) === false;
    return isOver ? "over" : page;
  } catch (error) {
    if (error instanceof ProblemError && error.status === 503) return "unavailable";
    throw error;
  }
}

/** Messages for the events, and one with the new position if the last message is before it. */
function messagesOf(
  { feed, cursors }: Listener,
  page: FeedPage<HeardEvent>,
  before: Position,
): StreamMessage[] {
  const messages: StreamMessage[] = [];
  let reached = before;
  for (const heard of page.events) {
    const shown = feed.present(heard);
    if (shown === undefined) continue;
    messages.push({ id: heard.cursor, ...shown });
    reached = heard.event;
  }
  if (!isSamePosition(reached, page.position)) messages.push({ id: cursors.encode(page.position) });
  return messages;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // The error is ignored, because callers check the signal themselves.
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined);
}
