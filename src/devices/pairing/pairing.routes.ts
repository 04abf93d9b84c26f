import { problemKinds } from "#kernel/http/problem.ts";
import { defineRoute, type Route } from "#kernel/http/route.ts";
import { apiKeyScopeNotHeld } from "#src/api-keys/public.ts";
import { deviceNotFound } from "../device.errors.ts";
import { CONNECTION_EXAMPLE, DeviceConnection, DeviceParams } from "../device.schema.ts";
import { pairingCodeUnknown } from "./pairing.errors.ts";
import { PAIRING_EXAMPLE, PairingRequest, PairingView } from "./pairing.schema.ts";
import { createPairing, redeemPairing } from "./pairing.service.ts";

const BODY_BYTES_MAX = 1_024;

const pairingCreate = defineRoute({
  op: "pairing.create",
  method: "POST",
  url: "/api/:tenantId/devices/:deviceId/pairing",
  scope: "Device.Write",
  summary: "Make a pairing code for a device",
  description:
    "Six characters that give the device its key, once and within ten minutes, so that nobody has to type one. The caller must hold `PassScan.Scan` and `Pass.Read`, as the key will: 403. A new code ends the one before. Pairing a device that is connected gives it a new key and ends the old one.",
  params: DeviceParams,
  reply: PairingView,
  noStore: true,
  errors: [apiKeyScopeNotHeld, deviceNotFound, problemKinds.preconditionFailed],
  example: { reply: PAIRING_EXAMPLE },
  handle: (context, { params }) => createPairing(context, params.deviceId),
});

const pairingRedeem = defineRoute({
  op: "pairing.redeem",
  method: "POST",
  url: "/.well-known/billfold/pair",
  scope: "public",
  summary: "Pair a device by its code",
  description:
    "For the device itself: gives it the answer that connecting it gives. A wrong, used, replaced or expired code is 404, always with the same text. Too many attempts are answered 429: more than ten wrong codes a minute from one address, 60 from one network, 1,200 attempts in all.",
  body: PairingRequest,
  bodySizeBytesMax: BODY_BYTES_MAX,
  reply: DeviceConnection,
  noStore: true,
  errors: [pairingCodeUnknown, problemKinds.rateLimited, problemKinds.unavailable],
  example: { body: { code: PAIRING_EXAMPLE.code }, reply: CONNECTION_EXAMPLE },
  handle: (context, { body }) => redeemPairing(context, body.code),
});

export const pairingRoutes: readonly Route[] = [pairingCreate, pairingRedeem];
