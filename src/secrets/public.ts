export { secretUnreadable } from "./secret.errors.ts";
export {
  createSecretReader,
  hasSecret,
  putSecret,
  readSecret,
  type SecretReader,
  shredTenantKeys,
} from "./secret.service.ts";
