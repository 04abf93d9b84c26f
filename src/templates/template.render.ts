import { judgeBarcodes, type RenderedBarcode, renderBarcode } from "./barcodes/barcode.render.ts";
import type { LeftOutBarcode } from "./barcodes/layout.barcodes.ts";
import type { CompiledLayout } from "./layout.compile.ts";
import type { JsonObject } from "./layout.merge.ts";
import { RenderBudget } from "./liquid/budget.ts";
import {
  formatDate,
  formatMoney,
  formatNumber,
  isDecimal,
  isKnownZone,
  parseDate,
  zonedTime,
} from "./liquid/format.ts";
import { createScope } from "./liquid/scope.ts";
import { bySection, type FieldFormat, type Section } from "./schema/field.ts";
import { briefScope } from "./template.brief.ts";
import type { CompiledField, CompiledTemplate } from "./template.compiled.ts";
import { expiryAfter, isShowable } from "./template.expiry.ts";
import type { RenderInput } from "./template.render-input.ts";
import { endZone } from "./template.times.ts";
import {
  type ProblemPlace,
  problemAt,
  type RenderProblem,
  renderValue,
  type TemplateValue,
} from "./template.value.ts";

export type RenderedField = {
  readonly key: string;
  readonly label: string;
  /** The text as people read it in this language. */
  readonly text: string;
  /**
   * Only with a format: the number, or the time with its offset, for wallets that format it on the
   * device.
   */
  readonly raw: number | string | undefined;
  readonly change: string;
  readonly align: CompiledField["align"];
  readonly format: FieldFormat | undefined;
  readonly row: CompiledField["row"];
};

export type RenderedLocation = {
  readonly latitude: number;
  readonly longitude: number;
  readonly text: string;
};

export type RenderedBeacon = {
  readonly uuid: string;
  readonly major: number | undefined;
  readonly minor: number | undefined;
  readonly text: string;
};

/** A pass in one language, in a form that is independent of wallets. */
export type RenderedPass = {
  readonly id: string;
  readonly language: string;
  readonly organization: string;
  readonly description: string;
  readonly logoText: string;
  readonly grouping: string;
  readonly barcode: RenderedBarcode | undefined;
  readonly fields: Readonly<Record<Section, readonly RenderedField[]>>;
  /** The key is the path of the detail, such as `event.name` or `transit.origin.code`. */
  readonly details: ReadonlyMap<string, string>;
  /** What the holder signs up for; undefined if the pass asks for nothing. */
  readonly enrolment: { readonly description: string; readonly terms: string } | undefined;
  /** ISO 8601 in UTC. */
  readonly expiresAt: string | undefined;
  readonly timeZone: string;
  readonly locations: readonly RenderedLocation[];
  readonly beacons: readonly RenderedBeacon[];
  /** What a reader is told; undefined for templates without NFC. */
  readonly nfc: { readonly message: string } | undefined;
  readonly layouts: {
    readonly apple: Readonly<JsonObject> | undefined;
    /** The barcodes of that layout which cannot exist for this pass. */
    readonly appleLeftOut: readonly LeftOutBarcode[];
    readonly googleClass: Readonly<JsonObject> | undefined;
    readonly googleObject: Readonly<JsonObject> | undefined;
  };
  readonly problems: readonly RenderProblem[];
};

/** A pass in all languages of its tenant. `main` is in the default language. */
export type LocalizedPass = {
  readonly main: RenderedPass;
  readonly others: readonly RenderedPass[];
};

/**
 * The same input always gives the same pass. Never throws: a text that fails is empty, and is
 * listed in `problems`.
 */
