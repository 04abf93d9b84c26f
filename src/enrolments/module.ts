import { defineModule } from "#kernel/module.ts";
import { enrolmentEvents } from "./entries/entry.events.ts";
import { forgetErased } from "./entries/entry.listeners.ts";
import { plugForms } from "./form/form.routes.ts";
import { linkEvents } from "./links/link.events.ts";
import { linkRoutes } from "./links/link.routes.ts";
import { plugVisits } from "./links/visit.routes.ts";

export const enrolmentsModule = defineModule({
  name: "enrolments",
  routes: linkRoutes,
  events: [...enrolmentEvents, ...linkEvents],
  listeners: [forgetErased],
  configFiles: [new URL("./settings/enrolment.config.ts", import.meta.url)],
  plug(app, runtime) {
    plugForms(app, runtime);
    plugVisits(app, runtime);
  },
});
