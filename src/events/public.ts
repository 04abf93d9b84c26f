export { type RawEvent, writeEnvelope } from "./event.envelope.ts";
export {
  compilePatterns,
  createMatcher,
  type Matcher,
  PATTERN_LENGTH_MAX,
  PATTERNS_MAX,
  patternProblem,
  type Subscription,
} from "./event.pattern.ts";
export { FeedCursor } from "./event.schema.ts";
export { type Feed, streamFeed } from "./stream.service.ts";
