import Type, { type Static } from "typebox";
import { presenter, type ShownMembers } from "#kernel/members.ts";
import { DeviceSettings } from "./device.settings.ts";

const ID_EXAMPLE = "dev_0WnTq3Xk00aB3dE5fG7hI9";
const NAME_LENGTH_MAX = 100;

const Moment = Type.String({ format: "date-time" });
const strict = { additionalProperties: false } as const;

const Name = Type.String({
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  pattern: "\\S",
  mustBe: `1 to ${NAME_LENGTH_MAX} characters, not only spaces`,
  description: "For people. Two devices may have the same name.",
  examples: ["North door"],
});

export const DeviceStatus = Type.Enum(["registered", "connected"], {
  description: "`connected`: it has a key. `registered`: it has none yet.",
});
export type DeviceStatus = "registered" | "connected";

export const DeviceParams = Type.Object({
  tenantId: Type.String(),
  deviceId: Type.String({ description: "The device.", examples: [ID_EXAMPLE] }),
});

export const DeviceView = Type.Object(
  {
    deviceId: Type.String({ description: "Given by the service. Never changes." }),
    name: Type.String(),
    settings: DeviceSettings,
    status: DeviceStatus,
    lastSeenAt: Type.Union([Moment, Type.Null()], {
      description: "When its key was last used, up to ten seconds behind; null for never.",
    }),
    createdAt: Moment,
    updatedAt: Moment,
    version: Type.Integer({
      minimum: 1,
      description: "Rises with every change; `lastSeenAt` alone does not move it.",
    }),
  },
  { title: "Device" },
);
export type DeviceView = Static<typeof DeviceView>;

export const DeviceRegistration = Type.Object(
  { name: Name, settings: Type.Optional(DeviceSettings) },
  { ...strict, title: "DeviceRegistration" },
);
export type DeviceRegistration = Static<typeof DeviceRegistration>;

export const DeviceUpdate = Type.Object(
  { name: Type.Optional(Name), settings: Type.Optional(DeviceSettings) },
  { ...strict, minProperties: 1, title: "DeviceUpdate" },
);
export type DeviceUpdate = Static<typeof DeviceUpdate>;

/** What a device needs to work: the only place where its key is ever shown. */
export const DeviceConnection = Type.Object(
  {
    apiKey: Type.String({
      description:
        "The key of the device, for the header `X-API-KEY`. It is shown here and never again.",
    }),
    environmentUri: Type.String({
      format: "uri",
      description: "Where the device finds its tenant: `{environmentUri}/scans` and so on.",
    }),
    deviceId: Type.String(),
  },
  { title: "DeviceConnection" },
);
export type DeviceConnection = Static<typeof DeviceConnection>;

export type DeviceFields = { readonly name: string; readonly settings: DeviceSettings };

export type Device = DeviceFields & {
  readonly id: string;
  readonly status: DeviceStatus;
  readonly lastSeenAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
};

/** All members of a device, in the order shown. CONTRIBUTING.md explains how to add one. */
export const DEVICE_MEMBERS = {
  id: { column: "id", type: "text", written: "insert", shownAs: "deviceId" },
  name: { column: "name", type: "text", written: "always", shownAs: "name" },
  settings: { column: "settings", type: "jsonb", written: "always", shownAs: "settings" },
  // Written by the statements that connect a device and that note its last use.
  status: { column: "status", type: "text", written: "never", shownAs: "status" },
  lastSeenAt: {
    column: "last_seen_at",
    type: "timestamptz",
    written: "never",
    shownAs: "lastSeenAt",
  },
  createdAt: { column: "created_at", type: "timestamptz", written: "insert", shownAs: "createdAt" },
  // Every change sets the time and the version itself.
  updatedAt: { column: "updated_at", type: "timestamptz", written: "insert", shownAs: "updatedAt" },
  version: { column: "version", type: "integer", written: "never", shownAs: "version" },
} as const satisfies ShownMembers<Device, DeviceView>;

export const presentDevice = presenter<Device, DeviceView, typeof DEVICE_MEMBERS>(DEVICE_MEMBERS);

/** Contains the id, so that two devices never have the same version. */
export function versionOf({ id, version }: Device): string {
  return `${id}.${version}`;
}

export const DEVICE_EXAMPLE: DeviceView = {
  deviceId: ID_EXAMPLE,
  name: "North door",
  settings: {
    passTypes: ["loyalty"],
    redeem: { privilegeId: "entry", amount: 1 },
    location: "North door",
    sound: true,
    language: "fr",
  },
  status: "connected",
  lastSeenAt: "2026-03-02T09:31:12.480Z",
  createdAt: "2026-03-02T09:30:00.000Z",
  updatedAt: "2026-03-02T09:30:40.000Z",
  version: 2,
};

// The check characters are wrong, so that secret scanners do not report this example as a leak.
export const CONNECTION_EXAMPLE: DeviceConnection = {
  apiKey: `bf_dev_test_4kQz${"x".repeat(39)}000000`,
  environmentUri: "https://passes.example.com/api/cafe-lune",
  deviceId: ID_EXAMPLE,
};
