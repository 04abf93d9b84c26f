import type { components } from "../../generated/schema.ts";
import { api, type ListPage, take, takePage } from "../api/client.ts";
import { type ListWish, listQuery } from "../api/list-query.ts";

type Schemas = components["schemas"];
type WithSecret = Schemas["WebHookWithId"];
/** Without its secret: pages that show webhooks have no need to hold it. */
export type Webhook = Omit<WithSecret, "signatureSecret">;
export type Health = Schemas["WebHookHealth"];
export type Rotated = Schemas["RotatedSecret"];
export type Job = Schemas["Job"];

/** Told when the service itself disables a webhook. What people change is told by no event. */
export const WEBHOOK_EVENTS = ["webhook."];

export const webhooksOf = (tenantId: string): readonly unknown[] => ["webhooks", tenantId];
export const healthOf = (tenantId: string, id: string): readonly unknown[] => [
  ...webhooksOf(tenantId),
  "health",
  id,
];

const withoutSecret = ({ signatureSecret: _, ...webhook }: WithSecret): Webhook => webhook;

export async function listWebhooks(tenantId: string, wish: ListWish): Promise<ListPage<Webhook>> {
  const page = await takePage(
    api.GET("/api/{tenantId}/webhooks", {
      params: { path: { tenantId }, query: listQuery(wish) },
    }),
  );
  return { ...page, items: page.items.map(withoutSecret) };
}

const readWebhook = (tenantId: string, id: string): Promise<WithSecret> =>
  take(api.GET("/api/{tenantId}/webhooks/{id}", { params: { path: { tenantId, id } } }));

export const getWebhook = async (tenantId: string, id: string): Promise<Webhook> =>
  withoutSecret(await readWebhook(tenantId, id));

/** Each reading is written to the audit trail. */
export const getSecret = async (tenantId: string, id: string): Promise<string> =>
  (await readWebhook(tenantId, id)).signatureSecret;

export const createWebhook = (tenantId: string, body: Schemas["WebHookBody"]) =>
  take(
    api.POST("/api/{tenantId}/webhooks", { params: { path: { tenantId } }, body }),
  ) as Promise<WithSecret>;

export const updateWebhook = (
  tenantId: string,
  id: string,
  body: Schemas["WebHookPatch"],
): Promise<unknown> =>
  take(api.PATCH("/api/{tenantId}/webhooks/{id}", { params: { path: { tenantId, id } }, body }));

export const deleteWebhook = (tenantId: string, id: string): Promise<unknown> =>
  take(api.DELETE("/api/{tenantId}/webhooks/{id}", { params: { path: { tenantId, id } } }));

export const getHealth = (tenantId: string, id: string): Promise<Health> =>
  take(api.GET("/api/{tenantId}/webhooks/{id}/health", { params: { path: { tenantId, id } } }));

export const getSettings = (tenantId: string, id: string): Promise<Schemas["WebHookSettings"]> =>
  take(api.GET("/api/{tenantId}/webhooks/{id}/settings", { params: { path: { tenantId, id } } }));

export const setSettings = (
  tenantId: string,
  id: string,
  body: Schemas["WebHookSettings"],
): Promise<unknown> =>
  take(
    api.PUT("/api/{tenantId}/webhooks/{id}/settings", {
      params: { path: { tenantId, id } },
      body,
    }),
  );

export const rotateSecret = (
  tenantId: string,
  id: string,
  overlapHours: number,
): Promise<Rotated> =>
  take(
    api.POST("/api/{tenantId}/webhooks/{id}/secret/rotate", {
      params: { path: { tenantId, id } },
      body: { overlapHours },
    }),
  );

/** What people call it: what they wrote about it, or else where it leads. */
export const nameOf = ({ description, endpoint }: Webhook): string =>
  description === undefined || description === null || description.trim() === ""
    ? shortEndpoint(endpoint)
    : description;

export function shortEndpoint(endpoint: string): string {
  const { host, pathname } = URL.canParse(endpoint)
    ? new URL(endpoint)
    : { host: endpoint, pathname: "" };
  return pathname === "/" ? host : `${host}${pathname}`;
}
