import type { components } from "../../generated/schema.ts";
import { api, take, takePage } from "../api/client.ts";
import { listQuery } from "../api/list-query.ts";

export type Pass = components["schemas"]["Pass"];
export type Privilege = components["schemas"]["Privilege"];

const CHOICES = 50;

/** The newest passes, to choose from. */
export const listNewest = async (tenantId: string): Promise<readonly Pass[]> => {
  const wish = {
    sort: [{ field: "creationDate", direction: "DESC" as const }],
    pageSize: CHOICES,
  };
  const params = { path: { tenantId }, query: listQuery(wish) };
  return (await takePage(api.GET("/api/{tenantId}/passes", { params }))).items;
};

export const getPass = (tenantId: string, passId: string): Promise<Pass> =>
  take(api.GET("/api/{tenantId}/passes/{passId}", { params: { path: { tenantId, passId } } }));

export const changePass = (
  tenantId: string,
  passId: string,
  additionalData: Readonly<Record<string, unknown>>,
): Promise<unknown> =>
  take(
    api.PATCH("/api/{tenantId}/passes/{passId}", {
      params: { path: { tenantId, passId } },
      body: { additionalData },
    }),
  );

export const listPrivileges = (tenantId: string, passId: string): Promise<readonly Privilege[]> =>
  take(
    api.GET("/api/{tenantId}/passes/{passId}/privileges", {
      params: { path: { tenantId, passId } },
    }),
  );

export const moveValue = (
  tenantId: string,
  passId: string,
  privilegeId: string,
  value: number,
): Promise<unknown> =>
  take(
    api.POST("/api/{tenantId}/passes/{passId}/privileges/{privilegeId}/movements", {
      params: { path: { tenantId, passId, privilegeId } },
      body: { value },
    }),
  );

export const tellHolder = (tenantId: string, passId: string, content: string): Promise<unknown> =>
  take(
    api.PUT("/api/{tenantId}/passes/{passId}/notification", {
      params: { path: { tenantId, passId } },
      body: { content },
    }),
  );

const TEXTS_SHOWN = 2;

/** What a person calls a pass: the first values that it holds. */
export function titleOf({ id, additionalData, identifiers }: Pass): string {
  const values = [...Object.values(additionalData), ...Object.values(identifiers)];
  const texts = values.filter((value): value is string => typeof value === "string");
  return texts.slice(0, TEXTS_SHOWN).join(" · ") || id;
}
