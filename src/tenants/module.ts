import { defineModule } from "#kernel/module.ts";
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
import { configurationPublished, tenantDeleted } from "./tenant.events.ts";
import { eraseTenant, purgeFileContents } from "./tenant.jobs.ts";
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
  jobs: [eraseTenant, purgeFileContents],
  events: [configurationPublished, tenantDeleted],
});
