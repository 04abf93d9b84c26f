import Type, { type Static } from "typebox";
import { decimalShown } from "#kernel/decimal.ts";
import { PERIOD_DAYS, type PeriodDays } from "./number.period.ts";

const Moment = Type.String({ format: "date-time" });
const count = (description: string) => Type.Integer({ minimum: 0, description });

export const NumbersQuery = Type.Object(
  {
    days: Type.Optional(
      Type.Unsafe<PeriodDays>(
        Type.Integer({
          enum: [...PERIOD_DAYS],
          default: 30,
          description: "How often 24 hours to look back: `1` by the hour, the others by the day.",
          examples: [30],
        }),
      ),
    ),
    timeZone: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          "Where days begin at midnight, such as `Europe/Paris`. Without it, that of the tenant. Hours are those of UTC: where a zone is half an hour off, so is the beginning of its days.",
        examples: ["Europe/Paris"],
      }),
    ),
  },
  { additionalProperties: false },
);
export type NumbersQuery = Static<typeof NumbersQuery>;

const Updates = Type.Object({
  delivered: count("Wallets that have the newest content of a pass that changed."),
  failed: count("Wallets that did not get it, however often they were told."),
  pushes: count("How often wallets were told."),
});

const members = {
  passes: Type.Object({
    issued: count("Passes that were created."),
    installed: count("How often a wallet took a pass that it did not have."),
    removed: count("How often the last device of a wallet removed a pass."),
  }),
  scans: Type.Object({ accepted: count("By when they were read."), rejected: count("Likewise.") }),
  redemptions: Type.Object({
    count: count(
      "Movements that redeem, by when they happened. Undoing one does not take it away.",
    ),
    values: Type.Array(
      Type.Object({
        unit: Type.Union([Type.String(), Type.Null()]),
        value: decimalShown({ description: "Above zero." }),
      }),
      { description: "What was redeemed, by the unit of the privileges." },
    ),
  }),
  updates: Type.Object({ apple: Updates, google: Updates }),
  webhooks: Type.Object({
    delivered: count("Deliveries that an endpoint accepted."),
    failed: count("Deliveries that were given up."),
    retried: count("Attempts that failed and were, or will be, made again."),
  }),
};

/** What happened in some time. */
export const Numbers = Type.Object(members, { title: "Numbers" });
export type Numbers = Static<typeof Numbers>;

export const NumbersView = Type.Object(
  {
    days: Type.Integer(),
    timeZone: Type.String(),
    step: Type.Enum(["hour", "day"]),
    from: Moment,
    to: Type.String({ format: "date-time", description: "The end of the present hour." }),
    total: Numbers,
    previous: Type.Object(
      { from: Moment, ...members },
      { description: "What happened in as many days before." },
    ),
    steps: Type.Array(Type.Object({ from: Moment, ...members }), {
      description:
        "Every hour or day, also those in which nothing happened. The first and the last day are parts of one.",
    }),
    isBehind: Type.Boolean({
      description: "True if so much happens that the newest is not counted yet.",
    }),
  },
  { title: "NumbersOfPeriod" },
);
export type NumbersView = Static<typeof NumbersView>;

const UPDATES_EXAMPLE = { delivered: 20, failed: 1, pushes: 24 };
const EXAMPLE: Numbers = {
  passes: { issued: 12, installed: 9, removed: 1 },
  scans: { accepted: 31, rejected: 2 },
  redemptions: { count: 5, values: [{ unit: "stamp", value: 5 }] },
  updates: { apple: UPDATES_EXAMPLE, google: UPDATES_EXAMPLE },
  webhooks: { delivered: 80, failed: 0, retried: 3 },
};

export const NUMBERS_EXAMPLE: NumbersView = {
  days: 30,
  timeZone: "Europe/Paris",
  step: "day",
  from: "2026-01-01T14:00:00.000Z",
  to: "2026-01-31T15:00:00.000Z",
  total: EXAMPLE,
  previous: { from: "2025-12-02T14:00:00.000Z", ...EXAMPLE },
  steps: [{ from: "2026-01-01T14:00:00.000Z", ...EXAMPLE }],
  isBehind: false,
};
