export { type MetadataSource, registerMetadataSources } from "./connector.port.ts";
export { passesOfCustomers } from "./customer-pass.service.ts";
export { notifyPass } from "./notification.service.ts";
export type { FullChange } from "./pass.change.ts";
export { type PassCompanion, readCompanion, registerPassCompanions } from "./pass.companions.ts";
export { passNotFound } from "./pass.errors.ts";
export {
  passCreated,
  passDeleted,
  passDisabled,
  passEnabled,
  passExpired,
  passNotified,
  passUpdated,
} from "./pass.events.ts";
export {
  type Pass,
  type PassCreate,
  PassParams,
  type PassResource,
  presentPass,
} from "./pass.schema.ts";
export { createPass, getPass } from "./pass.service.ts";
export { type PassTypes, passTypesOf } from "./pass.types.ts";
export { acceptUpdates, updatePassesNow } from "./update.service.ts";
