import { defineError } from "#kernel/errors.ts";

// Also for a device of another tenant: the two cases must be indistinguishable.
export const deviceNotFound = defineError({
  code: "device.not-found",
  status: 404,
  title: "Device not found",
  detail: ({ deviceId }: { deviceId: string }) => `This tenant has no device '${deviceId}'.`,
});

export const deviceNotCalling = defineError({
  code: "device.not-calling",
  status: 404,
  title: "The caller is no device",
  detail: () => "The credential of this request does not belong to a device.",
});

export const deviceAlreadyConnected = defineError({
  code: "device.already-connected",
  status: 409,
  title: "Device is connected already",
  detail: ({ deviceId }: { deviceId: string }) =>
    `Device '${deviceId}' has a key, which cannot be shown again. To give it a new one, use connections/reset.`,
});

export const deviceTooMany = defineError({
  code: "device.too-many",
  status: 409,
  title: "Too many devices",
  detail: ({ most }: { most: number }) =>
    `This tenant has ${most} devices, as many as it can have. Delete one that is not needed.`,
});
