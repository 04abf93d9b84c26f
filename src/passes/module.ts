import { defineModule } from "#kernel/module.ts";
import { passListOfCustomer } from "./customer-pass.routes.ts";
import { passNotify } from "./notification.routes.ts";
import { passEvents } from "./pass.events.ts";
import { expirePasses } from "./pass.jobs.ts";
import { passRoutes } from "./pass.routes.ts";
import { markUniqueIdentifiers } from "./pass-identifier.jobs.ts";
import { markOnPublication } from "./pass-identifier.listeners.ts";
import { passList } from "./pass-list.routes.ts";
import { UpdateEngine } from "./update.engine.ts";
import { dropUpdatesOfErased } from "./update.listeners.ts";
import { updateRoutes } from "./update.routes.ts";

export const passesModule = defineModule({
  name: "passes",
  routes: [...passRoutes, passList, passListOfCustomer, ...updateRoutes, passNotify],
  jobs: [expirePasses, markUniqueIdentifiers],
  events: passEvents,
  listeners: [dropUpdatesOfErased, markOnPublication],
  async work(runtime) {
    const engine = new UpdateEngine(runtime);
    engine.start();
    return () => engine.stop();
  },
});
