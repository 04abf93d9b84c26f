import {
  type BarcodeFormat,
  type CompiledTemplate,
  deepMerge,
  endZone,
  type ImageSlot,
  type JsonObject,
  type LocalizedPass,
  parseDate,
  type RenderedField,
  type RenderedPass,
  SECTIONS,
  type Section,
  zonedTime,
} from "#src/templates/language/public.ts";
import { defined } from "../json.values.ts";
import { GOOGLE_KINDS, type GoogleType, googleType, type Image } from "./google.kinds.ts";
import {
  localized,
  type Pick as PickText,
  shortHash,
  toSuffix,
  translatedOnly,
} from "./google.values.ts";

export type GoogleIdentity = {
  readonly issuerId: string;
  /** Keeps the classes of tenants apart that share one issuer, such as `acme.`. */
  readonly prefix?: string;
  readonly callbackUrl?: string;
  /** The URL from which Google can fetch the image; undefined if the template has no such image. */
  imageUrl(slot: ImageSlot): string | undefined;
};

/** What is needed to know of a template. A compiled template and a published one both have it. */
export type GoogleTemplate = Pick<CompiledTemplate, "passType" | "template" | "perPass">;

export type GoogleState = "ACTIVE" | "COMPLETED" | "EXPIRED" | "INACTIVE";

export type GoogleContent = { readonly type: GoogleType; readonly content: JsonObject };

/**
 * Builds the class: what all passes of the template, or of one event or flight in it, have in
 * common.
 */
export function buildGoogleClass(
  compiled: GoogleTemplate,
  pass: LocalizedPass,
  identity: GoogleIdentity,
): GoogleContent {
  const type = googleType(compiled.template);
  // The description may speak of the holder, and other holders have the same class.
  const image = imagesOf(pass, identity, ({ organization }) => organization);
  const { colors } = compiled.template;
  const content = defined({
    ...GOOGLE_KINDS[type].ofClass(compiled, pass, image),
    // Google takes no colour and no hero image on a generic class, only on its objects.
    hexBackgroundColor: type === "generic" ? undefined : colors?.background,
    heroImage: type === "generic" ? undefined : (image("hero") ?? image("strip")),
    classTemplateInfo: cardRows(pass),
    callbackOptions: identity.callbackUrl === undefined ? undefined : { url: identity.callbackUrl },
    ...smartTapOfClass(compiled),
  });
  const layout = pass.main.layouts.googleClass;
  const merged = layout === undefined ? content : deepMerge(content, layout);
  return { type, content: { ...merged, id: googleClassId(compiled, pass, identity) } };
}

/** The class that all passes of a template have, made of what is rendered without a pass. */
export function buildSharedClass(
  compiled: GoogleTemplate,
  common: LocalizedPass,
  identity: GoogleIdentity,
): GoogleContent {
  const { type, content } = buildGoogleClass(compiled, common, identity);
  // An organization that comes with the passes is empty here, and Google requires a name.
  const isNameless = type !== "generic" && (content.issuerName ?? "") === "";
  const issuerName = compiled.template.name;
  return { type, content: isNameless ? { ...content, issuerName } : content };
}

export function buildGoogleObject(
  compiled: GoogleTemplate,
  pass: LocalizedPass,
  identity: GoogleIdentity,
  state: GoogleState = "ACTIVE",
): GoogleContent {
  const type = googleType(compiled.template);
  const { main } = pass;
  const image = imagesOf(pass, identity, ({ description }) => description);
  const modules = textModules(pass);
  const links = linkModules(pass);
  const content = defined({
    ...GOOGLE_KINDS[type].ofObject(compiled, pass, image),
    state,
    barcode: barcode(compiled, pass),
    heroImage: type === "generic" ? (image("hero") ?? image("strip")) : undefined,
    textModulesData: modules.length === 0 ? undefined : modules,
    linksModuleData: links.length === 0 ? undefined : { uris: links },
    validTimeInterval: validity(main),
    merchantLocations: locations(pass),
    groupingInfo: main.grouping === "" ? undefined : { groupingId: main.grouping },
    smartTapRedemptionValue: smartTapValue(compiled, main.nfc?.message),
  });
  const layout = main.layouts.googleObject;
  const merged = layout === undefined ? content : deepMerge(content, layout);
  const id = googleObjectId(main.id, identity);
  const classId = googleClassId(compiled, pass, identity);
  // A layout may end a pass that is active here, and never makes one active that is not.
  const shown = state === "ACTIVE" ? merged.state || state : state;
  return { type, content: { ...merged, id, classId, state: shown } };
}