export function renderTemplate(
  compiled: CompiledTemplate,
  input: RenderInput,
  budget: RenderBudget = new RenderBudget(),
): RenderedPass {
  const { language, format } = compiled.locales.resolve(input.locale);
  const translate = (text: string) => compiled.locales.find(language, text) ?? text;
  budget.beginLanguage();
  const scope = createScope(input, format, translate, budget);
  const problems: RenderProblem[] = [];
  const render = (value: TemplateValue | undefined): string =>
    value === undefined ? "" : renderValue(value, scope, language, problems);
  const { barcode, enrolment, layouts } = compiled;
  const { timeZone } = input.tenant;
  const organization = organizationOf(compiled, input, render(compiled.organization), problems);
  const details = renderDetails(compiled, render);
  const barcodes = { format: compiled.template.barcode?.format, budget, problems };
  const renderedBarcode = barcode && renderBarcode(barcode, render, barcodes);
  const renderApple = (layout: CompiledLayout) => {
    const made = layout.render(scope, language, problems);
    const { rendered, leftOut } = judgeBarcodes(layout, made, renderedBarcode, barcodes);
    const note = (place: ProblemPlace) => noteOrganization(place, input, organization, problems);
    return { apple: withNames(layout, rendered, note), appleLeftOut: leftOut };
  };
  return {
    id: input.pass.id,
    language,
    organization,
    description: render(compiled.description),
    logoText: render(compiled.logoText),
    grouping: render(compiled.grouping),
    barcode: renderedBarcode,
    fields: renderFields(compiled, render, { locale: format, timeZone }),
    details,
    enrolment:
      enrolment === undefined
        ? undefined
        : { description: render(enrolment.description), terms: render(enrolment.terms) },
    expiresAt: expirationOf(compiled, input, endZone({ details, timeZone }), (value) =>
      renderValue(value, briefScope(input, format), language, problems),
    ),
    timeZone,
    locations: compiled.locations.map(({ latitude, longitude, text }) => ({
      latitude,
      longitude,
      text: render(text),
    })),
    beacons: compiled.beacons.map((beacon) => ({ ...beacon, text: render(beacon.text) })),
    nfc: compiled.nfc === undefined ? undefined : { message: render(compiled.nfc.message) },
    layouts: {
      ...(layouts.apple === undefined ? NO_APPLE_LAYOUT : renderApple(layouts.apple)),
      googleClass: layouts.googleClass?.render(scope, language, problems),
      googleObject: layouts.googleObject?.render(scope, language, problems),
    },
    problems,
  };
}

const NO_APPLE_LAYOUT = { apple: undefined, appleLeftOut: [] };

/** Renders only the default language if no text depends on the language. */
export function renderInAllLanguages(
  compiled: CompiledTemplate,
  input: RenderInput,
): LocalizedPass {
  const { defaultLocale, languages } = compiled.locales;
  const budget = new RenderBudget();
  const main = renderTemplate(compiled, { ...input, locale: defaultLocale }, budget);
  if (!compiled.isLocalised) return { main, others: [] };
  const others = languages
    .filter((language) => language !== defaultLocale)
    .map((locale) => renderTemplate(compiled, { ...input, locale }, budget));
  return { main, others };
}

/** Wallets refuse a pass without the name of an organization, so the tenant's name stands in for an empty one. */
function organizationOf(
  { organization }: CompiledTemplate,
  input: RenderInput,
  text: string,
  problems: RenderProblem[],
): string {
  if (text.trim() !== "") return text;
  const { name } = input.tenant;
  return noteOrganization(organization, input, name, problems) ? name : text;
}

/**
 * Reports that the organization's name is empty. False where no pass is given, for what all passes have in
 * common: each pass may bring the name.
 */
function noteOrganization(
  place: ProblemPlace,
  { pass }: RenderInput,
  name: string,
  problems: RenderProblem[],
): boolean {
  if (pass.creationDate === undefined) return false;
  const message = `is empty, so '${name}' stands in its place`;
  problems.push(problemAt(place, "no-organization", message));
  return true;
}

