export { PrivilegeView } from "./privilege.schema.ts";
