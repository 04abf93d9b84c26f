import { defineModule } from "#kernel/module.ts";
import { purgeFileContents } from "./configuration/configuration.jobs.ts";
import {
  tenantDiff,
  tenantDiscardDraft,
  tenantGet,
  tenantHistory,
  tenantPatch,
  tenantPublish,
  tenantPut,
  tenantRollback,
  tenantTest,
} from "./configuration/configuration.routes.ts";
import { eraseTenant, resumeErasures } from "./erasure/erasure.jobs.ts";
import { configurationPublished, tenantDeleted } from "./tenant.events.ts";
import { tenantDelete, tenantList } from "./tenant.routes.ts";

export const tenantsModule = defineModule({
  name: "tenants",
  routes: [
    tenantList,
    tenantGet,
    tenantPut,
    tenantPatch,
    tenantDelete,
    tenantHistory,
    tenantDiff,
    tenantTest,
    tenantPublish,
    tenantDiscardDraft,
    tenantRollback,
  ],
  jobs: [eraseTenant, resumeErasures, purgeFileContents],
  events: [configurationPublished, tenantDeleted],
});
