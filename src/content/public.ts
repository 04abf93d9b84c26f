export { contentNotFound } from "./content.errors.ts";
export { CONTENT_SIGNAL } from "./content.listeners.ts";
export { contentKey, contentOf, inLanguage, type PassContent } from "./content.service.ts";
export {
  type ContentExplainer,
  contentExplainers,
  type FieldLimit,
  type Rule,
} from "./explanation/explanation.port.ts";
