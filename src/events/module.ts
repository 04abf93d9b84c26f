import { systemCall } from "#kernel/call.ts";
import { defineModule } from "#kernel/module.ts";
import { provide } from "#kernel/port.ts";
import { purgers } from "#src/scheduler/public.ts";
import { eventPurger, purgeEvents } from "./event.jobs.ts";
import { eventRoutes } from "./event.routes.ts";
import { renumberStrays } from "./event-renumber.service.ts";

export const eventsModule = defineModule({
  name: "events",
  routes: eventRoutes,
  jobs: [purgeEvents],
  provides: [provide(purgers, eventPurger)],
  async start(runtime) {
    await renumberStrays(systemCall(runtime, "event.renumber"));
    return async () => undefined;
  },
});
