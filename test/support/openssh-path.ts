import { existsSync } from "node:fs";
import { join } from "node:path";

/*
 * The file drop is always tried with a library. Whether the programs that people use agree is tried
 * wherever they are: in Debian's place, where CI installs them.
 */
export const OPENSSH = ["/usr/bin"].find((folder) =>
  ["sftp", "scp", "ssh"].every((program) => existsSync(join(folder, program))),
);
