export {
  type CheckInput,
  type ConfigurationCheck,
  configFileAddresses,
  configurationChecks,
  examineInTurn,
  limitableOperations,
  secretReaders,
} from "./configuration/configuration.checks.ts";
export {
  configurationChangedMeanwhile,
  configurationInvalid,
} from "./configuration/configuration.errors.ts";
export { ownFindings } from "./configuration/configuration.own-checks.ts";
export {
  type FileEntry,
  findChangedFile,
  findContentOf,
} from "./configuration/configuration.repository.ts";
export { ChangedFiles, Finding as FindingView } from "./configuration/configuration.schema.ts";
export { type FileEdit, publishConfiguration } from "./configuration/configuration.service.ts";
export {
  type Configuration,
  configurationOf,
  newestConfigurationOf,
  type StoredFiles,
} from "./configuration/configuration.snapshot.ts";
export { type PublicationStep, publicationSteps } from "./configuration/configuration.steps.ts";
export { readSentFiles } from "./configuration/configuration-sent.service.ts";
export {
  type TriedChanges,
  type TriedFiles,
  withTriedFiles,
} from "./configuration/configuration-trial.service.ts";
export { SETTINGS_FILE } from "./settings/settings.check.ts";
export { type SettingsFacts, settingsFacts } from "./settings/settings.facts.ts";
export { sshKeyProblem } from "./settings/settings.ssh-key.ts";
export { TenantSettings } from "./settings/tenant.settings.ts";
export { publicAddress } from "./tenant.address.ts";
export { type TenantCache, tenantCacheOf } from "./tenant.cache.ts";
export { configurationPublished, tenantDeleted } from "./tenant.events.ts";
export { listTenantNames } from "./tenant.repository.ts";
export { TenantId, TenantParams } from "./tenant.schema.ts";
export { TENANT_SIGNAL } from "./tenant.signal.ts";
