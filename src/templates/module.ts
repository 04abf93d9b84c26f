import { defineModule } from "#kernel/module.ts";
import { provide } from "#kernel/port.ts";
import { configurationChecks } from "#src/tenants/public.ts";
import { templateCheck } from "./examination/check.ts";
import { purgeFittedImages } from "./images/image.jobs.ts";

export const templatesModule = defineModule({
  name: "templates",
  jobs: [purgeFittedImages],
  provides: [provide(configurationChecks, templateCheck)],
});
