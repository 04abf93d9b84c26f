import { defineModule } from "#kernel/module.ts";
import { forgetJobs } from "./job.jobs.ts";
import { jobRoutes } from "./job.routes.ts";

export const jobsModule = defineModule({
  name: "jobs",
  routes: jobRoutes,
  jobs: [forgetJobs],
});
