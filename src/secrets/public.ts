export { secretUnreadable } from "./secret.errors.ts";
export {
  hasSecret,
  putSecret,
  readSecret,
  shredTenantKeys,
} from "./secret.service.ts";
