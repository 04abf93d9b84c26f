import Type from "typebox";
import type { EventDefinition } from "#kernel/events/define.ts";
import { defineEvent } from "#kernel/events/define.ts";
import { TEST_EVENT_NAME } from "#src/events/public.ts";
import { WEBHOOK_EXAMPLE } from "./webhook.schema.ts";

const Moment = Type.String({ format: "date-time" });

export const webhookDisabled = defineEvent({
  name: "webhook.disabled",
  version: 1,
  summary:
    "The service stopped delivering to a webhook: its endpoint said that it is gone, or nothing got through for days. Events are kept and can be recovered.",
  payload: Type.Object({
    id: Type.String({ description: "The webhook." }),
    description: Type.Union([Type.String(), Type.Null()]),
    events: Type.Array(Type.String()),
    endpoint: Type.String({ description: "Without its query, which may hold keys." }),
    reason: Type.Enum(["gone", "failing"], {
      description:
        "`gone`: the endpoint answered 410. `failing`: every attempt of five days failed.",
    }),
    disabledAt: Moment,
    failingSince: Type.Union([Moment, Type.Null()], {
      description: "The first failure that no success has followed.",
    }),
  }),
  example: {
    id: WEBHOOK_EXAMPLE.id,
    description: WEBHOOK_EXAMPLE.description,
    events: WEBHOOK_EXAMPLE.events,
    endpoint: WEBHOOK_EXAMPLE.endpoint,
    reason: "failing",
    disabledAt: "2026-01-31T09:30:00.000Z",
    failingSince: "2026-01-26T09:29:41.250Z",
  },
});

export const webhookTest = defineEvent({
  name: TEST_EVENT_NAME,
  version: 1,
  summary:
    "Somebody tries out a webhook. Goes to that webhook alone, whatever events it subscribes to.",
  payload: Type.Object({
    webhookId: Type.String({ description: "The webhook that is tried out." }),
    message: Type.String(),
    sample: Type.Union(
      [
        Type.Object({
          event: Type.String({ description: "Name of an event." }),
          data: Type.Unknown({ description: "What such an event holds." }),
        }),
        Type.Null(),
      ],
      { description: "An example of the event that was asked for, if one was." },
    ),
  }),
  example: {
    webhookId: WEBHOOK_EXAMPLE.id,
    message: "This is a test. Nothing has happened.",
    sample: {
      event: "configuration.published",
      data: {
        tenantId: "cafe-lune",
        version: 7,
        changes: [{ path: "tenant.yml", change: "changed" }],
        changeCount: 1,
        message: null,
        author: "ana@cafe-lune.example",
      },
    },
  },
});

export const webhookEvents: readonly EventDefinition[] = [webhookDisabled, webhookTest];
