import type { components } from "../../generated/schema.ts";
import { api, authorizedFetch, type ListPage, take, takePage } from "../api/client.ts";
import { type ListWish, listQuery } from "../api/list-query.ts";
import { ApiProblem } from "../api/problem.ts";
import { settings } from "../settings.ts";

export type EnrolmentLink = components["schemas"]["EnrolmentLink"];
export type LinkCreate = components["schemas"]["EnrolmentLinkCreate"];
export type LinkUpdate = components["schemas"]["EnrolmentLinkUpdate"];

/** Visits alone are not told; whoever gets a pass is. */
export const LINK_EVENTS = ["enrolment-link.", "enrolment."];
export const linksOf = (tenantId: string): readonly unknown[] => ["enrolment links", tenantId];

const at = (tenantId: string, code: string) => ({ params: { path: { tenantId, code } } });

export const listLinks = (tenantId: string, wish: ListWish): Promise<ListPage<EnrolmentLink>> =>
  takePage(
    api.GET("/api/{tenantId}/enrolment-links", {
      params: { path: { tenantId }, query: listQuery(wish) },
    }),
  );

export const getLink = (tenantId: string, code: string): Promise<EnrolmentLink> =>
  take(api.GET("/api/{tenantId}/enrolment-links/{code}", at(tenantId, code)));

export const createLink = (tenantId: string, body: LinkCreate): Promise<EnrolmentLink> =>
  take(api.POST("/api/{tenantId}/enrolment-links", { params: { path: { tenantId } }, body }));

export const updateLink = (
  tenantId: string,
  code: string,
  body: LinkUpdate,
): Promise<EnrolmentLink> =>
  take(api.PUT("/api/{tenantId}/enrolment-links/{code}", { ...at(tenantId, code), body }));

export const deleteLink = (tenantId: string, code: string): Promise<unknown> =>
  take(api.DELETE("/api/{tenantId}/enrolment-links/{code}", at(tenantId, code)));

export const qrPath = (tenantId: string, code: string): string =>
  `/api/${encodeURIComponent(tenantId)}/enrolment-links/${encodeURIComponent(code)}/qr`;

/** The picture that one prints, as an address that an image can show. */
export async function drawLink(tenantId: string, code: string): Promise<string> {
  const response = await authorizedFetch(new Request(settings.baseUrl + qrPath(tenantId, code)));
  if (!response.ok) throw new ApiProblem(response, await response.json().catch(() => undefined));
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(await response.text())}`;
}

/** What can be set of a link, for putting it back as it was. */
export const settable = ({ passType, storeId, source, enabled }: EnrolmentLink): LinkUpdate => ({
  passType,
  storeId,
  source,
  enabled,
});
