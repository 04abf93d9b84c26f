import Type, { type Static } from "typebox";
import type { Pass } from "#src/passes/public.ts";
import type { RenderedPass } from "#src/templates/public.ts";
import type { PassContent } from "./content.service.ts";
import { ContentExplanation } from "./explanation/explanation.schema.ts";

const Maybe = Type.Union([Type.String(), Type.Null()]);

const ContentField = Type.Object(
  {
    key: Type.String(),
    label: Type.String(),
    text: Type.String({ description: "As people read it in this language." }),
    raw: Type.Union([Type.Number(), Type.String(), Type.Null()], {
      description: "With a format: the number, or the time, that the text was made of.",
    }),
    change: Type.String({ description: "What the holder is told when it changes." }),
    align: Maybe,
  },
  { title: "ContentField" },
);

const fields = Type.Array(ContentField);

export const ContentView = Type.Object(
  {
    passId: Type.String(),
    passType: Type.String(),
    kind: Type.String({ examples: ["loyalty"] }),
    version: Type.Integer({ minimum: 1, description: "Of the pass." }),
    configurationVersion: Type.Integer({ minimum: 1 }),
    language: Type.String({ description: "The one of `languages` that serves the locale best." }),
    languages: Type.Array(Type.String(), { description: "Those of the tenant, its own first." }),
    organization: Type.String(),
    description: Type.String(),
    logoText: Type.String(),
    colors: Type.Object({ background: Maybe, foreground: Maybe, label: Maybe }),
    barcode: Type.Union([
      Type.Object({ format: Type.String(), message: Type.String(), text: Type.String() }),
      Type.Null(),
    ]),
    fields: Type.Object({
      header: fields,
      primary: fields,
      secondary: fields,
      auxiliary: fields,
      back: fields,
    }),
    details: Type.Record(Type.String(), Type.String(), {
      description: "What the kind of pass has beside its fields, such as `event.name`.",
    }),
    expirationDate: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
    locations: Type.Array(
      Type.Object({ latitude: Type.Number(), longitude: Type.Number(), text: Type.String() }),
    ),
    beacons: Type.Array(
      Type.Object({
        uuid: Type.String(),
        major: Type.Union([Type.Integer(), Type.Null()]),
        minor: Type.Union([Type.Integer(), Type.Null()]),
        text: Type.String(),
      }),
    ),
    nfc: Type.Union([Type.Object({ message: Type.String() }), Type.Null()], {
      description: "What a reader is told that the phone is held to.",
    }),
    problems: Type.Array(
      Type.Object({
        file: Type.String(),
        line: Type.Integer(),
        column: Type.Integer(),
        message: Type.String(),
      }),
      { description: "Texts that could not be made, and are empty." },
    ),
    explanation: Type.Optional(ContentExplanation),
  },
  { title: "PassContent" },
);
export type ContentView = Static<typeof ContentView>;

export const ContentQuery = Type.Object(
  {
    locale: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$",
        maxLength: 35,
        mustBe: "a language tag, such as de or pt-BR",
        description: "The language of the holder, as a BCP 47 tag. Default: the tenant's.",
        examples: ["fr-CH"],
      }),
    ),
    explain: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Adds `explanation`: for each wallet every text with its sources, its place, and the rule that left it out.",
      }),
    ),
  },
  { additionalProperties: false },
);

export function presentContent(
  pass: Pass,
  { configurationVersion, template: { kind, template, locales } }: PassContent,
  rendered: RenderedPass,
): ContentView {
  const { colors = {}, barcode } = template;
  return {
    passId: pass.id,
    passType: pass.passType,
    kind,
    version: pass.version,
    configurationVersion,
    language: rendered.language,
    languages: [...locales.languages],
    organization: rendered.organization,
    description: rendered.description,
    logoText: rendered.logoText,
    colors: {
      background: colors.background ?? null,
      foreground: colors.foreground ?? null,
      label: colors.label ?? null,
    },
    barcode: presentBarcode(barcode?.format, rendered.barcode),
    fields: {
      header: presentFields(rendered.fields.header),
      primary: presentFields(rendered.fields.primary),
      secondary: presentFields(rendered.fields.secondary),
      auxiliary: presentFields(rendered.fields.auxiliary),
      back: presentFields(rendered.fields.back),
    },
    details: Object.fromEntries(rendered.details),
    expirationDate: rendered.expiresAt ?? null,
    locations: rendered.locations.map((location) => ({ ...location })),
    beacons: rendered.beacons.map(({ uuid, major = null, minor = null, text }) => ({
      uuid,
      major,
      minor,
      text,
    })),
    nfc: rendered.nfc ?? null,
    problems: rendered.problems.map(({ file, line, column, message }) => ({
      file,
      line,
      column,
      message,
    })),
  };
}

function presentBarcode(
  format: NonNullable<ContentView["barcode"]>["format"] | undefined,
  barcode: RenderedPass["barcode"],
): ContentView["barcode"] {
  if (format === undefined || barcode === undefined) return null;
  return { format, message: barcode.message, text: barcode.text };
}

function presentFields(rendered: RenderedPass["fields"]["header"]): Static<typeof fields> {
  return rendered.map(({ key, label, text, raw, change, align }) => ({
    key,
    label,
    text,
    raw: raw ?? null,
    change,
    align: align ?? null,
  }));
}

export const CONTENT_EXAMPLE: ContentView = {
  passId: "ps_0VfQm3Ks00x7Rk2LwPq9Zt",
  passType: "loyalty",
  kind: "loyalty",
  version: 1,
  configurationVersion: 7,
  language: "en",
  languages: ["en", "fr"],
  organization: "Café Lune",
  description: "Gold Club card",
  logoText: "",
  colors: { background: "#1f2a44", foreground: "#ffffff", label: "#c9d3ea" },
  barcode: { format: "qr", message: "ps_0VfQm3Ks00x7Rk2LwPq9Zt", text: "40012345" },
  fields: {
    header: [],
    primary: [
      { key: "name", label: "Member", text: "Camille", raw: null, change: "", align: null },
    ],
    secondary: [],
    auxiliary: [],
    back: [],
  },
  details: {},
  expirationDate: "2028-01-31T09:30:00.000Z",
  locations: [],
  beacons: [],
  nfc: null,
  problems: [],
};
