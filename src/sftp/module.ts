import { defineModule } from "#kernel/module.ts";

export const sftpModule = defineModule({
  name: "sftp",
  configFiles: [new URL("./import.config.ts", import.meta.url)],
});
