import Type, { type Static } from "typebox";
import { PATTERN_LENGTH_MAX, PATTERNS_MAX } from "#src/events/public.ts";

const DESCRIPTION_LENGTH_MAX = 1_000;
const ENDPOINT_LENGTH_MAX = 2_000;

const Description = Type.Union([Type.String({ maxLength: DESCRIPTION_LENGTH_MAX }), Type.Null()], {
  description: "Free text.",
});

const Events = Type.Array(Type.String({ minLength: 1, maxLength: PATTERN_LENGTH_MAX }), {
  minItems: 1,
  maxItems: PATTERNS_MAX,
  description:
    "Names or patterns of events: `pass.created`; `pass.*`, `pass.cre*` or `pass*` for all that begin so, `store.*.updated` with any one part between, `*` for everything. `:` is read as `.`, and case does not matter. The webhook's health names those that no event matches.",
  examples: [["pass.*", "store.*.updated"]],
});

const Endpoint = Type.String({
  format: "uri",
  maxLength: ENDPOINT_LENGTH_MAX,
  description: "Gets a POST for each matching event. https in production.",
  examples: ["https://hooks.cafe-lune.example/passes"],
});

const Enabled = Type.Boolean({ description: "Whether events are delivered." });
const EnabledOrNot = Type.Boolean({ ...Enabled, default: false });
/** Without the keyword `default`: generators take a member that has one for one that must be sent. */
const EnabledSent = Type.Boolean({ description: "Whether events are delivered. Default: false." });

const ID_EXAMPLE = "k7Qz2";

const Id = Type.String({
  minLength: 1,
  description: "Five letters and digits, given by the service. Never changes.",
  examples: [ID_EXAMPLE],
});

const SignatureSecret = Type.String({
  minLength: 1,
  description:
    "64 characters, given by the service; only rotating changes it. What is delivered is signed with it: keep it on servers.",
});

export const WebhookParams = Type.Object({
  tenantId: Type.String(),
  id: Type.String({ description: "The webhook.", examples: [ID_EXAMPLE] }),
});

const members = {
  description: Type.Optional(Description),
  events: Events,
  endpoint: Endpoint,
  enabled: Type.Optional(EnabledOrNot),
};

const strict = { additionalProperties: false } as const;

export const WebHookWithId = Type.Object(
  { ...members, id: Id, signatureSecret: SignatureSecret },
  { ...strict, title: "WebHookWithId" },
);
export type WebHookWithId = Static<typeof WebHookWithId>;

/** Whoever sends back what they read must not be refused for it, nor change by it what is fixed. */
const ignored = {
  id: Type.Optional(Type.Unknown({ description: "Ignored, whatever it is." })),
  signatureSecret: Type.Optional(Type.Unknown({ description: "Ignored, whatever it is." })),
};

/** A `WebHook` or a `WebHookWithId`. */
export const WebhookSent = Type.Object(
  { ...members, enabled: Type.Optional(EnabledSent), ...ignored },
  { ...strict, title: "WebHookBody" },
);
export type WebhookSent = Static<typeof WebhookSent>;

export const WebhookPatch = Type.Object(
  {
    description: Type.Optional(Description),
    events: Type.Optional(Events),
    endpoint: Type.Optional(Endpoint),
    enabled: Type.Optional(Enabled),
    ...ignored,
  },
  { ...strict, title: "WebHookPatch" },
);
export type WebhookPatch = Static<typeof WebhookPatch>;

/** What the shape of a webhook has no room for. */
export const DeliverySettings = Type.Object(
  {
    ordered: Type.Boolean({
      description:
        "Whether the next event waits until the one before it has arrived, or has failed for good.",
    }),
  },
  { ...strict, title: "WebHookSettings" },
);
export type DeliverySettings = Static<typeof DeliverySettings>;

const OVERLAP_HOURS_MAX = 168;
export const OVERLAP_HOURS_DEFAULT = 24;

export const SecretRotation = Type.Object(
  {
    overlapHours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: OVERLAP_HOURS_MAX,
        description:
          "How long former secrets sign beside the new one. Default: 24. 0 after a leak: then none does, not even from earlier rotations.",
      }),
    ),
  },
  strict,
);

