export { AppleSettings } from "./apple.schema.ts";
export {
  type AppleIdentity,
  type AppleStrings,
  buildPassJson,
  buildPassStrings,
  formatStrings,
} from "./apple-content.ts";
export type { DataSchema } from "./data.schema.ts";
export { GoogleSettings } from "./google.schema.ts";
export {
  buildGoogleClass,
  buildGoogleObject,
  type GoogleContent,
  type GoogleIdentity,
  type GoogleState,
  googleClassId,
  googleObjectId,
} from "./google-content.ts";
export { type GoogleType, googleType } from "./google-kinds.ts";
export { knownStores } from "./store.file.ts";
export { Store, Stores } from "./store.schema.ts";
export { createTemplateCheck, templateCheck } from "./template.check.ts";
export { checkFindings } from "./template.check-findings.ts";
export type { CompiledTemplate } from "./template.compile.ts";
export type { Expiry } from "./template.expiry.ts";
export {
  type LocalizedPass,
  type RenderedPass,
  type RenderInput,
  renderInAllLanguages,
  renderTemplate,
} from "./template.render.ts";
export { sampleInput } from "./template.sample.ts";
export { GoogleLayout, type Kind, Template } from "./template.schema.ts";
export {
  type PublishedTemplate,
  type PublishedTemplates,
  templatesOf,
} from "./template.service.ts";
export {
  readTemplates,
  STORES_PATH,
  type TemplateReading,
  type TemplateSet,
} from "./template.set.ts";
export type { RenderProblem } from "./template.value.ts";
