import Type, { type Static } from "typebox";
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from "#kernel/http/lists/list-query.ts";
import { PATTERN_LENGTH_MAX, PATTERNS_MAX } from "./event.pattern.ts";

const CURSOR_LENGTH_MAX = 200;
/** All patterns in one parameter, separated by commas. */
const PATTERNS_LENGTH_MAX = PATTERNS_MAX * (PATTERN_LENGTH_MAX + 1);

const strict = { additionalProperties: false } as const;

/** `data` and `previous` are the resource as the API returns it. Each event says which resource. */
export const EventEnvelope = Type.Object(
  {
    id: Type.String({ description: "The same for everyone who hears of this event." }),
    event: Type.String({ description: "The name of the event." }),
    tenantId: Type.String(),
    occurredAt: Type.String({ format: "date-time" }),
    environment: Type.Union([Type.Literal("staging"), Type.Literal("production")]),
    test: Type.Optional(
      Type.Boolean({ description: "True when somebody tries out a webhook; else left out." }),
    ),
    data: Type.Unknown({
      description:
        'The resource, as it is after the event. Once the person or pass that the event is about was erased, `{ "id": …, "erased": true }`.',
    }),
    previous: Type.Optional(
      Type.Unknown({
        description: "The resource, as it was before; left out where there was none.",
      }),
    ),
  },
  { ...strict, title: "EventEnvelope" },
);

const patterns = Type.Array(Type.String({ minLength: 1, maxLength: PATTERNS_LENGTH_MAX }), {
  maxItems: PATTERNS_MAX,
  description:
    "Only events that match: names or patterns as those of webhooks, repeated or separated by commas. Without it, all.",
  examples: [["pass.*", "store.*.updated"]],
});

export const FeedCursor = Type.String({
  maxLength: CURSOR_LENGTH_MAX,
  description: "Where to go on: from the header `Link` of the feed, or the `id` of a message.",
  examples: ["czAIcfRMFo58lJ3ix1DmDCybuP9TABfFomcjTg"],
});

const SUBJECT_LENGTH_MAX = 100;

export const FeedQuery = Type.Object(
  {
    cursor: Type.Optional(FeedCursor),
    pageSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PAGE_SIZE_MAX,
        default: PAGE_SIZE_DEFAULT,
        description: "How many events at most.",
      }),
    ),
    event: Type.Optional(patterns),
    since: Type.Optional(
      Type.String({
        maxLength: 40,
        description:
          "Where to begin: events from this time on, and maybe some of the minute before. Not together with `cursor`. With `order=desc` it is where to end, exactly: no event before this time is listed, and the next pages keep it beside their `cursor`.",
        examples: ["2026-03-01T09:30:00Z"],
      }),
    ),
    order: Type.Optional(
      Type.Enum(["asc", "desc"], {
        description:
          "`desc`: the newest first, and next pages go back in time. For looking, not for following: `Link` ends with the oldest event, or the oldest from `since` on, and an event that is being written meanwhile may be missed. Without it `asc`.",
      }),
    ),
    about: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: SUBJECT_LENGTH_MAX,
        description: "Only events about this pass, customer or receipt: its id.",
        examples: ["0VfQm3Ks00x7Rk2LwPq9Zt"],
      }),
    ),
  },
  strict,
);
export type FeedQuery = Static<typeof FeedQuery>;

export const StreamQuery = Type.Object(
  { cursor: Type.Optional(FeedCursor), event: Type.Optional(patterns) },
  strict,
);
export type StreamQuery = Static<typeof StreamQuery>;

export const ENVELOPE_EXAMPLE = {
  id: "evt_0VfQm3Ks00aB3dE5fG7hJ9",
  event: "api-key.created",
  tenantId: "cafe-lune",
  occurredAt: "2026-03-01T09:30:00.000Z",
  environment: "production",
  data: { name: "till" },
};
