import Type, { type Static } from "typebox";
import type { Environment } from "#kernel/environment.ts";
import {
  PATTERN_LENGTH_MAX,
  type RawEvent,
  TEST_EVENT_NAME,
  writeEnvelope,
} from "#src/events/public.ts";
import { WEBHOOK_EXAMPLE, WebhookParams } from "../webhook.schema.ts";
import { sentOf } from "./delivery.sample.ts";
import { lastingHeaders } from "./delivery.signature.ts";

export const DELIVERY_STATES = ["pending", "retrying", "delivered", "failed"] as const;

export const DeliveryState = Type.Enum([...DELIVERY_STATES], {
  description:
    "`pending`: waits for its first attempt, or for one that somebody asked for; `retrying`: failed, and will be tried again; `delivered`: the endpoint took it; `failed`: given up after the last attempt.",
});
export type DeliveryState = Static<typeof DeliveryState>;

export const AttemptTrigger = Type.Enum(["event", "retry", "manual", "test"], {
  description:
    "Why it was made: `event`: it happened; `retry`: the attempt before failed; `manual`: somebody asked for it, by `redeliver` or `recover`; `test`: somebody tried out the webhook.",
});
export type AttemptTrigger = Static<typeof AttemptTrigger>;

const TextByName = Type.Record(Type.String(), Type.String());

/** The same shape is stored and shown. */
export const DeliveryAttempt = Type.Object(
  {
    at: Type.String({ format: "date-time" }),
    trigger: AttemptTrigger,
    durationMs: Type.Number({ minimum: 0 }),
    connectMs: Type.Optional(
      Type.Number({ minimum: 0, description: "Absent when a connection was open already." }),
    ),
    status: Type.Union([Type.Integer(), Type.Null()], {
      description: "Null when there was no answer.",
    }),
    error: Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()], {
      description: "Why there was no answer.",
    }),
    request: Type.Object({ url: Type.String(), headers: TextByName }),
    response: Type.Union(
      [
        Type.Object({
          headers: TextByName,
          body: Type.String({ description: "The beginning of it." }),
          bodyWasCut: Type.Boolean(),
        }),
        Type.Null(),
      ],
      { description: "Null when there was no answer, or who the event was about is erased." },
    ),
  },
  { title: "DeliveryAttempt" },
);
export type DeliveryAttempt = Static<typeof DeliveryAttempt>;

const EVENT_ID_EXAMPLE = "evt_0VfQm3Ks00x7Rk2LwPq9Zt";
const strict = { additionalProperties: false } as const;
const Moment = Type.String({ format: "date-time" });

export const DeliveryParams = Type.Object({
  ...WebhookParams.properties,
  deliveryId: Type.String({
    description: "The id of the event, which the receiver saw as `webhook-id`.",
    examples: [EVENT_ID_EXAMPLE],
  }),
});

const summary = {
  id: Type.String({
    description: "The id of the event: `webhook-id` of each attempt, and `id` in the body.",
  }),
  event: Type.String({ description: "The name of the event." }),
  sampleOf: Type.Union([Type.String(), Type.Null()], {
    description: "The event that a test sends an example of, under that name; null for all others.",
  }),
  state: DeliveryState,
  createdAt: Moment,
  attemptCount: Type.Integer({
    minimum: 0,
    description: "Of all attempts, those that somebody asked for included.",
  }),
  lastStatus: Type.Union([Type.Integer(), Type.Null()], {
    description: "What the endpoint answered last; null when it did not.",
  }),
  nextAttemptAt: Type.Union([Moment, Type.Null()], {
    description: "Null unless pending or retrying.",
  }),
  finishedAt: Type.Union([Moment, Type.Null()], {
    description: "Null while pending or retrying.",
  }),
};

export const DeliverySummary = Type.Object(summary, { ...strict, title: "DeliverySummary" });
export type DeliverySummary = Static<typeof DeliverySummary>;

/** Where deliveries of many webhooks stand side by side. */
export const DeliveryOfWebhook = Type.Object(
  { webhookId: Type.String(), ...summary },
  { ...strict, title: "DeliveryOfWebhook" },
);
export type DeliveryOfWebhook = Static<typeof DeliveryOfWebhook>;

