import type { ClientConfig } from "pg";
import { openJobs } from "#kernel/jobs/jobs.ts";
import { createLog } from "#kernel/log.ts";
import { allJobs } from "#main/modules.ts";
import { prepareDatabase } from "#main/open-database.ts";

/** Tables and queues as a first start leaves them, so that no test pays for them again. */
export async function prepareTemplate(connection: ClientConfig): Promise<void> {
  await prepareDatabase(connection);
  const jobs = await openJobs({
    connection,
    definitions: allJobs(),
    log: createLog({ level: "error" }),
    runtime: () => {
      throw new Error("Nothing runs while the template is made.");
    },
  });
  await jobs.prepare();
  await jobs.stop();
}
