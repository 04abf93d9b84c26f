import { defineModule } from "#kernel/module.ts";
import { oauthClientRoutes } from "./oauth-client.routes.ts";

export const oauthClientsModule = defineModule({
  name: "oauth-clients",
  routes: oauthClientRoutes,
});
