export { listPassCodes, type PassCodes } from "./codes/code.repository.ts";
export { CODE_LENGTH_MAX, CODE_LENGTH_MIN } from "./codes/code.rules.ts";
export { findPassByCode } from "./codes/code.service.ts";
export { contentNotFound } from "./content.errors.ts";
export { inputOf } from "./content.input.ts";
export { CONTENT_SIGNAL } from "./content.listeners.ts";
export {
  contentKey,
  contentOf,
  fullInputOf,
  inLanguage,
  type PassContent,
  withExpiryOf,
} from "./content.service.ts";
export {
  type ContentExplainer,
  contentExplainers,
  type FieldLimit,
  type Rule,
} from "./explanation/explanation.port.ts";
