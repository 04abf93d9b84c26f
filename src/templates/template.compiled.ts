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
  /** The name of the zone of `format`. */
  readonly timeZone: TemplateValue | undefined;
  readonly row: Field["row"];
};

export type CompiledLocation = {
  readonly latitude: number;
  readonly longitude: number;
  readonly text: TemplateValue | undefined;
};

export type CompiledBeacon = {
  readonly uuid: string;
  readonly major: number | undefined;
  readonly minor: number | undefined;
  readonly text: TemplateValue | undefined;
};

export type CompiledTemplate = {
  readonly passType: string;
  readonly path: string;
  /** `at` gives the place of a value in the file of the template, `keyAt` the place of its name. */
  at(pointer: Pointer): Place;
  keyAt(pointer: Pointer): Place;
  readonly kind: Kind;
  /** The template as written in the file. It fits the schema. */
  readonly template: Template;
  readonly locales: Locales;
  /** Every text of the template, then every text with Liquid of its layouts. */
  readonly values: readonly TemplateValue[];
  readonly organization: TemplateValue;
  readonly description: TemplateValue;
  readonly logoText: TemplateValue | undefined;
  readonly grouping: TemplateValue | undefined;
  readonly barcode:
    | { readonly message: TemplateValue; readonly text: TemplateValue | undefined }
    | undefined;
  readonly fields: Readonly<Record<Section, readonly CompiledField[]>>;
  /**
   * The texts of the block of this kind, by their path, such as `event.name` or
   * `transit.origin.code`.
   */
  readonly details: ReadonlyMap<string, TemplateValue>;
  readonly enrolment:
    | { readonly description: TemplateValue; readonly terms: TemplateValue | undefined }
    | undefined;
  readonly expiration: { readonly after?: Duration; readonly at?: TemplateValue };
  readonly locations: readonly CompiledLocation[];
  readonly beacons: readonly CompiledBeacon[];
  readonly nfc: { readonly message: TemplateValue } | undefined;
  readonly layouts: {
    readonly apple: CompiledLayout | undefined;
    readonly googleClass: CompiledLayout | undefined;
    readonly googleObject: CompiledLayout | undefined;
  };
  /** True if passes may differ between languages. */
  readonly isLocalised: boolean;
  /**
   * Names of the texts that may differ between passes of the same type: details by their path, and
   * `primary` for the first primary field.
   */
  readonly perPass: ReadonlySet<string>;
};
