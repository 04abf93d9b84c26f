import Type, { type Static } from "typebox";
import type { Members } from "#kernel/members.ts";
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
/** Without the keyword `default`: generators treat a member with a default as required. */
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

/** A client that sends back what it read must not be refused, and must not change fixed members. */
const ignored = {
  id: Type.Optional(Type.Unknown({ description: "Ignored, whatever it is." })),
  signatureSecret: Type.Optional(Type.Unknown({ description: "Ignored, whatever it is." })),
};

/** The published `WebHook` or `WebHookWithId`. */
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

/** Settings that are not part of the published shape of a webhook. */
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

/** Pending deliveries are counted up to this number. */
export const PENDING_COUNTED_MAX = 10_000;
/** The last success is searched among so many deliveries. */
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

/** The settings that the subscriber chooses. */
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
  /** True if events are delivered one after the other. */
  readonly ordered: boolean;
  /** The time of the first failure after the last success. */
  readonly failingSince: Date | null;
  /** Set when the service itself disabled the webhook; enabling it again clears this. */
  readonly disabledAt: Date | null;
  readonly disabledReason: DisabledReason | null;
};

/** Every member of a webhook. CONTRIBUTING.md says how to add one. */
export const WEBHOOK_MEMBERS = {
  id: { column: "id", type: "text", written: "insert" },
  description: { column: "description", type: "text", written: "always" },
  events: { column: "events", type: "text[]", written: "always" },
  endpoint: { column: "endpoint", type: "text", written: "always" },
  enabled: { column: "enabled", type: "boolean", written: "always" },
  sealedSecret: { column: "signature_secret", type: "bytea", written: "insert" },
  // The members below are written by separate statements and start with the default of their
  // column.
  version: { column: "version", type: "integer", written: "never" },
  ordered: { column: "ordered", type: "boolean", written: "never" },
  failingSince: { column: "failing_since", type: "timestamptz", written: "never" },
  disabledAt: { column: "disabled_at", type: "timestamptz", written: "never" },
  disabledReason: { column: "disabled_reason", type: "text", written: "never" },
} as const satisfies Members<Webhook>;

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

/**
 * For the audit trail, which more people can read: without the query string, which often holds
 * keys.
 */
export function presentForAudit(settings: WebhookSettings): WebhookSettings {
  const { description, events, endpoint, enabled } = settings;
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
