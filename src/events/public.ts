export { type RawEvent, TEST_EVENT_NAME, writeEnvelope } from "./event.envelope.ts";
export {
  compilePatterns,
  createMatcher,
  type Matcher,
  PATTERN_LENGTH_MAX,
  PATTERNS_MAX,
  patternProblem,
  type Subscription,
} from "./event.pattern.ts";
export type { PlacedEvent } from "./event.repository.ts";
export { FeedCursor } from "./event.schema.ts";
export { findUnmatched, type UnmatchedPattern } from "./event.suggestion.ts";
export {
  type EventPart,
  eventsBetween,
  findOldestTime,
  findPartEnd,
  fromPlace,
  lastEvents,
} from "./event-count.repository.ts";
export {
  countEvents,
  type EventAbout,
  type HistoryPosition,
  listEventsAbout,
  listHistory,
  listTimeline,
} from "./event-history.repository.ts";
export { eventsAbout, happenedTexts, holdEvents, joinEvent } from "./event-part.repository.ts";
export { type FeedPage, readFeed, readsOf } from "./feed/feed.service.ts";
export type { Position } from "./feed/position.ts";
export { type Feed, type Share, streamFeed } from "./feed/stream.service.ts";
