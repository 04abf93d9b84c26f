export {
  createTemplateCheck,
  ruleAddresses,
  templateCheck,
  tryTemplate,
} from "./examination/check.ts";
export { loadRules } from "./examination/rules.ts";
export type { MadePass, PassRequest } from "./examination/trial.ts";
export { ImageError } from "./images/image.engine.ts";
export type { FittedImage } from "./images/image.fit.ts";
export { fittedImage } from "./images/image.service.ts";
export { slotKey } from "./images/image.slots.ts";
export { changedTexts } from "./locale.translations.ts";
export type { DataSchema } from "./schema/data.ts";
export { Store } from "./schema/store.ts";
export { knownStores } from "./store.file.ts";
export { checkFindings } from "./template.check-findings.ts";
export type { CompiledTemplate } from "./template.compiled.ts";
export type { Expiry } from "./template.expiry.ts";
export { variableNames } from "./template.names.ts";
export { initialPrivilege } from "./template.privilege.ts";
export {
  type LocalizedPass,
  type RenderedPass,
  renderInAllLanguages,
  renderTemplate,
} from "./template.render.ts";
export { commonInput, type RenderInput } from "./template.render-input.ts";
export { sampleInput } from "./template.sample.ts";
export {
  GoogleLayout,
  type Kind,
  PRIVILEGE_ID,
  PRIVILEGE_MINIMUM,
  Template,
  type TemplatePrivilege,
} from "./template.schema.ts";
export {
  type PublishedTemplate,
  type PublishedTemplates,
  publishedTemplatesOf,
  templatesOf,
} from "./template.service.ts";
export {
  LOCALE_PATH,
  readTemplates,
  STORES_PATH,
  type TemplateReading,
  type TemplateSet,
} from "./template.set.ts";
export type { TextSource } from "./template.sources.ts";
export { translatableTexts } from "./template.translatable.ts";
export type { RenderProblem } from "./template.value.ts";
export { walletAddresses } from "./template.wallet.ts";