/** Where the layout's name or description is empty for a pass, that of the template stays. */
function withNames(
  layout: CompiledLayout,
  rendered: Readonly<JsonObject>,
  noteUnnamed: (place: ProblemPlace) => void,
): Readonly<JsonObject> {
  const isBlank = (name: string) => {
    const text = rendered[name];
    return typeof text === "string" && text.trim() === "";
  };
  const blank = ["organizationName", "description"].filter(isBlank);
  if (blank.length === 0) return rendered;
  // An empty description is replaced by that of the template, too, and needs no report.
  if (blank.includes("organizationName")) {
    const pointer = ["organizationName"];
    noteUnnamed({ ...layout.keyAt(pointer), pointer });
  }
  return Object.fromEntries(Object.entries(rendered).filter(([name]) => !blank.includes(name)));
}

type Render = (value: TemplateValue | undefined) => string;
type Place = { readonly locale: string; readonly timeZone: string };

function renderFields(
  { fields }: CompiledTemplate,
  render: Render,
  place: Place,
): RenderedPass["fields"] {
  const renderField = (field: CompiledField): RenderedField => {
    const text = render(field.value);
    const zone = render(field.timeZone);
    const shown = isKnownZone(zone) ? { ...place, timeZone: zone } : place;
    const formatted = field.format === undefined ? undefined : present(text, field.format, shown);
    return {
      key: field.key,
      label: render(field.label),
      text: formatted?.text ?? text,
      raw: formatted?.raw,
      change: render(field.change),
      align: field.align,
      format: formatted === undefined ? undefined : field.format,
      row: field.row,
    };
  };
  return bySection((section) => fields[section].map(renderField));
}

const NO_DETAILS: ReadonlyMap<string, string> = new Map();

function renderDetails({ details }: CompiledTemplate, render: Render): RenderedPass["details"] {
  if (details.size === 0) return NO_DETAILS;
  const rendered = new Map<string, string>();
  for (const [name, value] of details) {
    const text = render(value);
    if (text !== "") rendered.set(name, text);
  }
  return rendered;
}

/** Returns undefined if the value does not fit the format. Such a value is shown as it is. */
function present(
  value: string,
  format: FieldFormat,
  { locale, timeZone }: Place,
): { text: string; raw: number | string } | undefined {
  if (format.date !== undefined || format.time !== undefined) {
    const moment = parseDate(value, timeZone);
    const style = { date: format.date ?? "none", time: format.time ?? "none" };
    if (moment === undefined || (style.date === "none" && style.time === "none")) return undefined;
    const text = formatDate(moment, locale, timeZone, style) ?? value;
    return { text, raw: zonedTime(moment, timeZone) ?? moment.toISOString() };
  }
  if (!isDecimal(value)) return undefined;
  const raw = Number(value);
  if (format.currency !== undefined) {
    return { text: formatMoney(value, format.currency, locale) ?? value, raw };
  }
  const options = format.number === undefined ? undefined : NUMBER_OPTIONS[format.number];
  return options === undefined
    ? undefined
    : { text: formatNumber(value, locale, options) ?? value, raw };
}

const NUMBER_OPTIONS: Readonly<Record<string, Intl.NumberFormatOptions>> = {
  decimal: { maximumFractionDigits: 3 },
  percent: { style: "percent", maximumFractionDigits: 2 },
  scientific: { notation: "scientific" },
  // `Intl` cannot write numbers as words. Only Apple Wallet does that.
  spellOut: {},
};

function expirationOf(
  { expiration }: CompiledTemplate,
  { pass, tenant }: RenderInput,
  zone: string,
  render: (value: TemplateValue) => string,
): string | undefined {
  if (typeof pass.expirationDate === "string") return toIso(pass.expirationDate, tenant.timeZone);
  if (expiration.at !== undefined) return toIso(render(expiration.at), zone);
  const after = expiryAfter(expiration.after, { pass });
  return after !== undefined && isShowable(after) ? after.toISOString() : undefined;
}

function toIso(text: string, timeZone: string): string | undefined {
  return text === "" ? undefined : parseDate(text, timeZone)?.toISOString();
}
