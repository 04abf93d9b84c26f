export { type MetadataSource, metadataSources } from "./connector.port.ts";
export { type WalletTeller, walletTellers } from "./deliveries/delivery.service.ts";
export { type DeviceCount, noteDevices } from "./installations/installation.service.ts";
export { notifyPass } from "./notifications/notification.service.ts";
export { type PassCompanion, passCompanions, readCompanion } from "./pass.companions.ts";
export { passIdentifierAmbiguous, passNotFound } from "./pass.errors.ts";
export {
  passCreated,
  passDeleted,
  passDisabled,
  passEnabled,
  passExpired,
  passInstalled,
  passNotified,
  passUninstalled,
  passUpdated,
} from "./pass.events.ts";
export { findPassesForUpdate, passColumns } from "./pass.repository.ts";
export {
  type FullChange,
  linksOf,
  MomentSent,
  type Pass,
  type PassCreate,
  type PassLinks,
  PassParams,
  type PassResource,
  PassStatus,
  presentPass,
  type WalletName,
} from "./pass.schema.ts";
export {
  createPass,
  findPassByIdentifier,
  findPassBySecret,
  getPass,
} from "./pass.service.ts";
export {
  type PassFollower,
  type PassStep,
  type PassType,
  type PassTypes,
  passFollowers,
  passTypesOf,
} from "./pass.types.ts";
export { holdPasses } from "./pass-hold.repository.ts";
export { acceptUpdates, updatePassesNow } from "./updates/update.service.ts";
export { updatePassWithin } from "./updates/update-within.service.ts";
