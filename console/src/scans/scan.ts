import { useQuery } from "@tanstack/react-query";
import type { components } from "../../generated/schema.ts";
import { api, type ListPage, take, takePage } from "../api/client.ts";
import { type Filter, type ListWish, listQuery } from "../api/list-query.ts";
import { useMissingScope } from "../api/rights.ts";
import { periodFilters } from "../parts/period/since.ts";
import type { ScanSearch } from "./page.ts";

export type Scan = components["schemas"]["Scan"];
export type ScanAnswer = components["schemas"]["ScanAnswer"];
export type Device = components["schemas"]["Device"];

const PASS_ID = /^ps_/;
const NO_DEVICES: ReadonlyMap<string, Device> = new Map();

export const SCAN_EVENTS = ["scan."];
export const scansOf = (tenantId: string): readonly unknown[] => ["scans", tenantId];

export const listScans = (tenantId: string, wish: ListWish): Promise<ListPage<Scan>> =>
  takePage(
    api.GET("/api/{tenantId}/scans", { params: { path: { tenantId }, query: listQuery(wish) } }),
  );

export const getScan = (tenantId: string, scanId: string): Promise<Scan> =>
  take(api.GET("/api/{tenantId}/scans/{scanId}", { params: { path: { tenantId, scanId } } }));

export const tryScan = (
  tenantId: string,
  body: components["schemas"]["ScanCreate"],
): Promise<ScanAnswer> =>
  take(api.POST("/api/{tenantId}/scans", { params: { path: { tenantId } }, body }));

/** The filters beside the field that one types into. */
export function filtersOf({ decision, days, device, pass, conflict }: ScanSearch): Filter[] {
  const filters: Filter[] = [];
  const equal = (field: string, value: string | undefined) => {
    if (value !== undefined) filters.push({ field, operator: "equals", value });
  };
  equal("decision", decision);
  equal("deviceId", device);
  equal("passId", pass);
  if (conflict === "yes") equal("conflict", "true");
  return [...filters, ...periodFilters("scannedAt", days)];
}

/** Ids of passes are known by their beginning; everything else is a place. */
export const typedFilter = (value: string): Filter[] =>
  PASS_ID.test(value)
    ? [{ field: "passId", operator: "equals", value }]
    : [{ field: "location", operator: "contains", value }];

/** The devices by their ids; none for whoever may not see devices. */
export function useDevices(tenantId: string): ReadonlyMap<string, Device> {
  const isAllowed = useMissingScope("device.list") === undefined;
  const { data } = useQuery({
    queryKey: ["scans", "devices", tenantId],
    enabled: isAllowed,
    meta: { live: ["device."] },
    queryFn: async () => {
      const params = { path: { tenantId } };
      const devices = await take(api.GET("/api/{tenantId}/devices", { params }));
      return new Map(devices.map((device) => [device.deviceId, device]));
    },
  });
  return data ?? NO_DEVICES;
}

/** The request that made the scan, and who sent it. The audit log knows it, the scan does not. */
export function useOrigin(tenantId: string, scanId: string) {
  const missing = useMissingScope("audit.list");
  const { data } = useQuery({
    queryKey: ["scans", "origin", tenantId, scanId],
    enabled: missing === undefined,
    queryFn: async () => {
      const query = listQuery({
        filters: [{ field: "target", operator: "equals", value: `scan:${scanId}` }],
        pageSize: 1,
      });
      const params = { path: { tenantId }, query };
      const [entry] = await take(api.GET("/api/{tenantId}/admin/audit", { params }));
      return entry ?? null;
    },
  });
  return { missing, entry: data ?? undefined, isLoading: data === undefined };
}
