import type { components } from "../../generated/schema.ts";
import { api, type ListPage, take, takePage } from "../api/client.ts";
import { type ListWish, listQuery } from "../api/list-query.ts";

export type Administrator = components["schemas"]["Administrator"];
export type AdministratorFields = components["schemas"]["AdministratorUpdate"];
export type Invitation = components["schemas"]["Invitation"];
export type Role = Administrator["role"];

export const ADMINISTRATORS = ["administrators"] as const;

const ONE = "/api/administrators/{administratorId}";
const at = (administratorId: string) => ({ params: { path: { administratorId } } });

export const listAdministrators = (wish: ListWish): Promise<ListPage<Administrator>> =>
  takePage(api.GET("/api/administrators", { params: { query: listQuery(wish) } }));

export const getAdministrator = (id: string): Promise<Administrator> => take(api.GET(ONE, at(id)));

export const inviteAdministrator = (
  body: components["schemas"]["AdministratorCreate"],
): Promise<components["schemas"]["AdministratorCreated"]> =>
  take(api.POST("/api/administrators", { body }));

export const updateAdministrator = (
  id: string,
  body: AdministratorFields,
): Promise<Administrator> => take(api.PUT(ONE, { ...at(id), body }));

export const removeAdministrator = (id: string): Promise<unknown> => take(api.DELETE(ONE, at(id)));

export const makeInvitation = (id: string): Promise<Invitation> =>
  take(api.POST("/api/administrators/{administratorId}/invitation", at(id)));

/** What the API takes to make the account as it is in this view of it. */
export const fieldsOf = ({
  email,
  name,
  role,
  tenants,
  disabled,
}: Administrator): AdministratorFields => ({ email, name, role, tenants, disabled });
