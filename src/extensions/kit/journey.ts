import Type, { type Static } from "typebox";
import type { ProblemError } from "#kernel/errors.ts";
import { IDENTIFIER_LENGTH_MAX } from "#src/customers/public.ts";
import type { PassWish } from "#src/passes/public.ts";

/** What a step of a customer journey may ask for. */
export const JOURNEY_ACTIONS = ["createPass", "updatePass", "notifyPass"] as const;
export type JourneyAction = (typeof JOURNEY_ACTIONS)[number];

type Members = Readonly<Record<string, unknown>>;

export type Unwrap = (
  sent: Members,
  action: JourneyAction | undefined,
  settings: Members,
) => Members;

/** What a vendor writes where a value of the person belongs, inside a text of JSON. */
export type JourneyTags = {
  /** One for each sending, or a constant for steps that everybody comes by once. */
  readonly key: string;
  readonly identifier: { readonly name: string; readonly tag: string };
  readonly firstName: string;
  readonly points: string;
};

/** How a vendor calls this service, and what its steps make of our statuses. */
export type JourneyWays = {
  /** The vendor waits for longer; what is not done by then is answered by 503, and asked for again. */
  readonly deadlineMs: number;
  /** For bodies to copy; left out where the vendor sends a form of its own. */
  readonly tags?: JourneyTags;
  /** Makes a call of what a vendor sends in a form of its own. */
  readonly unwrap?: Unwrap;
  /** Another status or header for a problem, where the usual one is a command to the vendor. */
  translate?(problem: ProblemError): ProblemError;
};

/** One call, read and understood. */
export type JourneyCall = {
  readonly action: JourneyAction;
  /** The same call with the same key is done once for each person. */
  readonly key: string | undefined;
  readonly wish: PassWish;
  /** The type that its texts are fitted to: the one that is named, or that of the settings. */
  readonly fitsTo: string | undefined;
  readonly updatesMetadata: boolean;
};

const closed = { additionalProperties: false } as const;
const Content = Type.String({ minLength: 1, maxLength: 500 });

/** What every vendor sends. Whether it fits the template of the pass is looked at later. */
export const JourneyBody = Type.Object(
  {
    idempotencyKey: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description:
          "What tells this call from others about the same person, such as the vendor's id of the delivery. A call that is repeated with it is not done twice, for two weeks. Needed wherever the holder is told something.",
        examples: ["welcome-2026-03"],
      }),
    ),
    identifiers: Type.Optional(
      Type.Record(Type.String(), Type.String({ minLength: 1, maxLength: IDENTIFIER_LENGTH_MAX }), {
        description: "Whose pass it is.",
        examples: [{ "crm.customerId": "C-1" }],
      }),
    ),
    passId: Type.Optional(
      Type.String({
        pattern: "^[\\w-]{5,50}$",
        mustBe: "the id of a pass: 5 to 50 letters, digits, '_' or '-'",
        description: "The pass itself, in place of identifiers. Not for a new one.",
      }),
    ),
    passType: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: "The template of a new pass; default: the one of the connector's settings.",
        examples: ["loyalty"],
      }),
    ),
    additionalData: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "Values of the pass. Those sent are set, null deletes one, the others stay.",
        examples: [{ firstName: "Ada", points: 120 }],
      }),
    ),
    notification: Type.Optional(
      Type.Object(
        {
          text: Type.Optional(Content),
          content: Type.Optional(Content),
          title: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
          localizedContent: Type.Optional(
            Type.Record(Type.String(), Content, { minProperties: 1, maxProperties: 50 }),
          ),
        },
        {
          ...closed,
          title: "JourneyNotification",
          description:
            "Shown on the lock screen. `text` is another name for `content`; `localizedContent` has one for each language.",
          examples: [{ text: "Your table is ready." }],
        },
      ),
    ),
    options: Type.Optional(
      Type.Object(
        {
          UpdateMetadata: Type.Optional(
            Type.Boolean({ description: "Ask the configured connectors again afterwards." }),
          ),
          BypassQueue: Type.Optional(
            Type.Boolean({
              description: "Changes nothing: what is asked for is done before the answer anyway.",
            }),
          ),
        },
        { ...closed, title: "JourneyOptions" },
      ),
    ),
  },
  { ...closed, title: "JourneyCall" },
);
export type JourneyBody = Static<typeof JourneyBody>;
