import { setTimeout as sleep } from "node:timers/promises";
import type { TenantContext } from "#kernel/context.ts";
import { ProblemError } from "#kernel/errors.ts";
import { type EventStream, eventStream, type StreamMessage } from "#kernel/http/event-stream.ts";
import { openAlarm } from "./event.alarm.ts";
import type { RawEvent } from "./event.envelope.ts";
import { encodePosition, type Position } from "./event.position.ts";
import { type FeedPage, findEnd, type Matches, readCursor, readFeed } from "./feed.service.ts";

const BATCH_EVENTS = 100;
/** Signals are hints, which may be lost. */
const LOOK_MS = 5_000;
/** What is held back is so until another transaction ends, of which no signal tells. */
const HELD_BACK_MS_MIN = 50;
const HELD_BACK_MS_MAX = 1_000;
const UNAVAILABLE_MS = 1_000;
/** A tenant in which much happens is looked at ten times a second, not once for each event. */
const PAUSE_MS = 100;

export type Feed = {
  /** After which message; undefined for all from now on. */
  readonly cursor: string | undefined;
  /** The parameter or header that the cursor came in. */
  readonly cursorField: string;
  readonly matches: Matches;
  /** Undefined for one that, on a closer look, is not for this listener. */
  present(event: RawEvent): { readonly event: string; readonly data: string } | undefined;
  /** Asked before events are shown; the stream ends when it is false. */
  isCurrent?(): Promise<boolean>;
};

/** The answer of a route that tells of events as they happen. */
export async function streamFeed(context: TenantContext, feed: Feed): Promise<EventStream> {
  const { cursor, cursorField } = feed;
  const start = cursor === undefined ? await findEnd(context) : readCursor(cursor, cursorField);
  return eventStream((signal) => follow(context, feed, start, signal));
}

async function* follow(
  context: TenantContext,
  feed: Feed,
  start: Position,
  signal: AbortSignal,
): AsyncGenerator<readonly StreamMessage[]> {
  const alarm = openAlarm(context.runtime, context.tenantId);
  try {
    // Whoever is cut off before the first event goes on from here all the same.
    yield [{ id: encodePosition(start) }];
    let position = start;
    for (let heldBackMs = HELD_BACK_MS_MIN; !signal.aborted; ) {
      const startedAt = performance.now();
      const page = await readIfAvailable(context, position, feed);
      if (signal.aborted || page === "over") return;
      if (page === "unavailable") {
        await pause(UNAVAILABLE_MS, signal);
        continue;
      }
      const messages = messagesOf(page, position, feed);
      position = page.position;
      if (messages.length > 0) yield messages;
      if (page.hasMore) continue;
      if (messages.length > 0) heldBackMs = HELD_BACK_MS_MIN;
      if (page.isHeldBack) {
        await pause(heldBackMs, signal);
        heldBackMs = Math.min(2 * heldBackMs, HELD_BACK_MS_MAX);
      } else {
        await pause(PAUSE_MS - (performance.now() - startedAt), signal);
        await alarm.wait(LOOK_MS, signal);
      }
    }
  } finally {
    alarm.close();
  }
}

/** A database that is away for a moment ends no stream: browsers do not come back after a 503. */
async function readIfAvailable(
  context: TenantContext,
  position: Position,
  feed: Feed,
): Promise<FeedPage | "over" | "unavailable"> {
  try {
    const page = await readFeed(context, position, feed.matches, BATCH_EVENTS);
    const isOver = page.events.length > 0 && (await feed.isCurrent?.()) === false;
    return isOver ? "over" : page;
  } catch (error) {
    if (error instanceof ProblemError && error.status === 503) return "unavailable";
    throw error;
  }
}

/** What matched, and the place reached when that lies behind it. */
function messagesOf(page: FeedPage, before: Position, feed: Feed): StreamMessage[] {
  const messages: StreamMessage[] = page.events.flatMap((event) => {
    const shown = feed.present(event);
    return shown === undefined ? [] : [{ id: encodePosition(event), ...shown }];
  });
  const id = encodePosition(page.position);
  const reached = messages.at(-1)?.id ?? encodePosition(before);
  if (reached !== id) messages.push({ id });
  return messages;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // Ended meanwhile: whoever follows sees so for itself.
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined);
}
