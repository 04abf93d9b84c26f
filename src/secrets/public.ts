export { secretUnreadable } from "./secret.errors.ts";
export {
  putSecret,
  readSecret,
  shredTenantKeys,
} from "./secret.service.ts";
