import Type, { type Static } from "typebox";

export const INBOX_STATUSES = ["waiting", "done", "ignored", "failed"] as const;
export type InboxStatus = (typeof INBOX_STATUSES)[number];

export type DeliverySummary = {
  readonly id: string;
  readonly connector: string;
  readonly topic: string;
  readonly subject: string;
  readonly status: InboxStatus;
  readonly occurredAt: Date;
  readonly receivedAt: Date;
  readonly finishedAt: Date | null;
  readonly attempts: number;
  readonly nextAttemptAt: Date;
  readonly problem: string | null;
};

export type StoredDelivery = DeliverySummary & {
  readonly headers: Readonly<Record<string, string>>;
  /** Null after an erasure. */
  readonly body: Buffer | null;
  readonly result: unknown;
};

const Maybe = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const Moment = Type.String({ format: "date-time" });
const ID_EXAMPLE = "inb_0VfQm3Ks00x7Rk2LwPq9Zt";

const summary = {
  deliveryId: Type.String({ examples: [ID_EXAMPLE] }),
  topic: Type.String({ description: "What the vendor calls it." }),
  subject: Type.String({
    description: "What it is about. Those of one subject are done in order.",
  }),
  status: Type.Enum(INBOX_STATUSES, {
    description: "`ignored` if there was nothing to do, `failed` if somebody should look at it.",
  }),
  occurredAt: Moment,
  receivedAt: Moment,
  finishedAt: Maybe(Moment),
  attempts: Type.Integer(),
  nextAttemptAt: Maybe(Moment),
  problem: Maybe(Type.String({ description: "Why it failed, was passed over or waits." })),
};

export const InboxDelivery = Type.Object(summary, { title: "InboxDelivery" });
export type InboxDelivery = Static<typeof InboxDelivery>;

export const InboxDeliveryDetail = Type.Object(
  {
    ...summary,
    headers: Type.Record(Type.String(), Type.String(), {
      description: "As they arrived, without those by which a vendor signs in.",
    }),
    body: Maybe(Type.String({ description: "As text; null after an erasure." })),
    result: Type.Unknown({ description: "What was done about it, action by action." }),
  },
  { title: "InboxDeliveryDetail" },
);
export type InboxDeliveryDetail = Static<typeof InboxDeliveryDetail>;

export const InboxParams = Type.Object({
  tenantId: Type.String(),
  connector: Type.String({ description: "The connector, by its name.", examples: ["shopify"] }),
  inboxDeliveryId: Type.String({ description: "The delivery.", examples: [ID_EXAMPLE] }),
});

export const ReceiveParams = Type.Object({
  tenantId: Type.String(),
  connector: Type.String({ description: "The connector, by its name.", examples: ["shopify"] }),
  inboxToken: Type.String({
    description: "The unguessable part of the address.",
    examples: ["0VfQm3Ks00x7Rk2LwPq9Zt4hJ6nB8vC1xD3sF5gL"],
  }),
});

export function presentDelivery(delivery: DeliverySummary): InboxDelivery {
  const { id, topic, subject, status, attempts, problem } = delivery;
  return {
    deliveryId: id,
    topic,
    subject,
    status,
    occurredAt: delivery.occurredAt.toISOString(),
    receivedAt: delivery.receivedAt.toISOString(),
    finishedAt: delivery.finishedAt?.toISOString() ?? null,
    attempts,
    nextAttemptAt: status === "waiting" ? delivery.nextAttemptAt.toISOString() : null,
    problem,
  };
}

export function presentDetail(delivery: StoredDelivery): InboxDeliveryDetail {
  const { headers, body, result } = delivery;
  const text = body?.toString("utf8") ?? null;
  return { ...presentDelivery(delivery), headers, body: text, result };
}

export const DELIVERY_EXAMPLE: InboxDelivery = {
  deliveryId: ID_EXAMPLE,
  topic: "orders/paid",
  subject: "orderId=1001",
  status: "done",
  occurredAt: "2026-01-31T09:29:58.000Z",
  receivedAt: "2026-01-31T09:30:00.000Z",
  finishedAt: "2026-01-31T09:30:00.120Z",
  attempts: 1,
  nextAttemptAt: null,
  problem: null,
};

export const DETAIL_EXAMPLE: InboxDeliveryDetail = {
  ...DELIVERY_EXAMPLE,
  headers: { "x-shopify-topic": "orders/paid" },
  body: '{"id":1001,"total_price":"12.00"}',
  result: [{ do: "movement", outcome: "done", passId: "ps_0VfQm3Ks00x7Rk2LwPq9Zt" }],
};
