import { isObject } from "#kernel/json.ts";
import {
  type CompiledTemplate,
  changeFormat,
  deepMerge,
  type JsonObject,
  type Kind,
  type LocalizedPass,
  type RenderedField,
  type RenderedPass,
  SECTIONS,
  type Section,
  type TransitType,
} from "#src/templates/language/public.ts";
import { defined, orUndefined } from "../json.values.ts";
import { barcodes, withoutImpossible } from "./apple.barcodes.ts";
import { genericPoster, POSTER_STYLE } from "./apple.poster.ts";
import { proximity } from "./apple.proximity.ts";
import { relevance } from "./apple.relevance.ts";
import { preferredStyles } from "./apple.schemes.ts";
import { appleSemantics } from "./apple.semantics.ts";

/** What identifies a pass to Apple. It does not depend on what the pass shows. */
export type AppleIdentity = {
  readonly passTypeIdentifier: string;
  readonly teamIdentifier: string;
  /**
   * Where devices register, and the token that proves that they may. A pass has both or neither.
   */
  readonly service?: { readonly url: string; readonly authenticationToken: string };
  readonly isVoided?: boolean;
};

export const APPLE_STYLES: Readonly<Record<Kind, string>> = {
  loyalty: "storeCard",
  coupon: "coupon",
  eventTicket: "eventTicket",
  boardingPass: "boardingPass",
  giftCard: "storeCard",
  generic: "generic",
};

/** The parts of a template that pass.json follows from, beside what was rendered by it. */
export type AppleTemplate = Pick<CompiledTemplate, "kind" | "template">;

/**
 * Builds the object of pass.json, in the tenant's language. The layout is merged over the content,
 * but cannot change the members that identify the pass.
 */
export function buildPassJson(
  compiled: AppleTemplate,
  { main }: LocalizedPass,
  identity: AppleIdentity,
): JsonObject {
  const content = defined({
    organizationName: main.organization,
    // Required like the organization, which is never empty.
    description: main.description.trim() === "" ? main.organization : main.description,
    logoText: orUndefined(main.logoText),
    ...colors(compiled),
    ...barcodes(compiled, main),
    ...relevance(main),
    ...proximity(compiled, main),
    expirationDate: main.expiresAt,
    sharingProhibited: compiled.template.sharing === false ? true : undefined,
    groupingIdentifier: canGroup(compiled.kind) ? orUndefined(main.grouping) : undefined,
    semantics: appleSemantics(compiled, main),
    [APPLE_STYLES[compiled.kind]]: style(compiled, main),
  });
  const layout = main.layouts.apple && withoutFixedMembers(main.layouts.apple);
  const merged = withoutImpossible(
    layout === undefined ? content : deepMerge(content, layout),
    main,
  );
  // A layout that names styles itself, or removes them, knows better.
  const isDecided = (member: string) => Object.hasOwn(layout ?? {}, member);
  const styles = isDecided("preferredStyleSchemes") ? undefined : preferredStyles(compiled, merged);
  const poster = isDecided(POSTER_STYLE)
    ? undefined
    : genericPoster(compiled, merged[APPLE_STYLES[compiled.kind]]);
  return {
    formatVersion: 1,
    ...merged,
    ...(styles === undefined ? {} : { preferredStyleSchemes: styles }),
    ...(poster === undefined ? {} : { [POSTER_STYLE]: poster }),
    ...fixedMembers(main.id, identity),
  };
}

/** Members that no layout can set. */
export const APPLE_FIXED_MEMBERS: readonly string[] = [
  ...["formatVersion", "passTypeIdentifier", "teamIdentifier", "serialNumber"],
  ...["webServiceURL", "authenticationToken", "voided"],
];

/** Some of them a pass does not have, such as those of the web service: then a layout does not add them. */
function withoutFixedMembers(layout: Readonly<JsonObject>): Readonly<JsonObject> {
  if (!APPLE_FIXED_MEMBERS.some((name) => Object.hasOwn(layout, name))) return layout;
  const others = Object.entries(layout).filter(([name]) => !APPLE_FIXED_MEMBERS.includes(name));
  return Object.fromEntries(others);
}

function fixedMembers(serialNumber: string, identity: AppleIdentity): JsonObject {
  return {
    formatVersion: 1,
    passTypeIdentifier: identity.passTypeIdentifier,
    teamIdentifier: identity.teamIdentifier,
    serialNumber,
    ...(identity.service === undefined
      ? {}
      : {
          webServiceURL: identity.service.url,
          authenticationToken: identity.service.authenticationToken,
        }),
    ...(identity.isVoided === true ? { voided: true } : {}),
  };
}

function canGroup(kind: Kind): boolean {
  return kind === "boardingPass" || kind === "eventTicket";
}

function colors({ template: { colors = {} } }: AppleTemplate): JsonObject {
  return {
    backgroundColor: toRgb(colors.background),
    foregroundColor: toRgb(colors.foreground),
    labelColor: toRgb(colors.label),
  };
}

export function toRgb(hex: string | undefined): string | undefined {
  if (hex === undefined) return undefined;
  const part = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16);
  return `rgb(${part(1)}, ${part(3)}, ${part(5)})`;
}

const TRANSIT: Readonly<Record<TransitType, string>> = {
  air: "PKTransitTypeAir",
  train: "PKTransitTypeTrain",
  bus: "PKTransitTypeBus",
  boat: "PKTransitTypeBoat",
  generic: "PKTransitTypeGeneric",
};

