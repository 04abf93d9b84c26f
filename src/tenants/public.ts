export {
  type CheckInput,
  type ConfigurationCheck,
  configFileAddresses,
  configurationChecks,
  limitableOperations,
  secretReaders,
} from "./configuration/configuration.checks.ts";
export { ownFindings } from "./configuration/configuration.own-checks.ts";
export { findChangedFile } from "./configuration/configuration.repository.ts";
export { type FileEdit, publishConfiguration } from "./configuration/configuration.service.ts";
export {
  type Configuration,
  configurationOf,
  newestConfigurationOf,
} from "./configuration/configuration.snapshot.ts";
export { SETTINGS_FILE } from "./settings/settings.check.ts";
export { type SettingsFacts, settingsFacts } from "./settings/settings.facts.ts";
export { TenantSettings } from "./settings/tenant.settings.ts";
export { publicAddress } from "./tenant.address.ts";
export { type TenantCache, tenantCacheOf } from "./tenant.cache.ts";
export { configurationPublished, tenantDeleted } from "./tenant.events.ts";
export { TenantId, TenantParams } from "./tenant.schema.ts";
export { TENANT_SIGNAL } from "./tenant.signal.ts";
