import { defineModule } from "#kernel/module.ts";
import { customerEvents } from "./customer.events.ts";
import { customerRoutes } from "./customer.routes.ts";

export const customersModule = defineModule({
  name: "customers",
  routes: customerRoutes,
  events: customerEvents,
});
