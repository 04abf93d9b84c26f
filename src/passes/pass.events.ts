import Type from "typebox";
import { defineEvent, type EventDefinition } from "#kernel/events/define.ts";
import { PASS_EXAMPLE, PassResource } from "./pass.schema.ts";

function passEvent(name: string, summary: string) {
  return defineEvent({ name, version: 1, summary, payload: PassResource, example: PASS_EXAMPLE });
}

// Names and fields are a published contract: add, never rename or remove.
export const passCreated = passEvent("pass.created", "A pass was created.");
export const passUpdated = passEvent(
  "pass.updated",
  "Contents of a pass changed: its data, identifiers, metadata or expiry.",
);
export const passDisabled = passEvent("pass.disabled", "A pass was disabled.");
export const passEnabled = passEvent(
  "pass.enabled",
  "A pass that was disabled or had expired is active again.",
);
export const passExpired = passEvent("pass.expired", "The time of a pass is over.");

function walletEvent(name: string, summary: string) {
  return defineEvent({
    name,
    version: 1,
    summary,
    payload: Type.Object({ ...PassResource.properties, wallet: Type.Enum(["apple", "google"]) }),
    example: { ...PASS_EXAMPLE, wallet: "apple" as const },
  });
}

export const passInstalled = walletEvent(
  "pass.installed",
  "A wallet holds a pass that was in none of its devices before.",
);
export const passUninstalled = walletEvent(
  "pass.uninstalled",
  "The last device of a wallet that held a pass removed it.",
);

export const passDeleted = defineEvent({
  name: "pass.deleted",
  version: 1,
  summary: "A pass was erased, and with it what was known of its holder.",
  payload: Type.Object({ id: Type.String(), passType: Type.String() }),
  example: { id: PASS_EXAMPLE.id, passType: PASS_EXAMPLE.passType },
});

export const passNotified = defineEvent({
  name: "pass.notified",
  version: 1,
  summary: "A message was sent to the holder of a pass.",
  payload: Type.Object({
    id: Type.String(),
    passType: Type.String(),
    title: Type.Union([Type.String(), Type.Null()]),
    content: Type.Union([Type.String(), Type.Null()]),
    localizedContent: Type.Record(Type.String(), Type.String()),
  }),
  example: {
    id: PASS_EXAMPLE.id,
    passType: PASS_EXAMPLE.passType,
    title: null,
    content: "Your table is ready.",
    localizedContent: {},
  },
});

export const passEvents: readonly EventDefinition[] = [
  passCreated,
  passUpdated,
  passDisabled,
  passEnabled,
  passExpired,
  passInstalled,
  passUninstalled,
  passDeleted,
  passNotified,
];