/** The id of a pass is like no other of any tenant, so it needs no prefix. */
export function googleObjectId(
  passId: string,
  { issuerId }: Pick<GoogleIdentity, "issuerId">,
): string {
  return `${issuerId}.${toSuffix(passId)}`;
}

/**
 * A template has one class, unless values that Google keeps on the class (an event, a flight, an
 * offer) come from the passes. Then there is one class for each combination of these values. Its id
 * has a hash of only these values, so that a new colour does not make a new class. Where a pass names its event
 * or journey by an id, the id alone is hashed: all else may change, and the class stays. Without one the hash is
 * that of former releases, because another would move every pass to a new class.
 */
export function googleClassId(
  compiled: GoogleTemplate,
  { main }: LocalizedPass,
  { issuerId, prefix = "" }: GoogleIdentity,
): string {
  const id = `${issuerId}.${prefix}${toSuffix(compiled.passType)}`;
  if (!hasManyClasses(compiled)) return id;
  const own = main.details.get(GOOGLE_KINDS[googleType(compiled.template)].id ?? "");
  if (own !== undefined) return `${id}-${shortHash([own])}`;
  const texts = GOOGLE_KINDS[googleType(compiled.template)].identity.map((name) =>
    main.details.get(name),
  );
  return `${id}-${shortHash([...texts, ...fallbackTitle(compiled, main.fields)])}`;
}

/** True if passes of the template may belong to different classes. */
export function hasManyClasses(compiled: GoogleTemplate): boolean {
  return namesOfClass(compiled).some((name) => compiled.perPass.has(name));
}

/** The names of the texts that make passes belong to different classes, as `perPass` has them. */
export function namesOfClass(compiled: Pick<GoogleTemplate, "template">): readonly string[] {
  const { identity, id } = GOOGLE_KINDS[googleType(compiled.template)];
  const names = id === undefined ? identity : [...identity, id];
  return titleFromFields(compiled) ? [...names, "primary"] : names;
}

/** Offers and events without a title of their own show the first primary field as title. */
function titleFromFields({ template }: Pick<GoogleTemplate, "template">): boolean {
  const type = googleType(template);
  if (type === "offer") return template.offer?.title === undefined;
  return type === "eventTicket" && template.event?.name === undefined;
}

function fallbackTitle(compiled: GoogleTemplate, fields: LocalizedPass["main"]["fields"]) {
  return titleFromFields(compiled) ? [fields.primary[0]?.text] : [];
}

function imagesOf(pass: LocalizedPass, identity: GoogleIdentity, describe: PickText): Image {
  return (slot) => {
    const uri = identity.imageUrl(slot);
    if (uri === undefined) return undefined;
    const contentDescription = localized(pass, describe);
    return defined({ sourceUri: { uri }, contentDescription });
  };
}

/** Whether the template has a change message in one of its fields. */
export function announcesChanges({ main }: LocalizedPass): boolean {
  return Object.values(main.fields)
    .flat()
    .some(({ change }) => (change ?? "") !== "");
}

const BARCODES: Readonly<Record<BarcodeFormat, string>> = {
  qr: "QR_CODE",
  pdf417: "PDF_417",
  aztec: "AZTEC",
  code128: "CODE_128",
};

function barcode({ template }: GoogleTemplate, { main }: LocalizedPass): JsonObject | undefined {
  if (template.barcode === undefined || main.barcode === undefined) return undefined;
  const { message, text, canExist } = main.barcode;
  if (!canExist) return undefined;
  return defined({
    type: BARCODES[template.barcode.format],
    value: message,
    alternateText: text === "" ? undefined : text,
  });
}

