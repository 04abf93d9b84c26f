import Type from "typebox";
import { answer, defineRoute } from "#kernel/http/route.ts";
import { apiKeyNameTaken, apiKeyNotFound, apiKeyScopeNotHeld } from "./api-key.errors.ts";
import { API_KEY_LIST, listApiKeys } from "./api-key.repository.ts";
import {
  API_KEY_EXAMPLE,
  ApiKeyCreate,
  ApiKeyCreated,
  ApiKeyParams,
  ApiKeyUpdate,
  ApiKeyView,
  presentApiKey,
  versionOf,
} from "./api-key.schema.ts";
import { createApiKey, deleteApiKey, getApiKey, updateApiKey } from "./api-key.service.ts";

export const apiKeyList = defineRoute({
  op: "api-key.list",
  method: "GET",
  url: "/api/:tenantId/admin/apiKeys",
  scope: "ApiKey.Read",
  summary: "List API keys",
  description: "Never the tokens. The keys of scanning devices belong to their devices.",
  list: API_KEY_LIST,
  reply: Type.Array(ApiKeyView),
  example: { reply: [API_KEY_EXAMPLE] },
  handle: listApiKeys,
});

export const apiKeyCreate = defineRoute({
  op: "api-key.create",
  method: "POST",
  url: "/api/:tenantId/admin/apiKeys",
  scope: "ApiKey.Write",
  summary: "Create an API key",
  description:
    "The answer holds the token, which cannot be read again later. Nobody can grant a scope they do not hold.",
  body: ApiKeyCreate,
  reply: ApiKeyCreated,
  status: 201,
  noStore: true,
  errors: [apiKeyScopeNotHeld, apiKeyNameTaken],
  example: {
    body: {
      name: "till-7",
      scopes: ["Pass.Read", "PassScan.Scan"],
      expiresAt: "2030-01-01T00:00:00.000Z",
    },
    // The check characters are wrong, so that secret scanners do not report this example as a leak.
    reply: { ...API_KEY_EXAMPLE, token: `bf_test_4kQz${"x".repeat(39)}000000` },
  },
  async handle(context, { body }) {
    const { key, token } = await createApiKey(context, body);
    const path = `/api/${context.tenantId}/admin/apiKeys/${encodeURIComponent(key.name)}`;
    return answer(
      { ...presentApiKey(key), token },
      { status: 201, headers: { location: path }, version: versionOf(key) },
    );
  },
});

export const apiKeyGet = defineRoute({
  op: "api-key.get",
  method: "GET",
  url: "/api/:tenantId/admin/apiKeys/:keyName",
  scope: "ApiKey.Read",
  summary: "Read one API key",
  description:
    "The ETag is for `If-Match`: it follows what can be changed, and `lastUsedAt` alone does not move it. So a read is never 304.",
  answersNotModified: false,
  params: ApiKeyParams,
  reply: ApiKeyView,
  errors: [apiKeyNotFound],
  example: { reply: API_KEY_EXAMPLE },
  async handle(context, { params }) {
    const key = await getApiKey(context, params.keyName);
    return answer(presentApiKey(key), { version: versionOf(key) });
  },
});

export const apiKeyUpdate = defineRoute({
  op: "api-key.update",
  method: "PUT",
  url: "/api/:tenantId/admin/apiKeys/:keyName",
  scope: "ApiKey.Write",
  summary: "Change the name, the scopes or the expiry of an API key",
  description:
    "Members left out stay as they are; the token stays the same. The caller must hold every scope the key has afterwards.",
  params: ApiKeyParams,
  body: ApiKeyUpdate,
  reply: ApiKeyView,
  errors: [apiKeyScopeNotHeld, apiKeyNotFound, apiKeyNameTaken],
  example: { body: { scopes: ["Pass.Read", "PassScan.Scan"] }, reply: API_KEY_EXAMPLE },
  async handle(context, { params, body }) {
    const key = await updateApiKey(context, params.keyName, body);
    return answer(presentApiKey(key), { version: versionOf(key) });
  },
});

export const apiKeyDelete = defineRoute({
  op: "api-key.delete",
  method: "DELETE",
  url: "/api/:tenantId/admin/apiKeys/:keyName",
  scope: "ApiKey.Write",
  summary: "Revoke and delete an API key",
  description:
    "After the answer, the node that gave it accepts the key no more; all other nodes stop within a second. A key may delete itself.",
  params: ApiKeyParams,
  errors: [apiKeyNotFound],
  handle: (context, { params }) => deleteApiKey(context, params.keyName),
});
