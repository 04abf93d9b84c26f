import Type, { type Static } from "typebox";

const SOURCE_KINDS = [
  ...["template", "layout", "data", "connector", "privilege", "identifier", "locale"],
  ...["pass", "tenant"],
] as const;

const Source = Type.Object(
  {
    kind: Type.Enum([...SOURCE_KINDS], {
      description:
        "`template` and `layout` are files of the tenant; `data` is `additionalData`; `connector` is `metadata`; `locale` is a translation, or a text that depends on the language.",
    }),
    name: Type.String({
      description: "The file, the variable or the language.",
      examples: ["data.firstName"],
    }),
    line: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
    column: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  },
  { title: "ContentSource" },
);
export type Source = Static<typeof Source>;
export type SourceKind = Source["kind"];

export const ExplainedText = Type.Object(
  {
    name: Type.String({
      description:
        "Its place in the template, such as `fields.header.points` or `event.name`; in a layout, `layout` and its place in there.",
      examples: ["fields.header.points"],
    }),
    label: Type.Union([Type.String(), Type.Null()], { description: "Of fields." }),
    value: Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], {
      description: "In the language of this answer; null where a layout removes something.",
    }),
    shown: Type.Boolean({ description: "Whether the holder sees it in this wallet." }),
    members: Type.Array(Type.String(), {
      description:
        "Where it stands in what the wallet is sent: on Apple in pass.json, and below `personalization` in personalization.json.",
      examples: [["storeCard.headerFields[0].value"]],
    }),
    sources: Type.Array(Source, { description: "What it was made of, its file first." }),
    rule: Type.Union(
      [
        Type.Object({
          code: Type.String({ examples: ["empty-text"] }),
          text: Type.String({ description: "For people." }),
        }),
        Type.Null(),
      ],
      { description: "What left it out, or moved it." },
    ),
  },
  { title: "ExplainedText" },
);
export type ExplainedText = Static<typeof ExplainedText>;

export const ContentExplanation = Type.Object(
  { apple: Type.Array(ExplainedText), google: Type.Array(ExplainedText) },
  { title: "ContentExplanation" },
);
export type ContentExplanation = Static<typeof ContentExplanation>;
