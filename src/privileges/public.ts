export { PrivilegeView } from "./privilege.schema.ts";
export { privilegesOfPasses } from "./privilege.service.ts";
