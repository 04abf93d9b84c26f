import type { components } from "../../generated/schema.ts";
import { api, type ListPage, take, takePage } from "../api/client.ts";
import { type ListWish, listQuery } from "../api/list-query.ts";

export type OAuthClient = components["schemas"]["OAuthClient"];
export type ClientFields = components["schemas"]["OAuthClientFields"];

export const CLIENTS = ["oauth-clients"] as const;

const ONE = "/api/oauthClients/{clientId}";
const at = (clientId: string) => ({ params: { path: { clientId } } });

export const listClients = (wish: ListWish): Promise<ListPage<OAuthClient>> =>
  takePage(api.GET("/api/oauthClients", { params: { query: listQuery(wish) } }));

export const getClient = (id: string): Promise<OAuthClient> => take(api.GET(ONE, at(id)));

export const registerClient = (body: ClientFields): Promise<OAuthClient> =>
  take(api.POST("/api/oauthClients", { body }));

export const updateClient = (id: string, body: ClientFields): Promise<OAuthClient> =>
  take(api.PUT(ONE, { ...at(id), body }));

export const removeClient = (id: string): Promise<unknown> => take(api.DELETE(ONE, at(id)));

export const fieldsOf = ({ name, redirectUris, flows }: OAuthClient): ClientFields => ({
  name,
  redirectUris,
  flows,
});
