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
import { BEGINNING, type Cursors, createCursors, type Position } from "./position.ts";

/** Whether an event is wanted by its name; undefined where all are. */
export type Matches = ((eventName: string) => boolean) | undefined;

export type FeedPage<Event> = {
  readonly events: readonly Event[];
  /** After all that was looked at, whether it matched or not. */
  readonly position: Position;
  /** There is more to look at right now. */
  readonly hasMore: boolean;
  /** More has happened, but not yet for certain all before it: look again in a moment. */
  readonly isHeldBack: boolean;
};

/** How the feed of a tenant is read. */
export type FeedReads<Event> = {
  heads(after: Position, count: number): Promise<readonly events.EventHead[]>;
  events(places: readonly Position[]): Promise<readonly Event[]>;
  /** How many heads at once; undefined for as many as a page needs. */
  readonly headsMax?: number;
};

/** A pattern that seldom matches must not make one request look at a million events. */
export const LOOKED_AT_MAX = 5_000;
const HEADS_MAX = 1_000;
/** As stored, packed: some ten times as much when sent. */
const PAGE_SIZE_BYTES_MAX = 1024 * 1024;

type Chosen = {
  readonly places: readonly Position[];
  readonly position: Position;
  readonly hasMore: boolean;
  readonly isHeldBack: boolean;
};

export function readsOf(context: TenantContext): FeedReads<events.PlacedEvent> {
  return {
    heads: (after, count) => events.listHeads(context, after, count),
    events: (places) => events.listEvents(context, places),
  };
}

/** What matches among the next events, in the order in which they became certain. */
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
  // One more than asked for tells whether the feed goes on.
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

/** Everything from now on. */
export function findEnd(context: TenantContext): Promise<Position> {
  return events.getEnd(context);
}

/** The first place of a reading: after a cursor, at a time, or at the oldest event kept. */
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

/** Patterns as a query gives them: repeated, or separated by commas. */
export function readPatterns(sent: readonly string[] | undefined): Matches {
  if (sent === undefined) return undefined;
  const patterns = sent.flatMap((text) => text.split(","));
  const problems = patterns.map(patternProblem).filter((problem) => problem !== undefined);
  if (patterns.length > PATTERNS_MAX) problems.push(`must not be more than ${PATTERNS_MAX}`);
  if (problems.length > 0) throw validationProblem({ event: [...new Set(problems)] });
  return compilePatterns(patterns);
}

/** What a caller who polls gets: the way on is told even at the end. */
export async function listFeed(
  context: TenantContext,
  query: FeedQuery,
  url: string,
): Promise<Answer> {
  const matches = readPatterns(query.event);
  const start = await findPlace(context, { cursor: query.cursor, since: readSince(query) });
  const count = query.pageSize ?? PAGE_SIZE_DEFAULT;
  const page = await readFeed(readsOf(context), start, matches, count);
  const { environment } = context.runtime;
  const envelopes = page.events.map((event) => new JsonText(writeEnvelope(event, environment)));
  const link = nextLink(url, cursorsOf(context).encode(page.position), ["cursor", "since"]);
  return answer(envelopes, { headers: { link } });
}

function readSince({ cursor, since }: FeedQuery): string | undefined {
  if (since === undefined) return undefined;
  const read = readFilterValue("timestamp", since);
  if (!read.ok) throw validationProblem({ since: [read.problem] });
  if (cursor !== undefined) throw validationProblem({ since: ["cannot be combined with cursor"] });
  return read.value;
}