const Moment = Type.String({ format: "date-time" });
const MomentOrNull = (description: string) => Type.Union([Moment, Type.Null()], { description });

export const RotatedSecret = Type.Object(
  {
    signatureSecret: SignatureSecret,
    formerValidUntil: MomentOrNull(
      "Until when the secret before also signs; null when not at all.",
    ),
  },
  { ...strict, title: "RotatedSecret" },
);
export type RotatedSecret = Static<typeof RotatedSecret>;

/** Counting goes no further. */
export const PENDING_COUNTED_MAX = 10_000;
/** Looking for the last success goes no further back. */
export const LATEST_LOOKED_AT = 1_000;

export const WebhookHealth = Type.Object(
  {
    enabled: Enabled,
    failingSince: MomentOrNull("The first failure that no success has followed."),
    disabledAt: MomentOrNull("When the service itself disabled it."),
    disabledReason: Type.Union([Type.Enum(["gone", "failing"]), Type.Null()], {
      description: "`gone`: the endpoint answered 410. `failing`: nothing got through for days.",
    }),
    pending: Type.Integer({
      minimum: 0,
      maximum: PENDING_COUNTED_MAX,
      description: `How many deliveries wait. ${PENDING_COUNTED_MAX} also means more.`,
    }),
    nextAttemptAt: MomentOrNull("When the next of them is due; in the past while it is overdue."),
    lastDeliveredAt: MomentOrNull(
      `The latest success among the deliveries of the ${LATEST_LOOKED_AT} youngest events.`,
    ),
    unmatchedPatterns: Type.Array(
      Type.Object(
        {
          pattern: Type.String({ description: "As it stands in `events`." }),
          nearest: Type.Union([Type.String(), Type.Null()], {
            description: "The event whose name is most like it.",
          }),
        },
        strict,
      ),
      { description: "Patterns of `events` that none of the events there are can match." },
    ),
  },
  { ...strict, title: "WebHookHealth" },
);
export type WebhookHealth = Static<typeof WebhookHealth>;

/** What whoever subscribes decides. */
export type WebhookSettings = {
  readonly description: string | null;
  readonly events: readonly string[];
  readonly endpoint: string;
  readonly enabled: boolean;
};

/** `gone`: the endpoint answered 410; `failing`: nothing got through for days. */
export type DisabledReason = "gone" | "failing";

export type Webhook = WebhookSettings & {
  readonly id: string;
  readonly version: number;
  readonly sealedSecret: Buffer;
  /** Events are delivered one after the other. */
  readonly ordered: boolean;
  /** Since the first failure that no success has followed. */
  readonly failingSince: Date | null;
  /** By the service itself; whoever enables it again takes that back. */
  readonly disabledAt: Date | null;
  readonly disabledReason: DisabledReason | null;
};

export function presentWebhook(webhook: Webhook, signatureSecret: string): WebHookWithId {
  const { id, description, events, endpoint, enabled } = webhook;
  return { id, description, events: [...events], endpoint, enabled, signatureSecret };
}

type Rotated = {
  readonly signatureSecret: string;
  readonly formerValidUntil: Date | undefined;
};

export function presentRotated({ signatureSecret, formerValidUntil }: Rotated): RotatedSecret {
  return { signatureSecret, formerValidUntil: formerValidUntil?.toISOString() ?? null };
}

/** For the audit trail, which others may read: without what a query likes to hold, keys. */
export function presentForAudit({ description, events, endpoint, enabled }: WebhookSettings) {
  return { description, events, endpoint: withoutQuery(endpoint), enabled };
}

export function withoutQuery(endpoint: string): string {
  const [address = "", query] = endpoint.split("?", 2);
  return query ? `${address}?…` : address;
}

export function versionOf({ id, version }: Webhook): string {
  return `${id}.${version}`;
}

export const WEBHOOK_EXAMPLE: WebHookWithId = {
  id: ID_EXAMPLE,
  description: "Tells the till about new passes",
  events: ["pass.*", "store.*.updated"],
  endpoint: "https://hooks.cafe-lune.example/passes",
  enabled: true,
  signatureSecret: Buffer.alloc(48, "an example, not a secret").toString("base64"),
};
