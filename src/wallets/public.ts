export {
  type AppleIdentity,
  type AppleStrings,
  buildPassJson,
  buildPassStrings,
  formatStrings,
} from "./apple/apple.content.ts";
export { AppleSettings } from "./apple/apple.schema.ts";
export {
  PASS_JSON_DATE,
  PASS_JSON_DATE_STYLES,
  PASS_JSON_ENUMERATIONS,
  PASS_JSON_FIELD_LISTS,
  PASS_JSON_OBJECTS,
  PASS_JSON_ROOT,
  PASS_JSON_STYLES,
} from "./apple/pass-json/pass-json.facts.ts";
export { passUpdateDelivered, passUpdateFailed } from "./deliveries/delivery.events.ts";
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
export { cardPreview } from "./landing/landing.card.ts";
export { messagePage, type Page } from "./landing/landing.page.ts";
export { PICTURES, type Picture } from "./landing/landing.pictures.ts";
export { findPictureOf, picturesOf } from "./landing/landing.service.ts";
export { type PageStyle, styleFor } from "./landing/landing.style.ts";
export {
  PAGE_LANGUAGES,
  type PageLanguage,
  WORDS as LANDING_WORDS,
} from "./landing/landing.words.ts";
export { qrCode } from "./landing/qr/qr.code.ts";
export { qrSvg } from "./landing/qr/qr.picture.ts";
export { walletProblems } from "./wallet.problems.ts";
export {
  type ApplePushService,
  type GoogleServices,
  type WalletServices,
  walletServices,
} from "./wallet.services.ts";
