import { defineModule } from "#kernel/module.ts";
import { provide } from "#kernel/port.ts";
import { purgers } from "#src/scheduler/public.ts";
import { accessJobs, auditPurger } from "./access.jobs.ts";
import { removeOnDeletion } from "./administrators/administrator.listeners.ts";
import { administratorRoutes } from "./administrators/administrator.routes.ts";
import { auditRoutes } from "./audit.routes.ts";
import { sealedRecords } from "./authorization/authorization.adapter.ts";
import { sealedKeys } from "./authorization/authorization.keys.ts";
import { plugAuthorizationServer } from "./authorization/authorization.server.ts";
import { meGet } from "./me/me.routes.ts";

export const accessModule = defineModule({
  name: "access",
  routes: [...administratorRoutes, ...auditRoutes, meGet],
  jobs: accessJobs,
  listeners: [removeOnDeletion],
  provides: [provide(purgers, auditPurger)],
  sealed: [sealedKeys, sealedRecords],
  plug(app, runtime) {
    // If `AUTH_ISSUER` names another issuer, people sign in there.
    if (runtime.authIssuer === undefined) plugAuthorizationServer(app, runtime);
  },
});
