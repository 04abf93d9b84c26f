import Type from "typebox";
import { defineJob } from "#kernel/jobs/define.ts";
import { runInTenant } from "#kernel/jobs/run-in-tenant.ts";
import { listOutdatedTenants, scheduleOutdated } from "./outdated.repository.ts";

/** Five in a second, of the twenty requests that Google takes from an issuer. */
const SHARE = { count: 300, seconds: 60 };

/**
 * Brings what former releases left wrong at Google up to date, a share in each minute, until nothing is left. It goes
 * on as long as there are processes of the former release, which may write the same once more.
 */
export const updateOutdated = defineJob({
  name: "google-object.update-outdated",
  payload: Type.Object({}),
  cron: "* * * * *",
  concurrency: 1,
  async run(context, _payload, signal) {
    for (const tenantId of await listOutdatedTenants(context)) {
      if (signal.aborted) return;
      try {
        await runInTenant(context, tenantId, (tenant) =>
          tenant.transaction((tx) => scheduleOutdated(tx, SHARE)),
        );
      } catch (error) {
        context.log.warn(
          { err: error, tenantId },
          "passes at Google wait to be brought up to date",
        );
      }
    }
  },
});
