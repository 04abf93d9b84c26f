import { defineEvent } from "#kernel/events/define.ts";
import { API_KEY_EXAMPLE, ApiKeyView } from "./api-key.schema.ts";

export const apiKeyCreated = defineEvent({
  name: "api-key.created",
  version: 1,
  summary: "An API key was created. The token itself is never part of an event.",
  payload: ApiKeyView,
  example: API_KEY_EXAMPLE,
});

export const apiKeyUpdated = defineEvent({
  name: "api-key.updated",
  version: 1,
  summary: "The name, the scopes or the expiry of an API key changed.",
  payload: ApiKeyView,
  example: API_KEY_EXAMPLE,
});

export const apiKeyDeleted = defineEvent({
  name: "api-key.deleted",
  version: 1,
  summary: "An API key was revoked and deleted.",
  payload: ApiKeyView,
  example: API_KEY_EXAMPLE,
});
