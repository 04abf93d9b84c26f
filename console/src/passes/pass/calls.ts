import type { components } from "../../../generated/schema.ts";
import { api, type ListPage, take, takePage } from "../../api/client.ts";
import { listQuery } from "../../api/list-query.ts";
import { type Pass, type PassChange, passesOf } from "../pass.ts";

type Schemas = components["schemas"];
export type Content = Schemas["PassContent"];
export type ExplainedText = Schemas["ExplainedText"];
export type TimelineEntry = Schemas["TimelineEntry"];
export type Privilege = Schemas["Privilege"];
export type Movement = Schemas["Movement"];
export type Deliveries = Schemas["DeviceDeliveries"];
export type Receipt = Schemas["ReceiptSummary"];
export type ScanAnswer = Schemas["ScanAnswer"];

/** Events after which something on this page may be another. */
export const LIVE = ["pass.", "privilege.", "scan.", "receipt.", "configuration."];

const PAGE_SIZE = 50;
const LEDGER_SIZE = 100;

export const passKey = (tenantId: string, passId: string): readonly unknown[] => [
  ...passesOf(tenantId),
  "one",
  passId,
];

const at = (tenantId: string, passId: string) => ({ path: { tenantId, passId } });

export const getPass = (tenantId: string, passId: string): Promise<Pass> =>
  take(
    api.GET("/api/{tenantId}/passes/{passId}", { params: at(tenantId, passId) }),
  ) as Promise<Pass>;

/** Makes the change before it answers, so that the page shows it at once. */
export async function updatePass(
  tenantId: string,
  passId: string,
  change: PassChange,
  options: { readonly UpdateMetadata?: boolean } = {},
): Promise<Pass> {
  const params = at(tenantId, passId);
  const body = { ...change, options: { BypassQueue: true, ...options } };
  const pass: unknown = await take(
    api.PATCH("/api/{tenantId}/passes/{passId}", { params, body } as never),
  );
  return pass as Pass;
}

export const erasePass = (tenantId: string, passId: string): Promise<unknown> =>
  take(api.DELETE("/api/{tenantId}/passes/{passId}", { params: at(tenantId, passId) }));

export const getContent = (
  tenantId: string,
  passId: string,
  locale: string | undefined,
): Promise<Content> =>
  take(
    api.GET("/api/{tenantId}/passes/{passId}/content", {
      params: {
        ...at(tenantId, passId),
        query: { explain: true, ...(locale === undefined ? {} : { locale }) },
      },
    }),
  );

export const listTimeline = (
  tenantId: string,
  passId: string,
  cursor: string,
): Promise<ListPage<TimelineEntry>> =>
  takePage(
    api.GET("/api/{tenantId}/passes/{passId}/timeline", {
      params: {
        ...at(tenantId, passId),
        query: { pageSize: PAGE_SIZE, ...(cursor === "" ? {} : { cursor }) },
      },
    }),
  );

export const listPrivileges = (tenantId: string, passId: string): Promise<readonly Privilege[]> =>
  take(api.GET("/api/{tenantId}/passes/{passId}/privileges", { params: at(tenantId, passId) }));

const ofPrivilege = (tenantId: string, passId: string, privilegeId: string) => ({
  path: { tenantId, passId, privilegeId },
});

export const listMovements = (
  tenantId: string,
  passId: string,
  privilegeId: string,
): Promise<ListPage<Movement>> =>
  takePage(
    api.GET("/api/{tenantId}/passes/{passId}/privileges/{privilegeId}/movements", {
      params: {
        ...ofPrivilege(tenantId, passId, privilegeId),
        query: listQuery({
          sort: [{ field: "sequence", direction: "DESC" }],
          pageSize: LEDGER_SIZE,
        }),
      },
    }),
  );

export type NewMovement = {
  readonly type: Movement["type"];
  /** As typed, so that no digit is lost. */
  readonly amount: string;
  readonly reason?: string;
  readonly reference?: string;
};

export const createMovement = (
  tenantId: string,
  passId: string,
  privilegeId: string,
  body: NewMovement,
): Promise<Movement> =>
  take(
    api.POST("/api/{tenantId}/passes/{passId}/privileges/{privilegeId}/movements", {
      params: ofPrivilege(tenantId, passId, privilegeId),
      body,
    } as never),
  );

export const reverseMovement = (
  tenantId: string,
  passId: string,
  { privilegeId, movementId }: Movement,
): Promise<Movement> =>
  take(
    api.POST(
      "/api/{tenantId}/passes/{passId}/privileges/{privilegeId}/movements/{movementId}/reversal",
      { params: { path: { tenantId, passId, privilegeId, movementId } } } as never,
    ),
  );

export const getDeliveries = (tenantId: string, passId: string): Promise<Deliveries> =>
  take(api.GET("/api/{tenantId}/passes/{passId}/deliveries", { params: at(tenantId, passId) }));

export const listReceipts = (tenantId: string, passId: string): Promise<ListPage<Receipt>> =>
  takePage(
    api.GET("/api/{tenantId}/passes/{passId}/receipts", {
      params: { ...at(tenantId, passId), query: listQuery({ pageSize: LEDGER_SIZE }) },
    }),
  );

export type NewScan = {
  readonly data: string;
  readonly type: string;
  readonly location?: string;
  readonly redeem?: { readonly privilegeId: string; readonly amount: string };
  readonly dryRun?: boolean;
};

export const scanPass = (tenantId: string, body: NewScan): Promise<ScanAnswer> =>
  take(api.POST("/api/{tenantId}/scans", { params: { path: { tenantId } }, body } as never));
