import { defineEvent, type EventDefinition } from "#kernel/events/define.ts";
import { DEVICE_EXAMPLE, DeviceView } from "./device.schema.ts";

export const deviceRegistered = defineEvent({
  name: "device.registered",
  version: 1,
  summary: "A scanning device was registered. It has no key yet.",
  payload: DeviceView,
  example: { ...DEVICE_EXAMPLE, status: "registered", lastSeenAt: null, version: 1 },
});

export const deviceUpdated = defineEvent({
  name: "device.updated",
  version: 1,
  summary: "The name or the settings of a device changed.",
  payload: DeviceView,
  example: DEVICE_EXAMPLE,
});

export const deviceConnected = defineEvent({
  name: "device.connected",
  version: 1,
  summary: "A device got its first key. The key itself is never part of an event.",
  payload: DeviceView,
  example: DEVICE_EXAMPLE,
});

export const deviceReset = defineEvent({
  name: "device.reset",
  version: 1,
  summary: "A device that was connected got a new key, and its old key ended.",
  payload: DeviceView,
  example: { ...DEVICE_EXAMPLE, version: 3 },
});

export const deviceDeleted = defineEvent({
  name: "device.deleted",
  version: 1,
  summary: "A device was removed, and its key ended.",
  payload: DeviceView,
  example: DEVICE_EXAMPLE,
});

export const deviceEvents: readonly EventDefinition[] = [
  deviceRegistered,
  deviceUpdated,
  deviceConnected,
  deviceReset,
  deviceDeleted,
];
