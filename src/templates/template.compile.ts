import type { Finding, YamlFile } from "#src/files/public.ts";
import { compileLayout } from "./layout.compile.ts";
import type { JsonObject } from "./layout.merge.ts";
import type { Locales } from "./locale.translations.ts";
import { bySection, type Section } from "./schema/field.ts";
import type { Store } from "./schema/store.ts";
import { checkTemplate } from "./template.checks.ts";
import type {
  CompiledBeacon,
  CompiledField,
  CompiledLocation,
  CompiledTemplate,
} from "./template.compiled.ts";
import { parseDuration } from "./template.expiration.ts";
import { BLOCK_OF_KIND, type Template } from "./template.schema.ts";
import {
  compileValue,
  type Pointer,
  type TemplateValue,
  type ValueRole,
  type ValueSource,
} from "./template.value.ts";

export type SourceFile = {
  readonly path: string;
  readonly file: YamlFile;
};
export type Layouts = {
  readonly apple?: SourceFile | undefined;
  readonly google?: SourceFile | undefined;
};

export type CompileInput = {
  readonly passType: string;
  /** The file fits the schema of templates; each file in `layouts` fits its own schema. */
  readonly source: SourceFile;
  readonly layouts: Layouts;
  readonly locales: Locales;
  readonly stores: readonly Store[];
};

export type Compilation = { readonly template: CompiledTemplate; readonly findings: Finding[] };

/** Compiles every text of a template once, for all passes. */
export function compileTemplate(input: CompileInput): Compilation {
  const { passType, locales } = input;
  const { path, file } = input.source;
  const template = file.value as Template;
  const texts = new TextReader(valueSource(input.source, locales));
  const organization = texts.read(template.organization, ["organization"], "organization");
  const description = texts.read(template.description, ["description"], "description");
  const parts = {
    organization,
    description,
    logoText: texts.maybe(template.logoText, ["logoText"], "logoText"),
    grouping: texts.maybe(template.grouping, ["grouping"], "grouping"),
    barcode: readBarcode(template, texts),
    fields: readFields(template, texts),
    details: readDetails(template, texts),
    enrolment: readEnrolment(template, texts),
    expiration: readExpiration(template, texts),
    locations: readLocations(template, input.stores, texts),
    beacons: readBeacons(template, texts),
    nfc: readNfc(template, texts),
    layouts: readLayouts(input.layouts, locales),
  };
  const layouts = Object.values(parts.layouts).flatMap((layout) => layout?.values ?? []);
  const values = [...texts.values, ...layouts];
  const isLocalised =
    locales.languages.length > 1 &&
    values.some(({ text, translations }) => text.usesLocale || translations.size > 0);
  const compiled: CompiledTemplate = {
    passType,
    path,
    at: (pointer) => ({ file: path, ...file.at(pointer) }),
    keyAt: (pointer) => ({ file: path, ...file.keyAt(pointer) }),
    kind: template.kind,
    template,
    locales,
    values,
    ...parts,
    isLocalised,
    perPass: perPassNames(parts),
  };
  return { template: compiled, findings: checkTemplate(compiled) };
}

/** Values below these names are the same for all passes of a tenant. */
const SHARED_ROOTS = new Set(["tenant", "locale"]);

function perPassNames({
  details,
  fields,
}: Pick<CompiledTemplate, "details" | "fields">): ReadonlySet<string> {
  const named = [...details, ["primary", fields.primary[0]?.value] as const];
  const readsPass = (value: TemplateValue | undefined) =>
    value?.text.references.some(({ segments }) => !SHARED_ROOTS.has(segments[0] ?? "")) === true;
  return new Set(named.filter(([, value]) => readsPass(value)).map(([name]) => name));
}

function valueSource({ path, file }: SourceFile, locales: Locales): ValueSource {
  return { file: path, yaml: file, locales };
}

/** Compiles texts, and collects them in the order of reading. */
class TextReader {
  readonly values: TemplateValue[] = [];
  readonly #source: ValueSource;

  constructor(source: ValueSource) {
    this.#source = source;
  }

