import type { Place } from "#src/files/public.ts";
import type { CompiledLayout } from "./layout.compile.ts";
import type { Locales } from "./locale.translations.ts";
import type { Field, FieldFormat, Section } from "./schema/field.ts";
import type { Duration } from "./template.expiration.ts";
import type { Kind, Template } from "./template.schema.ts";
import type { Pointer, TemplateValue } from "./template.value.ts";

export type CompiledField = {
  readonly key: string;
  readonly label: TemplateValue | undefined;
  readonly value: TemplateValue;
  readonly change: TemplateValue | undefined;
  readonly align: Field["align"];
  readonly format: FieldFormat | undefined;
  readonly row: Field["row"];
};

export type CompiledLocation = {
  readonly latitude: number;
  readonly longitude: number;
  readonly text: TemplateValue | undefined;
};

export type CompiledTemplate = {
  readonly passType: string;
  /** Path of its file. */
  readonly path: string;
  /** Where a value of its file begins, and where the name of one does. */
  at(pointer: Pointer): Place;
  keyAt(pointer: Pointer): Place;
  readonly kind: Kind;
  /** As written, and known to fit the schema. */
  readonly template: Template;
  readonly locales: Locales;
  /** Every Liquid text of the template and its layouts, in the order of the files. */
  readonly values: readonly TemplateValue[];
  readonly organization: TemplateValue;
  readonly description: TemplateValue;
  readonly logoText: TemplateValue | undefined;
  readonly grouping: TemplateValue | undefined;
  readonly barcode:
    | { readonly message: TemplateValue; readonly text: TemplateValue | undefined }
    | undefined;
  readonly fields: Readonly<Record<Section, readonly CompiledField[]>>;
  /** Texts of the block of its kind, by `event.name`, `transit.origin.code` and so on. */
  readonly details: ReadonlyMap<string, TemplateValue>;
  readonly expiration: { readonly after?: Duration; readonly at?: TemplateValue };
  readonly locations: readonly CompiledLocation[];
  readonly layouts: {
    readonly apple: CompiledLayout | undefined;
    readonly googleClass: CompiledLayout | undefined;
    readonly googleObject: CompiledLayout | undefined;
  };
  /** Whether another language can give another pass. */
  readonly isLocalised: boolean;
};