/** Readers take a pass by Smart Tap only if its class names their issuer. */
function smartTapOfClass({ template: { nfc } }: GoogleTemplate): JsonObject {
  if (nfc?.redemptionIssuers === undefined) return {};
  return { enableSmartTap: true, redemptionIssuers: nfc.redemptionIssuers };
}

const ASCII = /^[ -~]+$/;

function smartTapValue({ template: { nfc } }: GoogleTemplate, message = ""): string | undefined {
  return nfc?.redemptionIssuers !== undefined && ASCII.test(message) ? message : undefined;
}

const FRONT: readonly Section[] = SECTIONS.filter((section) => section !== "back");
const ROWS_MAX = 3;
const ITEMS_PER_ROW_MAX = 3;

/** Builds the front of the card. Google shows a text module there only if a row names it. */
function cardRows({ main: { fields } }: LocalizedPass): JsonObject | undefined {
  const bySection = FRONT.flatMap((section) => chunks(fields[section].map(({ key }) => key)));
  const packed = chunks(FRONT.flatMap((section) => fields[section].map(({ key }) => key)));
  const rows = bySection.length <= ROWS_MAX ? bySection : packed.slice(0, ROWS_MAX);
  if (rows.length === 0) return undefined;
  return { cardTemplateOverride: { cardRowTemplateInfos: rows.map(toRow) } };
}

function chunks(keys: readonly string[]): string[][] {
  const count = Math.ceil(keys.length / ITEMS_PER_ROW_MAX);
  return Array.from({ length: count }, (_, at) =>
    keys.slice(at * ITEMS_PER_ROW_MAX, (at + 1) * ITEMS_PER_ROW_MAX),
  );
}

function toRow(keys: readonly string[]): JsonObject {
  const [first, second, third] = keys.map((key) => ({
    firstValue: { fields: [{ fieldPath: `object.textModulesData['${key}']` }] },
  }));
  if (second === undefined) return { oneItem: { item: first } };
  if (third === undefined) return { twoItems: { startItem: first, endItem: second } };
  return { threeItems: { startItem: first, middleItem: second, endItem: third } };
}

const isLink = ({ text }: RenderedField): boolean => /^(https?:\/\/|tel:|mailto:)\S+$/.test(text);

type Place = { readonly section: Section; readonly at: number; readonly field: RenderedField };

function shownFields({ main }: LocalizedPass): Place[] {
  return SECTIONS.flatMap((section) =>
    main.fields[section].map((field, at) => ({ section, at, field })),
  ).filter(({ field }) => field.text !== "");
}

function textModules(pass: LocalizedPass): JsonObject[] {
  return shownFields(pass)
    .filter(({ section, field }) => section !== "back" || !isLink(field))
    .map(({ section, at, field }) =>
      defined({
        id: field.key,
        header: field.label === "" ? undefined : field.label,
        body: field.text,
        localizedHeader: translatedOnly(pass, ({ fields }) => fields[section][at]?.label),
        localizedBody: translatedOnly(pass, ({ fields }) => fields[section][at]?.text),
      }),
    );
}

function linkModules(pass: LocalizedPass): JsonObject[] {
  return shownFields(pass)
    .filter(({ section, field }) => section === "back" && isLink(field))
    .map(({ section, at, field }) =>
      defined({
        id: field.key,
        uri: field.text,
        description: field.label === "" ? undefined : field.label,
        localizedDescription: translatedOnly(pass, ({ fields }) => fields[section][at]?.label),
      }),
    );
}

/** With the offset of the zone of its place: Google shows the part of the text before it. */
function validity(main: RenderedPass): JsonObject | undefined {
  const { expiresAt } = main;
  if (expiresAt === undefined) return undefined;
  const zone = endZone(main);
  const end = parseDate(expiresAt, zone);
  const date = end === undefined ? undefined : zonedTime(end, zone);
  return { end: { date: date ?? expiresAt } };
}

const LOCATIONS_MAX = 10;

function locations({ main }: LocalizedPass): JsonObject[] | undefined {
  if (main.locations.length === 0) return undefined;
  return main.locations
    .slice(0, LOCATIONS_MAX)
    .map(({ latitude, longitude }) => ({ latitude, longitude }));
}
