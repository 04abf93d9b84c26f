import { defineModule } from "#kernel/module.ts";
import { jobEvents } from "./job.events.ts";
import { forgetJobs } from "./job.jobs.ts";
import { jobRoutes } from "./job.routes.ts";

/**
 * In this module, a job is a long operation that a caller starts by the API and can watch, such as a
 * change of many passes. The background jobs of `kernel/jobs` (`jobs` below) are rows in a queue.
 */
export const jobsModule = defineModule({
  name: "jobs",
  routes: jobRoutes,
  jobs: [forgetJobs],
  events: jobEvents,
});