export const Delivery = Type.Object(
  {
    ...summary,
    attempts: Type.Array(DeliveryAttempt, {
      description: "The oldest first, at most the last 30.",
    }),
    body: Type.Union([Type.String(), Type.Null()], {
      description: "The exact text of every attempt; null when the event is no longer kept.",
    }),
  },
  { ...strict, title: "Delivery" },
);
export type Delivery = Static<typeof Delivery>;

export const RecoveryRequest = Type.Object(
  {
    since: Type.String({
      format: "date-time",
      description: "Events from this time on. At most as far back as events are kept.",
    }),
    until: Type.Optional(
      Type.String({ format: "date-time", description: "Up to this time. Default: now." }),
    ),
  },
  strict,
);
export type RecoveryRequest = Static<typeof RecoveryRequest>;

export const Recovery = Type.Object(
  {
    jobId: Type.String({ description: "`GET /jobs/{jobId}` tells how far it is." }),
    state: Type.Literal("started"),
    since: Moment,
    until: Moment,
  },
  { ...strict, title: "Recovery" },
);
export type Recovery = Static<typeof Recovery>;

export const TestRequest = Type.Object(
  {
    event: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: PATTERN_LENGTH_MAX,
        // Restricted, because the name is sent in a header.
        pattern: "^[A-Za-z0-9_.:*-]+$",
        mustBe: "the name of an event, such as pass.created",
        description:
          "The event to send the documented example of. Without it, the test is sent as what it is.",
        examples: ["configuration.published"],
      }),
    ),
  },
  strict,
);

/** A delivery as it is stored. */
export type DeliveryRow = {
  readonly id: string;
  readonly event: string;
  readonly sampleOf: string | null;
  readonly state: DeliveryState;
  readonly createdAt: Date;
  readonly attemptCount: number;
  readonly lastStatus: number | null;
  readonly dueAt: Date;
  readonly finishedAt: Date | null;
};

export type DeliveryRowOfWebhook = DeliveryRow & { readonly webhookId: string };

/** Attempts from before triggers were introduced have none. */
export type StoredAttempt = Omit<DeliveryAttempt, "trigger"> & Partial<DeliveryAttempt>;

export type DetailedDelivery = DeliveryRow & {
  readonly tenantId: string;
  readonly attempts: readonly StoredAttempt[];
  /** Undefined if the event was deleted after its retention time. */
  readonly happened: RawEvent | undefined;
};

export function presentSummary(row: DeliveryRow): DeliverySummary {
  const { id, event, sampleOf, state, createdAt, attemptCount, lastStatus } = row;
  const isOpen = state === "pending" || state === "retrying";
  return {
    id,
    event,
    sampleOf,
    state,
    createdAt: createdAt.toISOString(),
    attemptCount,
    lastStatus,
    nextAttemptAt: isOpen ? row.dueAt.toISOString() : null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
  };
}

export function presentDeliveryOfWebhook(row: DeliveryRowOfWebhook): DeliveryOfWebhook {
  return { webhookId: row.webhookId, ...presentSummary(row) };
}

export function presentDelivery(row: DetailedDelivery, environment: Environment): Delivery {
  const { id, tenantId, sampleOf, event, happened } = row;
  const isTest = event === TEST_EVENT_NAME;
  const lasting = lastingHeaders({ eventId: id, eventName: sampleOf ?? event, tenantId, isTest });
  return {
    ...presentSummary(row),
    attempts: row.attempts.map((attempt) => withHeaders(attempt, lasting)),
    body: happened === undefined ? null : writeEnvelope(sentOf(happened), environment),
  };
}

/** Only the headers that differ between attempts are stored; without any, nothing was sent. */
function withHeaders(attempt: StoredAttempt, lasting: Record<string, string>): DeliveryAttempt {
  const { trigger = "event" } = attempt;
  const { url, headers } = attempt.request;
  if (Object.keys(headers).length === 0) return { ...attempt, trigger };
  return { ...attempt, trigger, request: { url, headers: { ...lasting, ...headers } } };
}

