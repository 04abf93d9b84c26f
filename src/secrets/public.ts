export { secretsStampOf } from "./secret.cache.ts";
export { secretUnreadable } from "./secret.errors.ts";
export { listSecretHolders, listStoredKeys } from "./secret.repository.ts";
export {
  putSecret,
  readSecret,
  readSecretForUpdate,
  removeSecret,
  shredTenantKeys,
  writeSecret,
} from "./secret.service.ts";
