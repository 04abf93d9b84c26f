import type { components } from "../../generated/schema.ts";
import { api, type ListPage, take, takePage } from "../api/client.ts";
import { type ListWish, listQuery } from "../api/list-query.ts";
import type { Operation } from "../api/rights.ts";

export type Connector = components["schemas"]["ExtensionSummary"];
export type JourneyStep = components["schemas"]["JourneyStep"];
export type Delivery = components["schemas"]["InboxDelivery"];
export type DeliveryDetail = components["schemas"]["InboxDeliveryDetail"];
export type RefusedEvent = components["schemas"]["RefusedEvent"];
export type ConnectorTest = components["schemas"]["ExtensionTest"];
export type RotatedAddress = components["schemas"]["RotatedAddress"];
export type Settings = Readonly<Record<string, unknown>>;

/**
 * What a delivery did is an event of what it changed; that it failed is an event of its own. Nothing
 * else tells of the inbox.
 */
export const CONNECTOR_EVENTS = [
  "extension.",
  "configuration.",
  "customer.",
  "pass.",
  "privilege.",
  "scan.",
];

export const connectorsOf = (tenantId: string): readonly unknown[] => ["connectors", tenantId];

export const listConnectors = (tenantId: string): Promise<readonly Connector[]> =>
  take(api.GET("/api/{tenantId}/admin/extensions", { params: { path: { tenantId } } }));

/** Each connector has operations of its own, but they are alike. */
const pathOf = (name: string) =>
  `/api/{tenantId}/admin/extensions/${name}` as "/api/{tenantId}/admin/extensions/shopify";
export const operationOf = (name: string, verb: "put" | "delete"): Operation =>
  `${name}.${verb}` as Operation;

export const getSettings = async (tenantId: string, name: string): Promise<Settings> =>
  (await take(api.GET(pathOf(name), { params: { path: { tenantId } } }))) as Settings;

export const putSettings = (tenantId: string, name: string, body: Settings): Promise<unknown> =>
  take(api.PUT(pathOf(name), { params: { path: { tenantId } }, body: body as never }));

export const removeConnector = (tenantId: string, name: string): Promise<unknown> =>
  take(api.DELETE(pathOf(name), { params: { path: { tenantId } } }));

export const testConnector = (tenantId: string, connector: string): Promise<ConnectorTest> =>
  take(
    api.POST("/api/{tenantId}/admin/extensions/{connector}/test", {
      params: { path: { tenantId, connector } },
    }),
  );

export const rotateAddress = (tenantId: string, connector: string): Promise<RotatedAddress> =>
  take(
    api.POST("/api/{tenantId}/admin/extensions/{connector}/inbox/rotate", {
      params: { path: { tenantId, connector } },
    }),
  );

export const listDeliveries = (
  tenantId: string,
  connector: string,
  wish: ListWish,
): Promise<ListPage<Delivery>> =>
  takePage(
    api.GET("/api/{tenantId}/admin/extensions/{connector}/inbox", {
      params: { path: { tenantId, connector }, query: listQuery(wish) },
    }),
  );

export const getDelivery = (
  tenantId: string,
  connector: string,
  inboxDeliveryId: string,
): Promise<DeliveryDetail> =>
  take(
    api.GET("/api/{tenantId}/admin/extensions/{connector}/inbox/{inboxDeliveryId}", {
      params: { path: { tenantId, connector, inboxDeliveryId } },
    }),
  );

export const replayDelivery = (
  tenantId: string,
  connector: string,
  inboxDeliveryId: string,
): Promise<unknown> =>
  take(
    api.POST("/api/{tenantId}/admin/extensions/{connector}/inbox/{inboxDeliveryId}/replay", {
      params: { path: { tenantId, connector, inboxDeliveryId } },
    }),
  );

export const listRefused = (
  tenantId: string,
  connector: string,
  wish: ListWish,
): Promise<ListPage<RefusedEvent>> =>
  takePage(
    api.GET("/api/{tenantId}/admin/extensions/{connector}/refused-events", {
      params: { path: { tenantId, connector }, query: listQuery(wish) },
    }),
  );

export const replayRefused = (
  tenantId: string,
  connector: string,
  refusedEventId: string,
): Promise<unknown> =>
  take(
    api.POST(
      "/api/{tenantId}/admin/extensions/{connector}/refused-events/{refusedEventId}/replay",
      { params: { path: { tenantId, connector, refusedEventId } } },
    ),
  );

export type ConnectorState = "new" | "off" | "trouble" | "working";

/** How a connector does, in one word. */
export function stateOf({ configured, enabled, problem }: Connector): ConnectorState {
  if (!configured) return "new";
  if (!enabled) return "off";
  return problem === null ? "working" : "trouble";
}

export const STATE_COLORS: Readonly<Record<ConnectorState, string>> = {
  new: "gray",
  off: "gray",
  trouble: "orange",
  working: "teal",
};
