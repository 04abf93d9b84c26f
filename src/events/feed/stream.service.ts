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
/** The same for all, whatever they listen for, so that they can share what is read. */
const HEADS_MAX = 500;
/** What is held back is so until another transaction ends, of which no signal tells. */
const HELD_BACK_MS_MIN = 50;
const HELD_BACK_MS_MAX = 1_000;
const UNAVAILABLE_MS = 1_000;
/** A tenant in which much happens is looked at ten times a second, not once for each event. */
const PAUSE_MS = 100;

/** Reads once what several listeners of the tenant ask for at the same moment. */
export type Share = Watch["share"];

export type Feed = {
  /** After which message; undefined for all from now on. */
  readonly cursor: string | undefined;
  /** The parameter or header that the cursor came in. */
  readonly cursorField: string;
  readonly matches: Matches;
  /** Undefined for one that, on a closer look, is not for this listener. */
  present(event: HeardEvent): { readonly event: string; readonly data: string } | undefined;
  /** Asked before events are shown; the stream ends when it is false. */
  isCurrent?(share: Share): Promise<boolean>;
};

/** An event that several hear of at once: what is the same for all is made once. */
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

/** The answer of a route that tells of events as they happen. */
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
    // Whoever is cut off before the first event goes on from here all the same.
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

/** Those who have heard all there is stand at the same place and ask for the same. */
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

/** A database that is away for a moment ends no stream: browsers do not come back after a 503. */
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

/** What matched, and the place reached when that lies behind it. */
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
  // Ended meanwhile: whoever follows sees so for itself.
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined);
}
