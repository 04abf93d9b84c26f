import Type, { type Static } from "typebox";
import { ChangedFiles, FindingView } from "#src/tenants/public.ts";

const FILES_MAX = 200;
const MEMBERS_MAX = 500;
const KNOWN_IMAGES_MAX = 100;

const Document = Type.Record(Type.String(), Type.Unknown());

export const PreviewRequest = Type.Object(
  {
    passType: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: "The template. Either this or `passId`.",
        examples: ["loyalty"],
      }),
    ),
    passId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: "A pass to fill it with, which needs `Pass.Read` as well.",
        examples: ["ps_0VfQm3Ks00x7Rk2LwPq9Zt"],
      }),
    ),
    files: Type.Optional({ ...ChangedFiles, maxProperties: FILES_MAX } as typeof ChangedFiles),
    additionalData: Type.Optional(
      Type.Record(Type.String({ maxLength: 128 }), Type.Unknown(), {
        maxProperties: MEMBERS_MAX,
        description: "In place of the sample data, member by member.",
      }),
    ),
    identifiers: Type.Optional(
      Type.Record(Type.String({ maxLength: 128 }), Type.String({ maxLength: 512 }), {
        maxProperties: MEMBERS_MAX,
        description: "In place of the sample identifiers.",
      }),
    ),
    knownImages: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        maxItems: KNOWN_IMAGES_MAX,
        description: "Hashes of images whose bytes are not needed again.",
      }),
    ),
  },
  { additionalProperties: false, title: "PreviewRequest" },
);
export type PreviewRequest = Static<typeof PreviewRequest>;

const PreviewImage = Type.Object(
  {
    name: Type.String({ description: "The file in the bundle, or the address that Google gets." }),
    hash: Type.String({ description: "The same for the same bytes." }),
    base64: Type.Union([Type.String({ contentEncoding: "base64" }), Type.Null()], {
      description: "A PNG; null if its hash is among `knownImages`.",
    }),
  },
  { title: "PreviewImage" },
);
export type PreviewImage = Static<typeof PreviewImage>;

const ApplePreview = Type.Object(
  {
    pass: {
      ...Document,
      description:
        "`pass.json` as it is put into the bundle. What identifies it to Apple is an example, and there is no `authenticationToken`: nobody can install it.",
    } as typeof Document,
    strings: Type.Record(Type.String(), Type.Record(Type.String(), Type.String()), {
      description: "By language: the texts of `pass.json` with what stands in their place.",
    }),
    images: Type.Array(PreviewImage),
  },
  { title: "ApplePreview" },
);

const GooglePreview = Type.Object(
  {
    type: Type.String({ examples: ["loyalty"] }),
    class: { ...Document, description: "With an issuer that is an example." } as typeof Document,
    object: Document,
    images: Type.Array(PreviewImage),
  },
  { title: "GooglePreview" },
);

export const Preview = Type.Object(
  {
    passType: Type.String(),
    passTypes: Type.Array(Type.String(), { description: "All templates that could be read." }),
    languages: Type.Array(Type.String(), { description: "Those of the tenant, its own first." }),
    variables: Type.Array(Type.String(), {
      description: "What texts of the template can read.",
      examples: [["data.firstName"]],
    }),
    apple: Type.Union([ApplePreview, Type.Null()], {
      description: "Null if the template has errors.",
    }),
    google: Type.Union([GooglePreview, Type.Null()], {
      description: "Null if the template has errors.",
    }),
    findings: Type.Array(FindingView, {
      description: "What is wrong with the YAML files. Images and secrets: `GET …/test`.",
    }),
  },
  { title: "Preview" },
);
export type Preview = Static<typeof Preview>;

export const PREVIEW_EXAMPLE: Preview = {
  passType: "loyalty",
  passTypes: ["loyalty"],
  languages: ["en", "fr"],
  variables: ["pass.id", "data.firstName"],
  apple: {
    pass: {
      formatVersion: 1,
      organizationName: "Café Lune",
      description: "Gold Club card",
      storeCard: { primaryFields: [{ key: "name", label: "Member", value: "Camille" }] },
      serialNumber: "sample-pass-0001",
    },
    strings: { fr: { Member: "Membre" } },
    images: [{ name: "icon@2x.png", hash: "b1946ac92492d2347c6235b4d2611184", base64: null }],
  },
  google: {
    type: "loyalty",
    class: { id: "0.cafe-lune.loyalty", issuerName: "Café Lune", programName: "Gold Club" },
    object: { id: "0.sample-pass-0001", state: "ACTIVE", accountName: "Camille" },
    images: [],
  },
  findings: [],
};
