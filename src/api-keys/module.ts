import { defineModule } from "#kernel/module.ts";
import { apiKeyCreated, apiKeyDeleted, apiKeyUpdated } from "./api-key.events.ts";
import { revokeOnDeletion } from "./api-key.listeners.ts";
import {
  apiKeyCreate,
  apiKeyDelete,
  apiKeyGet,
  apiKeyList,
  apiKeyUpdate,
} from "./api-key.routes.ts";

export const apiKeysModule = defineModule({
  name: "api-keys",
  routes: [apiKeyList, apiKeyCreate, apiKeyGet, apiKeyUpdate, apiKeyDelete],
  events: [apiKeyCreated, apiKeyUpdated, apiKeyDeleted],
  listeners: [revokeOnDeletion],
});
