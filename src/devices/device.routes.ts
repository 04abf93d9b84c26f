import Type from "typebox";
import { problemKinds } from "#kernel/http/problem.ts";
import { answer, defineRoute, type Route } from "#kernel/http/route.ts";
import { apiKeyScopeNotHeld } from "#src/api-keys/public.ts";
import {
  deviceAlreadyConnected,
  deviceNotCalling,
  deviceNotFound,
  deviceTooMany,
} from "./device.errors.ts";
import { DEVICE_LIST, listDevices } from "./device.repository.ts";
import {
  CONNECTION_EXAMPLE,
  DEVICE_EXAMPLE,
  type Device,
  DeviceConnection,
  DeviceParams,
  DeviceRegistration,
  DeviceUpdate,
  DeviceView,
  presentDevice,
  versionOf,
} from "./device.schema.ts";
import {
  connectDevice,
  deleteDevice,
  getCurrentDevice,
  getDevice,
  registerDevice,
  resetDevice,
  updateDevice,
} from "./device.service.ts";

const { name, settings } = DEVICE_EXAMPLE;

const deviceList = defineRoute({
  op: "device.list",
  method: "GET",
  url: "/api/:tenantId/devices",
  scope: "Device.Read",
  summary: "List the devices",
  description: "The oldest first. Never their keys.",
  list: DEVICE_LIST,
  reply: Type.Array(DeviceView),
  example: { reply: [DEVICE_EXAMPLE] },
  handle: listDevices,
});

const deviceRegister = defineRoute({
  op: "device.register",
  method: "POST",
  url: "/api/:tenantId/devices",
  scope: "Device.Write",
  summary: "Register a device",
  description:
    "A phone, a tablet or a reader that scans passes. It gets its key by a pairing code, or by connecting it here.",
  body: DeviceRegistration,
  reply: DeviceView,
  status: 201,
  replyHeaders: ["ETag"],
  errors: [deviceTooMany],
  example: {
    body: { name, settings },
    reply: { ...DEVICE_EXAMPLE, status: "registered", lastSeenAt: null, version: 1 },
  },
  async handle(context, { body }) {
    const device = await registerDevice(context, body);
    return answer(presentDevice(device), {
      status: 201,
      headers: { location: `/api/${context.tenantId}/devices/${device.id}` },
      version: versionOf(device),
    });
  },
});

/** Before the route of one device: its word is no id, because ids are given by the service. */
const deviceGetCurrent = defineRoute({
  op: "device.get-current",
  method: "GET",
  url: "/api/:tenantId/devices/current",
  scope: "PassScan.Scan",
  summary: "Read the device that asks",
  description:
    "For a device with its own key: its name and its settings. Other credentials belong to no device: 404.",
  answersNotModified: false,
  reply: DeviceView,
  replyHeaders: ["ETag"],
  errors: [deviceNotFound, deviceNotCalling],
  example: { reply: DEVICE_EXAMPLE },
  async handle(context) {
    return presented(await getCurrentDevice(context));
  },
});

const deviceGet = defineRoute({
  op: "device.get",
  method: "GET",
  url: "/api/:tenantId/devices/:deviceId",
  scope: "Device.Read",
  summary: "Read one device",
  description:
    "The ETag is for `If-Match`: `lastSeenAt` alone does not move it. So a read is never 304.",
  params: DeviceParams,
  answersNotModified: false,
  reply: DeviceView,
  errors: [deviceNotFound],
  example: { reply: DEVICE_EXAMPLE },
  async handle(context, { params }) {
    return presented(await getDevice(context, params.deviceId));
  },
});

const deviceUpdate = defineRoute({
  op: "device.update",
  method: "PUT",
  url: "/api/:tenantId/devices/:deviceId",
  scope: "Device.Write",
  summary: "Change the name or the settings of a device",
  description:
    "A member left out stays as it is; `settings` are replaced as a whole. The key stays the same, and the scanner page reads its settings again within five minutes.",
  params: DeviceParams,
  body: DeviceUpdate,
  reply: DeviceView,
  errors: [deviceNotFound],
  example: { body: { name, settings }, reply: DEVICE_EXAMPLE },
  async handle(context, { params, body }) {
    return presented(await updateDevice(context, params.deviceId, body));
  },
});

const deviceDelete = defineRoute({
  op: "device.delete",
  method: "DELETE",
  url: "/api/:tenantId/devices/:deviceId",
  scope: "Device.Write",
  summary: "Remove a device and revoke its key",
  description:
    "Every request with its key that begins after the answer is refused, on every node. Its scans stay.",
  params: DeviceParams,
  errors: [deviceNotFound],
  handle: (context, { params }) => deleteDevice(context, params.deviceId),
});

const deviceConnect = defineRoute({
  op: "device.connect",
  method: "POST",
  url: "/api/:tenantId/devices/:deviceId/connect",
  scope: "Device.Write",
  summary: "Give a device its key",
  description:
    "The key holds `PassScan.Scan` and `Pass.Read`, so the caller must hold them too: 403. It cannot be read again later. A device that is connected already: 409, use `connections/reset`.",
  params: DeviceParams,
  reply: DeviceConnection,
  noStore: true,
  errors: [
    apiKeyScopeNotHeld,
    deviceNotFound,
    deviceAlreadyConnected,
    problemKinds.preconditionFailed,
  ],
  example: { reply: CONNECTION_EXAMPLE },
  handle: (context, { params }) => connectDevice(context, params.deviceId),
});

const deviceResetKey = defineRoute({
  op: "device.reset",
  method: "POST",
  url: "/api/:tenantId/devices/:deviceId/connections/reset",
  scope: "Device.Write",
  summary: "Give a device a new key",
  description:
    "Every request with the old key that begins after the answer is refused, on every node. A device without a key gets its first one. The caller must hold `PassScan.Scan` and `Pass.Read`, as the key does: 403. A pairing code that is open ends. A repetition with the same `Idempotency-Key` answers the same key for 24 hours, also if another reset has ended it since.",
  params: DeviceParams,
  reply: DeviceConnection,
  noStore: true,
  errors: [apiKeyScopeNotHeld, deviceNotFound, problemKinds.preconditionFailed],
  example: { reply: CONNECTION_EXAMPLE },
  handle: (context, { params }) => resetDevice(context, params.deviceId),
});

function presented(device: Device) {
  return answer(presentDevice(device), { version: versionOf(device) });
}

export const deviceRoutes: readonly Route[] = [
  deviceList,
  deviceRegister,
  deviceGetCurrent,
  deviceGet,
  deviceUpdate,
  deviceDelete,
  deviceConnect,
  deviceResetKey,
];
