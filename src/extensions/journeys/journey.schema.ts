import Type, { type Static } from "typebox";
import type { JourneyAction } from "../kit/journey.ts";
import type { JourneyError } from "../kit/journey-read.ts";

export const JourneyParams = Type.Object({
  tenantId: Type.String(),
  connector: Type.String({
    description: "The connector, by its name.",
    examples: ["klaviyo"],
  }),
});

const OUTCOMES = ["created", "updated", "unchanged", "notified"] as const;

const Done = Type.Object(
  {
    success: Type.Literal(true),
    passId: Type.String(),
    installUrl: Type.String({
      format: "uri",
      description: "The page that adds the pass to the wallet of the device it is opened on.",
    }),
    status: Type.Enum([...OUTCOMES], {
      description: "What was done. A call that is repeated gets what the first one got.",
    }),
  },
  { title: "JourneyDone" },
);

const Refused = Type.Object(
  {
    success: Type.Literal(false),
    errors: Type.Array(
      Type.Object({ code: Type.String(), description: Type.String() }, { title: "JourneyError" }),
      { minItems: 1 },
    ),
  },
  { title: "JourneyRefused" },
);

/** Also 200 where nothing was done: a status of its own would stop the journey of everybody. */
export const JourneyResult = Type.Union([Done, Refused], { title: "JourneyResult" });
export type JourneyResult = Static<typeof JourneyResult>;
export type JourneyDone = Static<typeof Done>;

export function presentRefusal(errors: readonly JourneyError[]): JourneyResult {
  return { success: false, errors: errors.map(({ code, description }) => ({ code, description })) };
}

const IDENTIFIERS = { "crm.customerId": "C-1" };

/** The bodies of the API reference, by action. */
export const CALL_EXAMPLES: Readonly<Record<JourneyAction, object>> = {
  createPass: {
    idempotencyKey: "welcome-2026-03",
    identifiers: IDENTIFIERS,
    passType: "loyalty",
    additionalData: { firstName: "Ada", points: 120 },
  },
  updatePass: { identifiers: IDENTIFIERS, additionalData: { points: 140 } },
  notifyPass: {
    idempotencyKey: "table-4711",
    identifiers: IDENTIFIERS,
    notification: { text: "Your table is ready." },
  },
};

export const DONE_EXAMPLE: JourneyDone = {
  success: true,
  passId: "ps_0VfQm3Ks00x7Rk2LwPq9Zt",
  installUrl: "https://passes.example/p/cafe-lune/ps_0VfQm3Ks00x7Rk2LwPq9Zt.4hJ6nB8vC1xD3sF5gL",
  status: "created",
};
