import Type from "typebox";
import { answer, defineRoute, type Route } from "#kernel/http/route.ts";
import { oauthClientElsewhere, oauthClientNotFound } from "./oauth-client.errors.ts";
import { listOAuthClients, OAUTH_CLIENT_LIST } from "./oauth-client.repository.ts";
import {
  OAUTH_CLIENT_EXAMPLE,
  OAuthClientFields,
  OAuthClientParams,
  OAuthClientView,
  presentOAuthClient,
} from "./oauth-client.schema.ts";
import {
  createOAuthClient,
  deleteOAuthClient,
  getOAuthClient,
  updateOAuthClient,
} from "./oauth-client.service.ts";

const EXAMPLE_BODY = {
  name: "Reporting",
  redirectUris: ["https://reports.example/callback"],
  flows: ["authorizationCode"],
};

const oauthClientList = defineRoute({
  op: "oauth-client.list",
  method: "GET",
  url: "/api/oauthClients",
  scope: "platform:admin",
  summary: "List the OAuth clients",
  description: "Those registered here; this product's own pages have clients of their own.",
  list: OAUTH_CLIENT_LIST,
  reply: Type.Array(OAuthClientView),
  example: { reply: [OAUTH_CLIENT_EXAMPLE] },
  handle: listOAuthClients,
});

const oauthClientCreate = defineRoute({
  op: "oauth-client.create",
  method: "POST",
  url: "/api/oauthClients",
  scope: "platform:admin",
  summary: "Register an OAuth client",
  description:
    "A program that sends people to `/authorize` of the built-in authorization server and gets tokens for the API. It has no secret. Registering it is the consent: people who sign in are not asked once more, and it never gets more than their role gives. With `AUTH_ISSUER`, clients are registered at that issuer instead.",
  body: OAuthClientFields,
  reply: OAuthClientView,
  status: 201,
  errors: [oauthClientElsewhere],
  example: { body: EXAMPLE_BODY, reply: OAUTH_CLIENT_EXAMPLE },
  async handle(context, { body }) {
    const client = await createOAuthClient(context, body);
    return answer(presentOAuthClient(client), {
      status: 201,
      version: client.version,
      headers: { location: `/api/oauthClients/${client.id}` },
    });
  },
});

const oauthClientGet = defineRoute({
  op: "oauth-client.get",
  method: "GET",
  url: "/api/oauthClients/:clientId",
  scope: "platform:admin",
  summary: "Read one OAuth client",
  params: OAuthClientParams,
  reply: OAuthClientView,
  errors: [oauthClientNotFound],
  example: { reply: OAUTH_CLIENT_EXAMPLE },
  async handle(context, { params }) {
    const client = await getOAuthClient(context, params.clientId);
    return answer(presentOAuthClient(client), { version: client.version });
  },
});

const oauthClientUpdate = defineRoute({
  op: "oauth-client.update",
  method: "PUT",
  url: "/api/oauthClients/:clientId",
  scope: "platform:admin",
  summary: "Change an OAuth client",
  description:
    "Replaces all that can be changed; without `flows` it is left with `authorizationCode`. The `client_id` stays.",
  params: OAuthClientParams,
  body: OAuthClientFields,
  reply: OAuthClientView,
  errors: [oauthClientNotFound, oauthClientElsewhere],
  example: { body: EXAMPLE_BODY, reply: OAUTH_CLIENT_EXAMPLE },
  async handle(context, { params, body }) {
    const client = await updateOAuthClient(context, params.clientId, body);
    return answer(presentOAuthClient(client), { version: client.version });
  },
});

const oauthClientDelete = defineRoute({
  op: "oauth-client.delete",
  method: "DELETE",
  url: "/api/oauthClients/:clientId",
  scope: "platform:admin",
  summary: "Remove an OAuth client",
  description: "Nobody signs in through it any more, and the tokens it was given stop working.",
  params: OAuthClientParams,
  errors: [oauthClientNotFound],
  handle: (context, { params }) => deleteOAuthClient(context, params.clientId),
});

export const oauthClientRoutes: readonly Route[] = [
  oauthClientList,
  oauthClientCreate,
  oauthClientGet,
  oauthClientUpdate,
  oauthClientDelete,
];
