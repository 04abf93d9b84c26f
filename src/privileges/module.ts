import { defineModule } from "#kernel/module.ts";
import { provide } from "#kernel/port.ts";
import { columnSources, passCompanions } from "#src/passes/public.ts";
import { movementRoutes } from "./movements/movement.routes.ts";
import { privilegeEvents } from "./privilege.events.ts";
import { privilegeRoutes } from "./privilege.routes.ts";
import { privilegeColumns } from "./privilege-columns.service.ts";
import { privilegesOfPasses } from "./privilege-companion.service.ts";

export const privilegesModule = defineModule({
  name: "privileges",
  routes: [...privilegeRoutes, ...movementRoutes],
  events: privilegeEvents,
  provides: [provide(passCompanions, privilegesOfPasses), provide(columnSources, privilegeColumns)],
});
