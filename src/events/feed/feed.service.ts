import type { TenantContext } from "#kernel/context.ts";
import { validationProblem } from "#kernel/errors.ts";
import { nextLink } from "#kernel/http/lists/list-cursor.ts";
import { PAGE_SIZE_DEFAULT } from "#kernel/http/lists/list-query.ts";
import { readFilterValue } from "#kernel/http/lists/list-values.ts";
import { type Answer, answer, JsonText } from "#kernel/http/route.ts";
import { writeEnvelope } from "../event.envelope.ts";
import { compilePatterns, PATTERNS_MAX, patternProblem } from "../event.pattern.ts";
import * as events from "../event.repository.ts";
import type { FeedQuery } from "../event.schema.ts";
import { BEGINNING, type Cursors, createCursors, END, type Position } from "./position.ts";

/** Selects events by their name. Undefined if all events are wanted. */
export type Matches = ((eventName: string) => boolean) | undefined;

export type FeedPage<Event> = {
  readonly events: readonly Event[];
  /** The position after all events that were examined, including those that did not match. */
  readonly position: Position;
  /** True if more events can be read right now. */
  readonly hasMore: boolean;
  /** True if there are more events, but earlier ones may still be committed: read again soon. */
  readonly isHeldBack: boolean;
};

/** The functions with which the feed of a tenant is read. */
export type FeedReads<Event> = {
  heads(after: Position, count: number): Promise<readonly events.EventHead[]>;
  events(places: readonly Position[]): Promise<readonly Event[]>;
  /** How many heads are read at once; undefined for as many as a page needs. */
  readonly headsMax?: number;
};

/** Without it, a pattern that seldom matches would make one request read a million events. */
export const LOOKED_AT_MAX = 5_000;
const HEADS_MAX = 1_000;
/** Counted as stored, which is compressed. The answer may be ten times as large. */
const PAGE_SIZE_BYTES_MAX = 1024 * 1024;

type Chosen = {
  readonly places: readonly Position[];
  readonly position: Position;
  readonly hasMore: boolean;
  readonly isHeldBack: boolean;
};

/** `subject`: the pass or customer that the events are about; undefined for all events. */
export function readsOf(context: TenantContext, subject?: string): FeedReads<events.PlacedEvent> {
  return {
    heads: (after, count) =>
      subject === undefined
        ? events.listHeads(context, after, count)
        : events.listHeadsAbout(context, subject, after, count),
    events: (places) => events.listEvents(context, places),
  };
}

/** The same backwards, the newest first: all events, or those about one subject. */
async function backwardReadsOf(
  context: TenantContext,
  subject: string | undefined,
  since: string = events.ALWAYS,
): Promise<FeedReads<events.PlacedEvent>> {
  // Without the place where the time begins, a filter by time would walk back to the oldest event.
  const isBounded = subject === undefined && since !== events.ALWAYS;
  const after = isBounded ? ((await events.findStart(context, since)) ?? END) : BEGINNING;
  return {
    heads: (before, count) =>
      subject === undefined
        ? events.listHeadsBefore(context, before, { since, after }, count)
        : events.listHeadsAboutBefore(context, subject, before, since, count),
    events: async (places) => (await events.listEvents(context, places)).toReversed(),
  };
}

/** Reads the matching events after a position, in the order of the feed. */
export async function readFeed<Event>(
  reads: FeedReads<Event>,
  after: Position,
  matches: Matches,
  count: number,
): Promise<FeedPage<Event>> {
  const { places, ...page } = await choose(reads, after, matches, count);
  return { ...page, events: places.length === 0 ? [] : await reads.events(places) };
}

