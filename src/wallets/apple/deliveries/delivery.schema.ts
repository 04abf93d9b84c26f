import { createHash } from "node:crypto";
import Type, { type Static } from "typebox";
import type { LedgerRow } from "./delivery-ledger.repository.ts";

const Moment = Type.String({ format: "date-time" });
const MaybeMoment = Type.Union([Moment, Type.Null()]);

export const DeviceDelivery = Type.Object(
  {
    wallet: Type.Enum(["apple"]),
    device: Type.String({ description: "Tells the devices apart. It is a hash." }),
    revision: Type.Integer({ minimum: 1 }),
    state: Type.Enum(["queued", "pushed", "asked", "fetched", "superseded", "gone", "failed"], {
      description:
        "`pushed`: Apple took the push. `asked`: the device asked what has changed. `fetched`: it has the pass. `superseded`: a newer change came first. `gone`: the device no longer has the pass, or Apple no longer knows its token. `failed`: it was told several times and did not come, or cannot be told: see `lastReason`.",
    }),
    queuedAt: Moment,
    pushedAt: MaybeMoment,
    askedAt: MaybeMoment,
    endedAt: MaybeMoment,
    nextPushAt: MaybeMoment,
    pushes: Type.Integer({ minimum: 0, description: "Pushes that Apple accepted." }),
    failures: Type.Integer({ minimum: 0, description: "Tries since then that failed." }),
    lastStatus: Type.Union([Type.Integer(), Type.Null()]),
    lastReason: Type.Union([Type.String(), Type.Null()]),
  },
  { title: "DeviceDelivery" },
);
export type DeviceDelivery = Static<typeof DeviceDelivery>;

export const PushQueue = Type.Object(
  {
    state: Type.Enum(["open", "refused", "unreachable"], {
      description:
        "`refused`: Apple does not accept the certificate, so nothing is pushed for this tenant. `unreachable`: Apple does not answer or, with the reason `NoService`, no push service is set up for certificates of the development authority. Both are tried again by themselves.",
    }),
    reason: Type.Union([Type.String(), Type.Null()]),
    since: MaybeMoment,
    triedAgainAt: MaybeMoment,
  },
  { title: "PushQueue" },
);
export type PushQueue = Static<typeof PushQueue>;

export const DeviceDeliveries = Type.Object(
  { queue: PushQueue, deliveries: Type.Array(DeviceDelivery) },
  { title: "DeviceDeliveries" },
);

export const DELIVERIES_EXAMPLE: Static<typeof DeviceDeliveries> = {
  queue: { state: "open", reason: null, since: null, triedAgainAt: null },
  deliveries: [
    {
      wallet: "apple",
      device: "q8Jm0vXr2Tt5Yc1B",
      revision: 4,
      state: "fetched",
      queuedAt: "2026-01-31T09:30:00.000Z",
      pushedAt: "2026-01-31T09:30:00.180Z",
      askedAt: "2026-01-31T09:30:01.920Z",
      endedAt: "2026-01-31T09:30:02.410Z",
      nextPushAt: null,
      pushes: 1,
      failures: 0,
      lastStatus: 200,
      lastReason: null,
    },
  ],
};

const SHOWN_LENGTH = 16;

/** The id of a device lets whoever knows it ask for its passes, so only a hash of it is shown. */
export function shownDevice(tenantId: string, deviceId: string): string {
  const text = `apple device ${tenantId} ${deviceId}`;
  return createHash("sha256").update(text).digest("base64url").slice(0, SHOWN_LENGTH);
}

export function presentDelivery(tenantId: string, row: LedgerRow): DeviceDelivery {
  const { deviceId, passTypeIdentifier: _topic, ...shown } = row;
  return {
    ...shown,
    wallet: "apple",
    device: shownDevice(tenantId, deviceId),
    state: row.state as DeviceDelivery["state"],
    queuedAt: row.queuedAt.toISOString(),
    pushedAt: row.pushedAt?.toISOString() ?? null,
    askedAt: row.askedAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
    nextPushAt: row.nextPushAt?.toISOString() ?? null,
  };
}
