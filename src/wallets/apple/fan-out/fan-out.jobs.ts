import Type from "typebox";
import { defineJob } from "#kernel/jobs/define.ts";
import { tellAllDevices } from "./fan-out.service.ts";

/**
 * Publications were told by this job before they were told in steps. Jobs that waited during the upgrade, and
 * those of nodes that are not upgraded yet, begin a walk. It goes over all passes, so `after`, the last pass that
 * such a job had done, does not matter: some devices are told twice. No longer needed in the next release.
 */
export const tellAllAsBefore = defineJob({
  name: "apple-pass.tell-all",
  payload: Type.Object({ after: Type.Optional(Type.String({ maxLength: 100 })) }),
  concurrency: 1,
  run: (context) => context.forTenant(context.tenantId).transaction(tellAllDevices),
});
