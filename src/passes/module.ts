import { defineModule } from "#kernel/module.ts";
import { provide } from "#kernel/port.ts";
import { customerLinks } from "#src/customers/public.ts";
import { taskKinds } from "#src/scheduler/public.ts";
import { publicationSteps } from "#src/tenants/public.ts";
import { exportTask } from "./exports/export.jobs.ts";
import { dropLinesOfErased } from "./exports/export.listeners.ts";
import { checkExports } from "./exports/export-check.jobs.ts";
import { passListOfCustomer } from "./lists/customer-pass.routes.ts";
import { passesOfCustomers } from "./lists/customer-pass.service.ts";
import { passList } from "./lists/pass-list.routes.ts";
import { passNotify } from "./notifications/notification.routes.ts";
import { passEvents } from "./pass.events.ts";
import { expirePasses, expirePassesTask } from "./pass.jobs.ts";
import { passRoutes } from "./pass.routes.ts";
import { markUniqueIdentifiers } from "./pass-identifier.jobs.ts";
import { markOnPublication } from "./pass-identifier.listeners.ts";
import { keepUniqueNames } from "./pass-unique.service.ts";
import { passTypeList } from "./types/pass-type.routes.ts";
import { refreshMetadataTask } from "./updates/refresh.jobs.ts";
import { UpdateEngine } from "./updates/update.engine.ts";
import { dropUpdatesOfErased } from "./updates/update.listeners.ts";
import { updateRoutes } from "./updates/update.routes.ts";

export const passesModule = defineModule({
  name: "passes",
  routes: [...passRoutes, passList, passListOfCustomer, ...updateRoutes, passNotify, passTypeList],
  jobs: [expirePasses, markUniqueIdentifiers, checkExports],
  events: passEvents,
  listeners: [dropUpdatesOfErased, dropLinesOfErased, markOnPublication],
  provides: [
    provide(customerLinks, passesOfCustomers),
    provide(taskKinds, expirePassesTask),
    provide(taskKinds, refreshMetadataTask),
    provide(taskKinds, exportTask),
    provide(publicationSteps, keepUniqueNames),
  ],
  async work(runtime) {
    const engine = new UpdateEngine(runtime);
    engine.start();
    return () => engine.stop();
  },
});