  read(source: string, pointer: Pointer, role: ValueRole): TemplateValue {
    const value = compileValue(source, pointer, role, this.#source);
    this.values.push(value);
    return value;
  }

  maybe(source: string | undefined, pointer: Pointer, role: ValueRole): TemplateValue | undefined {
    return source === undefined ? undefined : this.read(source, pointer, role);
  }
}

function readBarcode({ barcode }: Template, texts: TextReader): CompiledTemplate["barcode"] {
  if (barcode === undefined) return undefined;
  return {
    message: texts.read(barcode.message, ["barcode", "message"], "barcodeMessage"),
    text: texts.maybe(barcode.text, ["barcode", "text"], "barcodeText"),
  };
}

function readFields({ fields = {} }: Template, texts: TextReader): CompiledTemplate["fields"] {
  const read = (section: Section): CompiledField[] =>
    (fields[section] ?? []).map((field, at) => {
      const pointer = ["fields", section, at];
      return {
        key: field.key,
        label: texts.maybe(field.label, [...pointer, "label"], "label"),
        value: texts.read(field.value, [...pointer, "value"], "value"),
        change: texts.maybe(field.change, [...pointer, "change"], "change"),
        align: field.align,
        format: field.format,
        timeZone: texts.maybe(
          field.format?.timeZone,
          [...pointer, "format", "timeZone"],
          "timeZone",
        ),
        row: field.row,
      };
    });
  return bySection(read);
}

/** Members that hold a fixed word or code, not a Liquid text. */
const NOT_TEXT = new Set(["transit.type", "offer.redemption", "giftCard.currency", "event.type"]);

function readDetails(template: Template, texts: TextReader): ReadonlyMap<string, TemplateValue> {
  const details = new Map<string, TemplateValue>();
  const block = BLOCK_OF_KIND[template.kind];
  const visit = (node: unknown, pointer: readonly string[]): void => {
    const name = pointer.join(".");
    if (typeof node === "string" && !NOT_TEXT.has(name)) {
      details.set(name, texts.read(node, pointer, "detail"));
    } else if (typeof node === "object" && node !== null) {
      for (const [key, child] of Object.entries(node)) visit(child, [...pointer, key]);
    }
  };
  if (block !== undefined) visit(template[block], [block]);
  return details;
}

function readEnrolment({ enrolment }: Template, texts: TextReader): CompiledTemplate["enrolment"] {
  if (enrolment === undefined) return undefined;
  const { description, terms } = enrolment;
  return {
    description: texts.read(description, ["enrolment", "description"], "enrolment"),
    terms: texts.maybe(terms, ["enrolment", "terms"], "enrolment"),
  };
}

function readExpiration({ expiration }: Template, texts: TextReader) {
  const after = expiration?.after === undefined ? undefined : parseDuration(expiration.after);
  const at = texts.maybe(expiration?.at, ["expiration", "at"], "expiration");
  return { ...(after === undefined ? {} : { after }), ...(at === undefined ? {} : { at }) };
}

function readLocations(
  { locations }: Template,
  stores: readonly Store[],
  texts: TextReader,
): CompiledLocation[] {
  if (locations === undefined) return [];
  if (locations === "stores") {
    return stores.flatMap(({ location, text, name }) =>
      location === undefined
        ? []
        : [{ ...location, text: texts.read(text ?? name, ["locations"], "locationText") }],
    );
  }
  return locations.map(({ latitude, longitude, text }, at) => ({
    latitude,
    longitude,
    text: texts.maybe(text, ["locations", at, "text"], "locationText"),
  }));
}

function readBeacons({ beacons = [] }: Template, texts: TextReader): CompiledBeacon[] {
  return beacons.map(({ uuid, major, minor, text }, at) => ({
    uuid,
    major,
    minor,
    text: texts.maybe(text, ["beacons", at, "text"], "locationText"),
  }));
}

function readNfc({ nfc }: Template, texts: TextReader): CompiledTemplate["nfc"] {
  if (nfc === undefined) return undefined;
  return { message: texts.read(nfc.message, ["nfc", "message"], "nfcMessage") };
}

function readLayouts(layouts: Layouts, locales: Locales): CompiledTemplate["layouts"] {
  const compile = (layout: SourceFile | undefined, member?: string) => {
    if (layout === undefined) return undefined;
    const whole = layout.file.value as JsonObject;
    const value = member === undefined ? whole : (whole[member] as JsonObject | undefined);
    if (value === undefined) return undefined;
    const source = valueSource(layout, locales);
    return compileLayout(value, source, member === undefined ? [] : [member]);
  };
  return {
    apple: compile(layouts.apple),
    googleClass: compile(layouts.google, "class"),
    googleObject: compile(layouts.google, "object"),
  };
}
