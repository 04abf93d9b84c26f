import { defineModule } from "#kernel/module.ts";
import { provide } from "#kernel/port.ts";
import { ExecutionEngine } from "./executions/execution.engine.ts";
import { executionEvents } from "./executions/execution.events.ts";
import { executionPurger, purgeExecutionsJob } from "./executions/execution.jobs.ts";
import { executionRoutes } from "./executions/execution.routes.ts";
import { purgers, taskKinds } from "./kinds.port.ts";
import { purgeTask } from "./purge.task.ts";
import { correctSchedules } from "./schedule.jobs.ts";
import { endWithTenant, planOnPublication } from "./schedule.listeners.ts";
import { taskList, taskRun } from "./task.routes.ts";

export const schedulerModule = defineModule({
  name: "scheduler",
  configFiles: [new URL("./schedule.config.ts", import.meta.url)],
  routes: [taskList, ...executionRoutes, taskRun],
  jobs: [purgeExecutionsJob, correctSchedules],
  events: executionEvents,
  listeners: [planOnPublication, endWithTenant],
  provides: [provide(taskKinds, purgeTask), provide(purgers, executionPurger)],
  async work(runtime) {
    const engine = new ExecutionEngine(runtime);
    engine.start();
    return () => engine.stop();
  },
});
