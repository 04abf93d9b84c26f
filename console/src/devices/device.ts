import type { components } from "../../generated/schema.ts";
import { api, type ListPage, take, takePage } from "../api/client.ts";
import { type ListWish, listQuery } from "../api/list-query.ts";

export type Device = components["schemas"]["Device"];
export type DeviceSettings = components["schemas"]["DeviceSettings"];
export type DeviceChange = components["schemas"]["DeviceUpdate"];
export type Connection = components["schemas"]["DeviceConnection"];
export type Pairing = components["schemas"]["Pairing"];

const MINUTE_MS = 60_000;
const ONLINE_MINUTES = 5;

export const DEVICE_EVENTS = ["device."];
export const devicesOf = (tenantId: string): readonly unknown[] => ["devices", tenantId];

const at = (tenantId: string, deviceId: string) => ({ params: { path: { tenantId, deviceId } } });

export const listDevices = (tenantId: string, wish: ListWish): Promise<ListPage<Device>> =>
  takePage(
    api.GET("/api/{tenantId}/devices", { params: { path: { tenantId }, query: listQuery(wish) } }),
  );

export const getDevice = (tenantId: string, deviceId: string): Promise<Device> =>
  take(api.GET("/api/{tenantId}/devices/{deviceId}", at(tenantId, deviceId)));

export const registerDevice = (
  tenantId: string,
  body: components["schemas"]["DeviceRegistration"],
): Promise<Device> =>
  take(api.POST("/api/{tenantId}/devices", { params: { path: { tenantId } }, body }));

export const updateDevice = (
  tenantId: string,
  deviceId: string,
  body: DeviceChange,
): Promise<Device> =>
  take(api.PUT("/api/{tenantId}/devices/{deviceId}", { ...at(tenantId, deviceId), body }));

export const removeDevice = (tenantId: string, deviceId: string): Promise<unknown> =>
  take(api.DELETE("/api/{tenantId}/devices/{deviceId}", at(tenantId, deviceId)));

export const resetDevice = (tenantId: string, deviceId: string): Promise<Connection> =>
  take(api.POST("/api/{tenantId}/devices/{deviceId}/connections/reset", at(tenantId, deviceId)));

export const createPairing = (tenantId: string, deviceId: string): Promise<Pairing> =>
  take(api.POST("/api/{tenantId}/devices/{deviceId}/pairing", at(tenantId, deviceId)));

/** Its key was used a moment ago: somebody scans with it now. */
export const isOnline = ({ lastSeenAt }: Device): boolean =>
  lastSeenAt !== null && Date.now() - Date.parse(lastSeenAt) < ONLINE_MINUTES * MINUTE_MS;

/** `K7QZ2M` is easier to type in two halves; the scanner page takes it with or without the space. */
export const inHalves = (code: string): string =>
  `${code.slice(0, code.length / 2)} ${code.slice(code.length / 2)}`;
