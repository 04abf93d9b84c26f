import { defineModule } from "#kernel/module.ts";

export const extensionsModule = defineModule({
  name: "extensions",
  configFiles: [new URL("./connector.config.ts", import.meta.url)],
});
