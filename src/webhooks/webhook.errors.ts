import { defineError } from "#kernel/errors.ts";

// Also for a webhook of another tenant: the two cases must be indistinguishable.
export const webhookNotFound = defineError({
  code: "webhook.not-found",
  status: 404,
  title: "Webhook not found",
  detail: ({ id }: { id: string }) => `This tenant has no webhook '${id}'.`,
});

export const webhookTooMany = defineError({
  code: "webhook.too-many",
  status: 409,
  title: "Too many webhooks",
  detail: ({ most }: { most: number }) =>
    `This tenant has ${most} webhooks, as many as it can have. Delete one that is not needed.`,
});

export const webhookUnreadable = defineError({
  code: "webhook.unreadable",
  status: 409,
  title: "Webhook cannot be read",
  detail: ({ id }: { id: string }) =>
    `What is stored as the secret of '${id}' was changed outside of this service. Delete the webhook and create it again.`,
});

export const webhookIsDisabled = defineError({
  code: "webhook.is-disabled",
  status: 409,
  title: "Webhook is disabled",
  detail: ({ id }: { id: string }) =>
    `Nothing is delivered to '${id}' while it is disabled. Enable it first.`,
});

export const deliveryNotFound = defineError({
  code: "delivery.not-found",
  status: 404,
  title: "Delivery not found",
  detail: ({ id }: { id: string }) => `This webhook has no delivery '${id}'.`,
});

export const deliveryEventGone = defineError({
  code: "delivery.event-gone",
  status: 409,
  title: "Event is gone",
  detail: ({ id }: { id: string }) =>
    `The event '${id}' was kept as long as the tenant's settings say: there is nothing left to send.`,
});
