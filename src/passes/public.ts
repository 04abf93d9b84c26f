export { type MetadataSource, metadataSources } from "./connector.port.ts";
export { notifyPass } from "./notifications/notification.service.ts";
export { type PassCompanion, passCompanions, readCompanion } from "./pass.companions.ts";
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
  type FullChange,
  type Pass,
  type PassCreate,
  PassParams,
  type PassResource,
  presentPass,
} from "./pass.schema.ts";
export { createPass, getPass } from "./pass.service.ts";
export { type PassTypes, passTypesOf } from "./pass.types.ts";
export { acceptUpdates, updatePassesNow } from "./updates/update.service.ts";
