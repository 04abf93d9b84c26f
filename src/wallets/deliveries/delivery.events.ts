import Type from "typebox";
import { defineEvent, type EventDefinition } from "#kernel/events/define.ts";

const Moment = Type.String({ format: "date-time" });

const members = {
  id: Type.String({ description: "The pass." }),
  passType: Type.String(),
  wallet: Type.Enum(["apple", "google"]),
  device: Type.Union([Type.String(), Type.Null()], {
    description:
      "Tells the devices of a wallet apart; null for a wallet that tells nothing of its devices. It is a hash, and not the id that the device itself uses.",
  }),
  revision: Type.Integer({
    minimum: 1,
    description: "Counts the changes that the wallet was told of.",
  }),
  pushes: Type.Integer({ minimum: 0, description: "How often the device was told." }),
  queuedAt: Moment,
};

const example = {
  id: "ps_0VfQm3Ks00x7Rk2LwPq9Zt",
  passType: "loyalty",
  wallet: "apple" as const,
  device: "q8Jm0vXr2Tt5Yc1B",
  revision: 4,
  pushes: 1,
  queuedAt: "2026-01-31T09:30:00.000Z",
};

// Names and fields are a published contract: add, never rename or remove.
export const passUpdateDelivered = defineEvent({
  name: "pass.update-delivered",
  version: 1,
  summary: "A wallet has the newest content of a pass that changed.",
  payload: Type.Object({ ...members, deliveredAt: Moment }),
  example: { ...example, deliveredAt: "2026-01-31T09:30:02.410Z" },
});

export const passUpdateFailed = defineEvent({
  name: "pass.update-failed",
  version: 1,
  summary:
    "A wallet did not get a pass that changed: it did not fetch it, however often it was told, or cannot be told. It gets the newest content when it asks by itself.",
  payload: Type.Object({
    ...members,
    failedAt: Moment,
    reason: Type.Union([Type.String(), Type.Null()], {
      description: "What the push service said last; null if it accepted every push.",
    }),
  }),
  example: { ...example, pushes: 5, failedAt: "2026-02-02T16:45:00.000Z", reason: null },
});

export const passNotificationFailed = defineEvent({
  name: "pass.notification-failed",
  version: 1,
  summary:
    "A wallet did not get a message to the holder of a pass: it refused it, or could not be told in time. It is not sent again.",
  payload: Type.Object({
    id: members.id,
    passType: members.passType,
    wallet: members.wallet,
    eventId: Type.String({ description: "The event `pass.notified` of the message." }),
    notifiedAt: Moment,
    failedAt: Moment,
    reason: Type.String(),
  }),
  example: {
    id: example.id,
    passType: example.passType,
    wallet: "google",
    eventId: "evt_0VfQm3Ks00x7Rk2LwPq9Zt",
    notifiedAt: example.queuedAt,
    failedAt: "2026-02-03T10:23:00.000Z",
    reason: "Google refused the account for 3 days.",
  },
});

export const walletDeliveryEvents: readonly EventDefinition[] = [
  passUpdateDelivered,
  passUpdateFailed,
  passNotificationFailed,
];
