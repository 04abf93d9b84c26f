import { defineModule } from "#kernel/module.ts";

export const schedulerModule = defineModule({
  name: "scheduler",
  configFiles: [new URL("./schedule.config.ts", import.meta.url)],
});
