import Type, { type Static } from "typebox";
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from "#kernel/http/lists/list-query.ts";

const CURSOR_LENGTH_MAX = 100;

export const TimelineQuery = Type.Object(
  {
    cursor: Type.Optional(
      Type.String({
        maxLength: CURSOR_LENGTH_MAX,
        description: "Where to go on, from the header `Link`.",
      }),
    ),
    pageSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PAGE_SIZE_MAX,
        default: PAGE_SIZE_DEFAULT,
        description: "How many entries at most.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type TimelineQuery = Static<typeof TimelineQuery>;

const REFERENCES = ["movement", "scan", "privilege", "device"] as const;

export const TimelineEntry = Type.Object(
  {
    at: Type.String({ format: "date-time" }),
    kind: Type.Enum(["event", "push", "question"], {
      description:
        "`event`: as webhooks tell it. `push`: a wallet was told that the pass changed. `question`: a device asked what changed.",
    }),
    name: Type.String({
      description: "The name of the event, or `apple.pushed` and `apple.asked`.",
      examples: ["privilege.moved"],
    }),
    eventId: Type.Union([Type.String(), Type.Null()]),
    requestId: Type.Union([Type.String(), Type.Null()], {
      description: "The request that caused it; null for what the service did by itself.",
    }),
    reference: Type.Union(
      [Type.Object({ type: Type.Enum([...REFERENCES]), id: Type.String() }), Type.Null()],
      { description: "What it is about; null for the pass itself." },
    ),
    details: Type.Record(Type.String(), Type.Unknown(), {
      description:
        "What the event tells in short. `changed` names members of the pass that are not as they were.",
    }),
  },
  { title: "TimelineEntry" },
);
export type TimelineEntry = Static<typeof TimelineEntry>;

export const TIMELINE_EXAMPLE: TimelineEntry[] = [
  {
    at: "2026-01-31T09:30:00.180Z",
    kind: "push",
    name: "apple.pushed",
    eventId: null,
    requestId: null,
    reference: { type: "device", id: "q8Jm0vXr2Tt5Yc1B" },
    details: { wallet: "apple", revision: 4, pushes: 1, status: 200 },
  },
  {
    at: "2026-01-31T09:30:00.000Z",
    kind: "event",
    name: "privilege.moved",
    eventId: "evt_0VfQm3Ks00x7Rk2LwPq9Zt",
    requestId: "0VfQm3Ks00x7Rk2LwPq9Zt",
    reference: { type: "movement", id: "mv_0VfQm3Ks00x7Rk2LwPq9Zt" },
    details: {
      privilegeId: "coffee",
      type: "redemption",
      value: -1,
      valueBefore: 10,
      valueAfter: 9,
    },
  },
];
