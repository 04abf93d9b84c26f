export {
  type CheckInput,
  type CheckPorts,
  type ConfigurationCheck,
  registerConfigurationChecks,
  type SecretReader,
} from "./configuration.checks.ts";
export { type FileSet, toFileSet } from "./configuration.files.ts";
export { ownFindings } from "./configuration.own-checks.ts";
export { findChangedFile } from "./configuration.repository.ts";
export { type FileEdit, publishConfiguration } from "./configuration.service.ts";
export {
  type Configuration,
  configurationOf,
  newestConfigurationOf,
} from "./configuration.snapshot.ts";
export {
  allFindings,
  defineFinding,
  type Finding,
  type FindingFactory,
  type FindingKind,
  hasError,
  type Place,
  type Position,
  type Severity,
  sortFindings,
} from "./finding.ts";
export { checkImport, ImportMapping, importFindings } from "./import.schema.ts";
export {
  checkSchedule,
  Schedule,
  type ScheduledTask,
  scheduleFindings,
  type TaskKind,
} from "./schedule.schema.ts";
export { type TenantCache, tenantCacheOf } from "./tenant.cache.ts";
export { TenantId, TenantParams } from "./tenant.schema.ts";
export { TenantSettings } from "./tenant.settings.ts";
export { TENANT_SIGNAL } from "./tenant.signal.ts";
export { readYaml, type YamlFile, type YamlPath } from "./yaml-file.ts";
export { yamlFindings } from "./yaml-findings.ts";
export { checkYaml } from "./yaml-schema.ts";
