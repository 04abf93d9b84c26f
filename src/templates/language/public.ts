/**
 * The language of templates without the services around it. These exports are loaded in the process
 * that examines files of tenants, so nothing here may import the database.
 */

export { barcodeProblem, encodingFor } from "../barcodes/barcode.problem.ts";
export {
  APPLE_BARCODES,
  APPLE_FALLBACKS,
  LAYOUT_BARCODES_MAX,
  type LeftOutBarcode,
} from "../barcodes/layout.barcodes.ts";
export {
  type ImageFit,
  type ImagePaths,
  namedImages,
  type WalletImages,
  type WalletSlot,
} from "../images/image.slots.ts";
export type { CompiledLayout } from "../layout.compile.ts";
export { deepMerge, type JsonObject } from "../layout.merge.ts";
export { contrast, unreadableColors } from "../lint/look.ts";
export { type PlacedField, placedFields } from "../lint/placed.ts";
export { isDecimal, parseDate, zonedTime } from "../liquid/format.ts";
export { type EventType, type TransitType, type TripStatus, tripStatus } from "../schema/block.ts";
export { changeFormat, valuesIn } from "../schema/change.ts";
export type { DataSchema } from "../schema/data.ts";
export type { Enrolment, EnrolmentField } from "../schema/enrolment.ts";
export { SECTIONS, type Section } from "../schema/field.ts";
export { Stores } from "../schema/store.ts";
export type { CompiledTemplate } from "../template.compiled.ts";
export { templateFinding } from "../template.findings.ts";
export { initialPrivilege } from "../template.privilege.ts";
export type {
  LocalizedPass,
  RenderedField,
  RenderedPass,
} from "../template.render.ts";
export type { BarcodeFormat, ImageSlot, Kind, Template } from "../template.schema.ts";
export { templatePath } from "../template.set.ts";
export { endZone, moment, placeTime } from "../template.times.ts";
export type { TemplateValue } from "../template.value.ts";
export { defineWallet } from "../template.wallet.ts";
