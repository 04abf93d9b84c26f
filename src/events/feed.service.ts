import type { TenantContext } from "#kernel/context.ts";
import { validationProblem } from "#kernel/errors.ts";
import { nextLink } from "#kernel/http/list-cursor.ts";
import { PAGE_SIZE_DEFAULT } from "#kernel/http/list-query.ts";
import { readFilterValue } from "#kernel/http/list-values.ts";
import { type Answer, answer, JsonText } from "#kernel/http/route.ts";
import { writeEnvelope } from "./event.envelope.ts";
import { compilePatterns, PATTERNS_MAX, patternProblem } from "./event.pattern.ts";
import { BEGINNING, decodePosition, encodePosition, type Position } from "./event.position.ts";
import * as events from "./event.repository.ts";
import type { FeedQuery } from "./event.schema.ts";

/** Whether an event is wanted by its name; undefined where all are. */
export type Matches = ((eventName: string) => boolean) | undefined;

export type FeedPage = {
  readonly events: readonly events.PlacedEvent[];
  /** After all that was looked at, whether it matched or not. */
  readonly position: Position;
  /** There is more to look at right now. */
  readonly hasMore: boolean;
  /** More has happened, but not yet for certain all before it: look again in a moment. */
  readonly isHeldBack: boolean;
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

/** What matches among the next events, in the order in which they became certain. */
export async function readFeed(
  context: TenantContext,
  after: Position,
  matches: Matches,
  count: number,
): Promise<FeedPage> {
  const { places, ...page } = await choose(context, after, matches, count);
  const found = places.length === 0 ? [] : await events.listEvents(context, places);
  return { ...page, events: found };
}

async function choose(
  context: TenantContext,
  after: Position,
  matches: Matches,
  count: number,
): Promise<Chosen> {
  const places: Position[] = [];
  // One more than asked for tells whether the feed goes on.
  const headsMax = matches === undefined ? count + 1 : HEADS_MAX;
  let [position, bytes, lookedAt] = [after, 0, 0];
  while (lookedAt < LOOKED_AT_MAX) {
    const heads = await events.listHeads(context, position, headsMax);
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
  if (cursor !== undefined) return readCursor(cursor, "cursor");
  if (since === undefined) return BEGINNING;
  return (await events.findStart(context, since)) ?? (await events.getEnd(context));
}

export function readCursor(cursor: string, field: string): Position {
  const position = decodePosition(cursor);
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
  const page = await readFeed(context, start, matches, query.pageSize ?? PAGE_SIZE_DEFAULT);
  const { environment } = context.runtime;
  const envelopes = page.events.map((event) => writeEnvelope(event, environment));
  const link = nextLink(url, encodePosition(page.position), ["cursor", "since"]);
  return answer(new JsonText(`[${envelopes.join(",")}]`), { headers: { link } });
}

function readSince({ cursor, since }: FeedQuery): string | undefined {
  if (since === undefined) return undefined;
  const read = readFilterValue("timestamp", since);
  if (!read.ok) throw validationProblem({ since: [read.problem] });
  if (cursor !== undefined) throw validationProblem({ since: ["cannot be combined with cursor"] });
  return read.value;
}