function style({ kind, template }: AppleTemplate, main: RenderedPass): JsonObject {
  const sections = SECTIONS.map((section) => [
    `${section}Fields`,
    main.fields[section].filter(({ text }) => text !== "").map((field) => toField(field, section)),
  ]);
  const transitType = TRANSIT[template.transit?.type ?? "generic"];
  return {
    ...(kind === "boardingPass" ? { transitType } : {}),
    ...Object.fromEntries(sections.filter(([, fields]) => fields?.length !== 0)),
  };
}

const STYLE_NAMES: Readonly<Record<string, string>> = {
  none: "PKDateStyleNone",
  short: "PKDateStyleShort",
  medium: "PKDateStyleMedium",
  long: "PKDateStyleLong",
  full: "PKDateStyleFull",
};

function toField(field: RenderedField, section: Section): JsonObject {
  const { format } = field;
  const hasDate = format?.date !== undefined || format?.time !== undefined;
  const canAlign = section !== "primary" && section !== "back";
  return defined({
    key: field.key,
    label: orUndefined(field.label),
    value: field.raw ?? field.text,
    changeMessage: orUndefined(changeFormat(field.change)),
    textAlignment:
      field.align === undefined || !canAlign ? undefined : `PKTextAlignment${capital(field.align)}`,
    dateStyle: hasDate ? STYLE_NAMES[format?.date ?? "none"] : undefined,
    timeStyle: hasDate ? STYLE_NAMES[format?.time ?? "none"] : undefined,
    // Shows the time in the tenant's time zone wherever the phone is, as the texts and Google do.
    ignoresTimeZone: hasDate ? true : undefined,
    isRelative: hasDate ? format?.relative : undefined,
    numberStyle:
      format?.number === undefined ? undefined : `PKNumberStyle${capital(format.number)}`,
    currencyCode: format?.currency,
    row: section === "auxiliary" ? field.row : undefined,
  });
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

export type AppleStrings = {
  /** By language, including the tenant's own, each with the same keys. Empty if no text differs. */
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /**
   * Texts that occur twice in the tenant's language and need two different translations. A table
   * has one translation for each text, so only the first one is shown.
   */
  readonly ambiguous: readonly { readonly language: string; readonly text: string }[];
};

/**
 * Builds the tables for `<language>.lproj/pass.strings`. A table maps a text of pass.json to the
 * text in that language.
 */
export function buildPassStrings({ main, others }: LocalizedPass): AppleStrings {
  if (others.length === 0) return { tables: new Map(), ambiguous: [] };
  const own = localizableTexts(main);
  const tables = new Map(others.map(({ language }) => [language, new Map<string, string>()]));
  const ambiguous: { language: string; text: string }[] = [];
  const keys = new Set<string>();
  for (const other of others) {
    const texts = localizableTexts(other);
    const table = tables.get(other.language);
    for (const [name, text] of own) {
      const translated = texts.get(name) ?? text;
      const earlier = table?.get(text);
      if (earlier === undefined) table?.set(text, translated);
      else if (earlier !== translated) ambiguous.push({ language: other.language, text });
      if (translated !== text) keys.add(text);
    }
  }
  if (keys.size === 0) return { tables: new Map(), ambiguous };
  const only = (table: ReadonlyMap<string, string> | undefined) =>
    new Map([...keys].map((key) => [key, table?.get(key) ?? key]));
  const all = [[main.language, only(undefined)] as const].concat(
    others.map(({ language }) => [language, only(tables.get(language))] as const),
  );
  return { tables: new Map(all), ambiguous };
}

/** Texts by a name that is the same in all languages, so that translations can be matched. */
function localizableTexts(pass: RenderedPass): Map<string, string> {
  const texts = new Map<string, string>();
  const add = (name: string, text: string) => {
    if (text !== "") texts.set(name, text);
  };
  add("organization", pass.organization);
  add("description", pass.description);
  add("logoText", pass.logoText);
  for (const section of SECTIONS) {
    for (const field of pass.fields[section]) {
      const name = `${section}.${field.key}`;
      add(`${name}.label`, field.label);
      // The phone formats dates and numbers, in its own language.
      if (field.raw === undefined) add(`${name}.value`, field.text);
      add(`${name}.change`, changeFormat(field.change));
    }
  }
  for (const [at, { text }] of pass.locations.entries()) add(`location.${at}`, text);
  for (const [at, { text }] of pass.beacons.entries()) add(`beacon.${at}`, text);
  // Semantic tags are made of these.
  for (const [name, text] of pass.details) add(`detail.${name}`, text);
  addLayoutTexts(pass.layouts.apple, "layout", add);
  return texts;
}

function addLayoutTexts(node: unknown, name: string, add: (name: string, text: string) => void) {
  if (typeof node === "string") add(name, node);
  else if (Array.isArray(node) || isObject(node)) {
    for (const [key, child] of Object.entries(node)) addLayoutTexts(child, `${name}.${key}`, add);
  }
}

export function formatStrings(table: ReadonlyMap<string, string>): string {
  const quote = (text: string) =>
    `"${text.replace(/[\\"\n\r\t]/g, (character) => ESCAPES[character] ?? character)}"`;
  return [...table].map(([key, text]) => `${quote(key)} = ${quote(text)};\n`).join("");
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  '"': '\\"',
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};
