import { defineModule } from "#kernel/module.ts";
import { sealedHostKeys } from "./host-keys/host-key.service.ts";
import { SftpServer } from "./server/server.ts";
import { rememberPort } from "./sftp.address.ts";
import { sftpFiles, sftpLog, sftpStatus } from "./sftp.routes.ts";

export const sftpModule = defineModule({
  name: "sftp",
  routes: [sftpStatus, sftpFiles, sftpLog],
  sealed: [sealedHostKeys],
  async listen(runtime, address) {
    const server = new SftpServer(runtime);
    await server.listen(address);
    rememberPort(runtime, server.port);
    return () => server.stop();
  },
});