/** Changes whenever something changes that the answer shows. */
export function deliveryVersionOf(row: DetailedDelivery): string {
  const { id, state, attemptCount, dueAt, happened, attempts } = row;
  const isWhole = happened === undefined ? 0 : 1;
  return [id, state, attemptCount, attempts.length, dueAt.getTime(), isWhole].join(".");
}

/** Identifies a delivery: each subscription gets each event once. */
export type DeliveryKey = {
  readonly tenantId: string;
  readonly webhookId: string;
  readonly eventId: string;
};

/** The address and the secrets of a delivery, as they were when it was claimed. */
export type DeliveryTarget = {
  readonly endpoint: string;
  readonly webhookVersion: number;
  readonly sealedSecret: Buffer;
  /** Former secrets that still sign in addition to the current one. */
  readonly formerSecrets: readonly Buffer[];
  readonly isFailing: boolean;
  /** True if the failing has lasted as long as a subscription may fail before it is disabled. */
  readonly isFailingForLong: boolean;
  readonly ordered: boolean;
  /**
   * The offset that turns `performance.now()` into the time of the database's clock, in
   * milliseconds.
   */
  readonly clockMs: number;
};

/** A delivery that only this process may attempt, until `claimed_until`. */
export type ClaimedDelivery = DeliveryKey & {
  readonly claim: string;
  readonly isRetry: boolean;
  /** True if a person asked for this attempt. */
  readonly isByHand: boolean;
  /** The number of earlier attempts in this round. */
  readonly roundAttempts: number;
  readonly createdAt: Date;
  readonly sampleOf: string | null;
  /** The same object for all deliveries of one subscription that were claimed together. */
  readonly target: DeliveryTarget;
  /** Undefined if the event was deleted after its retention time. */
  readonly event: RawEvent | undefined;
};

/** The new state of a delivery after an attempt. */
export type DeliveryOutcome = DeliveryKey & {
  readonly claim: string;
  readonly state: Exclude<DeliveryState, "pending">;
  /** When to try again, by `performance.now`; undefined for a delivery that has ended. */
  readonly retryAt: number | undefined;
  readonly attempt: DeliveryAttempt;
};

const SUMMARY_EXAMPLE: DeliverySummary = {
  id: EVENT_ID_EXAMPLE,
  event: "configuration.published",
  sampleOf: null,
  state: "delivered",
  createdAt: "2026-01-31T09:30:00.000Z",
  attemptCount: 1,
  lastStatus: 200,
  nextAttemptAt: null,
  finishedAt: "2026-01-31T09:30:00.120Z",
};

export const DELIVERIES_EXAMPLE = [SUMMARY_EXAMPLE];

export const ALL_DELIVERIES_EXAMPLE = [{ webhookId: WEBHOOK_EXAMPLE.id, ...SUMMARY_EXAMPLE }];

export const DELIVERY_EXAMPLE: Delivery = {
  ...SUMMARY_EXAMPLE,
  attempts: [
    {
      at: "2026-01-31T09:30:00.010Z",
      trigger: "event",
      durationMs: 96,
      connectMs: 41,
      status: 200,
      error: null,
      request: {
        url: WEBHOOK_EXAMPLE.endpoint,
        headers: {
          ...lastingHeaders({
            eventId: EVENT_ID_EXAMPLE,
            eventName: "configuration.published",
            tenantId: "cafe-lune",
          }),
          "x-service-signature": "5c1f…",
          "webhook-timestamp": "1769851800",
          "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        },
      },
      response: {
        headers: { "content-type": "application/json" },
        body: '{"ok":true}',
        bodyWasCut: false,
      },
    },
  ],
  body: `{"id":"${EVENT_ID_EXAMPLE}","event":"configuration.published","tenantId":"cafe-lune","occurredAt":"2026-01-31T09:30:00.000Z","environment":"production","data":{"tenantId":"cafe-lune","version":7}}`,
};

export const REDELIVERY_EXAMPLE: Delivery = {
  ...DELIVERY_EXAMPLE,
  state: "pending",
  nextAttemptAt: "2026-02-01T08:00:00.000Z",
  finishedAt: null,
};
