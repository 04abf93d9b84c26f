export {
  type AppleIdentity,
  type AppleStrings,
  buildPassJson,
  buildPassStrings,
  formatStrings,
} from "./apple/apple.content.ts";
export { AppleSettings } from "./apple/apple.schema.ts";
export {
  buildGoogleClass,
  buildGoogleObject,
  type GoogleContent,
  type GoogleIdentity,
  type GoogleState,
  googleClassId,
  googleObjectId,
} from "./google/google.content.ts";
export { type GoogleType, googleType } from "./google/google.kinds.ts";
export { GoogleSettings } from "./google/google.schema.ts";
export { googleSaveLinkOf } from "./google/save/save.service.ts";
export { walletProblems } from "./wallet.problems.ts";
export {
  type ApplePushService,
  type GoogleServices,
  type WalletServices,
  walletServices,
} from "./wallet.services.ts";
