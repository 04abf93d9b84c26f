import { useQuery } from "@tanstack/react-query";
import type { components } from "../../generated/schema.ts";
import { api, take, takePage } from "../api/client.ts";
import { type Filter, listQuery } from "../api/list-query.ts";

export type Pass = components["schemas"]["Pass"];
export type Scan = components["schemas"]["Scan"];
export type Numbers = components["schemas"]["Numbers"];
export type Period = components["schemas"]["NumbersOfPeriod"];

export const PERIODS = [1, 7, 30, 90] as const;
export type PeriodDays = (typeof PERIODS)[number];

/** More subscriptions than this are rare, and each is asked for its health. */
const WEBHOOKS_MAX = 20;
const LATEST = 6;

export type Count = { readonly total: number; readonly isEstimate: boolean };

const countPasses = (tenantId: string, filters: readonly Filter[]): Promise<Count> =>
  takePage(
    api.GET("/api/{tenantId}/passes", {
      params: { path: { tenantId }, query: listQuery({ filters, pageSize: 1 }) },
    }),
  );

const PASS_EVENTS = ["pass."];
const SCAN_EVENTS = ["scan."];

/** What happened in some days, beside as many days before. */
export function useNumbers(tenantId: string, days: PeriodDays, isAllowed: boolean) {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return useQuery({
    queryKey: ["overview", tenantId, "numbers", days, timeZone],
    enabled: isAllowed,
    meta: { live: [...PASS_EVENTS, ...SCAN_EVENTS, "privilege.moved"] },
    // While another period is asked for, the one before stays on the screen.
    placeholderData: (before: Period | undefined, query) =>
      query?.queryKey[1] === tenantId ? before : undefined,
    queryFn: (): Promise<Period> =>
      take(
        api.GET("/api/{tenantId}/admin/numbers", {
          params: { path: { tenantId }, query: { days, timeZone } },
        }),
      ),
  });
}

/** How many passes there are, of which kind. Each number is the length of a list of the API. */
export function usePassCounts(tenantId: string, isAllowed: boolean) {
  return useQuery({
    queryKey: ["overview", tenantId, "passes"],
    enabled: isAllowed,
    meta: { live: PASS_EVENTS },
    queryFn: async () => {
      const installation = (value: string): Filter[] => [
        { field: "installationStatus", operator: "equals", value },
      ];
      const [all, installed, removed] = await Promise.all([
        countPasses(tenantId, []),
        countPasses(tenantId, installation("installed")),
        countPasses(tenantId, installation("uninstalled")),
      ]);
      return { all, installed, removed };
    },
  });
}

/** How many subscriptions are on, and how many of them fail at present. */
export function useWebhookHealth(tenantId: string, isAllowed: boolean) {
  return useQuery({
    queryKey: ["overview", tenantId, "webhooks"],
    enabled: isAllowed,
    meta: { live: ["webhook."] },
    queryFn: async () => {
      const path = { tenantId };
      const hooks = await take(api.GET("/api/{tenantId}/webhooks", { params: { path } }));
      const healths = await Promise.all(
        hooks.slice(0, WEBHOOKS_MAX).map(({ id }) =>
          take(
            api.GET("/api/{tenantId}/webhooks/{id}/health", {
              params: { path: { tenantId, id: String(id) } },
            }),
          ),
        ),
      );
      const on = healths.filter(({ enabled, disabledAt }) => enabled || disabledAt !== null);
      return { on: on.length, failing: on.filter(isFailing).length };
    },
  });
}

type Health = components["schemas"]["WebHookHealth"];
const isFailing = ({ failingSince, disabledAt }: Health): boolean =>
  failingSince !== null || disabledAt !== null;

export function useLatestPasses(tenantId: string, isAllowed: boolean) {
  const query = listQuery({
    sort: [{ field: "creationDate", direction: "DESC" }],
    pageSize: LATEST,
  });
  return useQuery({
    queryKey: ["overview", tenantId, "latest passes"],
    enabled: isAllowed,
    meta: { live: PASS_EVENTS },
    queryFn: (): Promise<readonly Pass[]> =>
      take(api.GET("/api/{tenantId}/passes", { params: { path: { tenantId }, query } })),
  });
}

export function useLatestScans(tenantId: string, isAllowed: boolean) {
  const query = listQuery({
    sort: [{ field: "scannedAt", direction: "DESC" }],
    pageSize: LATEST,
  });
  return useQuery({
    queryKey: ["overview", tenantId, "latest scans"],
    enabled: isAllowed,
    meta: { live: SCAN_EVENTS },
    queryFn: (): Promise<readonly Scan[]> =>
      take(api.GET("/api/{tenantId}/scans", { params: { path: { tenantId }, query } })),
  });
}

/** Whether passes are made for testing only, because a wallet has no credentials yet. */
export function useIsTesting(tenantId: string, isAllowed: boolean): boolean {
  const { data } = useQuery({
    queryKey: ["overview", tenantId, "wallets"],
    enabled: isAllowed,
    meta: { live: ["configuration.", "credential."] },
    queryFn: () =>
      take(api.GET("/api/{tenantId}/admin/wallets", { params: { path: { tenantId } } })),
  });
  return data !== undefined && (data.apple.isDevelopment || data.google.isDevelopment);
}
