export { type BatchOptions, fulfilWishes } from "./batches/batch.service.ts";
export type { PassWish, WishResult } from "./batches/batch.wish.ts";
export {
  type MetadataSource,
  metadataSources,
  SourceProblem,
  toStorable,
} from "./connector.port.ts";
export { type WalletTeller, walletTellers } from "./deliveries/delivery.service.ts";
export { type ColumnSource, columnSources } from "./exports/export.columns.ts";
export { type DeviceCount, noteDevices } from "./installations/installation.service.ts";
export { notifyPass } from "./notifications/notification.service.ts";
export {
  type CompanionWish,
  type PassCompanion,
  passCompanions,
  readCompanion,
} from "./pass.companions.ts";
export { passIdentifierAmbiguous, passIdentifiersDiffer, passNotFound } from "./pass.errors.ts";
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
export {
  findPass,
  findPassesForUpdate,
  isIdentifierClash,
  listHolders,
  passColumns,
} from "./pass.repository.ts";
export {
  type FullChange,
  linksOf,
  MomentSent,
  type Pass,
  type PassCreate,
  type PassLinks,
  type PassMaking,
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
  unknownType,
} from "./pass.types.ts";
export { creationProblems } from "./pass-creation.service.ts";
export { erasedPasses } from "./pass-erasure.service.ts";
export { holdPasses } from "./pass-hold.repository.ts";
export { createPassWithin } from "./pass-within.service.ts";
export { findPasses } from "./updates/update.repository.ts";
export { acceptUpdates, updatePassesNow } from "./updates/update.service.ts";
export { updatePassWithin } from "./updates/update-within.service.ts";
