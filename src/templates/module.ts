import { defineModule } from "#kernel/module.ts";
import { purgeFittedImages } from "./image.jobs.ts";

export const templatesModule = defineModule({
  name: "templates",
  jobs: [purgeFittedImages],
});