async function choose(
  reads: FeedReads<unknown>,
  after: Position,
  matches: Matches,
  count: number,
): Promise<Chosen> {
  const places: Position[] = [];
  // One more than `count` shows whether there are more events.
  const headsMax = reads.headsMax ?? (matches === undefined ? count + 1 : HEADS_MAX);
  let [position, bytes, lookedAt] = [after, 0, 0];
  while (lookedAt < LOOKED_AT_MAX) {
    const heads = await reads.heads(position, headsMax);
    for (const { xact, sequence, name, size, isSettled } of heads) {
      if (!isSettled) return { places, position, hasMore: false, isHeldBack: true };
      const isWanted = matches === undefined || matches(name);
      const isFull =
        places.length === count || (places.length > 0 && bytes + size > PAGE_SIZE_BYTES_MAX);
      if (isWanted && isFull) return { places, position, hasMore: true, isHeldBack: false };
      position = { xact, sequence };
      if (!isWanted) continue;
      places.push(position);
      bytes += size;
    }
    lookedAt += heads.length;
    if (heads.length < headsMax) return { places, position, hasMore: false, isHeldBack: false };
  }
  return { places, position, hasMore: true, isHeldBack: false };
}

/** The position from which only future events are read. */
export function findEnd(context: TenantContext): Promise<Position> {
  return events.getEnd(context);
}

/** The position where reading starts: after a cursor, at a time, or at the oldest event. */
export async function findPlace(
  context: TenantContext,
  { cursor, since }: { readonly cursor?: string | undefined; readonly since?: string | undefined },
): Promise<Position> {
  if (cursor !== undefined) return readCursor(cursorsOf(context), cursor, "cursor");
  if (since === undefined) return BEGINNING;
  return (await events.findStart(context, since)) ?? (await events.getEnd(context));
}

export function cursorsOf({ runtime, tenantId }: TenantContext): Cursors {
  return createCursors(runtime.sealer, tenantId);
}

export function readCursor(cursors: Cursors, cursor: string, field: string): Position {
  const position = cursors.decode(cursor);
  if (position === undefined)
    throw validationProblem({ [field]: ["is not a cursor of this feed"] });
  return position;
}

/** Reads patterns that are repeated in the query, or separated by commas. */
export function readPatterns(sent: readonly string[] | undefined): Matches {
  if (sent === undefined) return undefined;
  const patterns = sent.flatMap((text) => text.split(","));
  const problems = patterns.map(patternProblem).filter((problem) => problem !== undefined);
  if (patterns.length > PATTERNS_MAX) problems.push(`must not be more than ${PATTERNS_MAX}`);
  if (problems.length > 0) throw validationProblem({ event: [...new Set(problems)] });
  return compilePatterns(patterns);
}

/** The answer for a polling client. The header `Link` is present even at the end of the feed. */
export async function listFeed(
  context: TenantContext,
  query: FeedQuery,
  url: string,
): Promise<Answer> {
  const isBackward = query.order === "desc";
  const matches = readPatterns(query.event);
  const count = query.pageSize ?? PAGE_SIZE_DEFAULT;
  const since = readSince(query);
  const page = isBackward
    ? await readFeed(
        await backwardReadsOf(context, query.about, since),
        beforeOf(context, query),
        matches,
        count,
      )
    : await readFeed(
        readsOf(context, query.about),
        await findPlace(context, { cursor: query.cursor, since }),
        matches,
        count,
      );
  const { environment } = context.runtime;
  const envelopes = page.events.map((event) => new JsonText(writeEnvelope(event, environment)));
  // Forwards, a time says where to begin; backwards, it says where to end, on every page.
  const places = isBackward ? ["cursor"] : ["cursor", "since"];
  const link = nextLink(url, cursorsOf(context).encode(page.position), places);
  // Nothing follows the oldest event; after the newest there is always more to come.
  return answer(envelopes, { headers: isBackward && !page.hasMore ? {} : { link } });
}

function beforeOf(context: TenantContext, { cursor }: FeedQuery): Position {
  return cursor === undefined ? END : readCursor(cursorsOf(context), cursor, "cursor");
}

function readSince({ cursor, since, order }: FeedQuery): string | undefined {
  if (since === undefined) return undefined;
  const read = readFilterValue("timestamp", since);
  if (!read.ok) throw validationProblem({ since: [read.problem] });
  if (cursor !== undefined && order !== "desc") {
    throw validationProblem({ since: ["cannot be combined with cursor, except with order=desc"] });
  }
  return read.value;
}
