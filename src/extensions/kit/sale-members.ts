import Type, { type Static } from "typebox";

/** Which members of passes are filled from the vendor's objects, for files of connectors. */
export const passMembers = {
  passType: Type.String({
    pattern: "^[A-Za-z0-9_-]{1,64}$",
    mustBe: "the name of a template, such as loyalty",
    description: "The template of the passes that it makes.",
    examples: ["loyalty"],
  }),
  fields: Type.Optional(
    Type.Record(
      Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_]{0,63}$" }),
      Type.String({ minLength: 1, maxLength: 200 }),
      {
        maxProperties: 50,
        description:
          "Members of `additionalData`, each with the path of its value in what the vendor sends.",
        examples: [{ firstName: "first_name" }],
      },
    ),
  ),
};

const Earn = Type.Object(
  {
    privilege: Type.String({
      pattern: "^[\\w.-]{1,64}$",
      mustBe: "the id of a privilege, such as points",
      description: "The privilege whose value grows.",
      examples: ["points"],
    }),
    perUnit: Type.Number({
      exclusiveMinimum: 0,
      maximum: 1_000_000,
      description: "How much for one unit of the currency, with up to four decimals.",
      examples: [1],
    }),
    rounding: Type.Optional(
      Type.Union([Type.Literal("down"), Type.Literal("half-up")], {
        default: "down",
        description: "What happens to a part of one.",
        examples: ["down"],
      }),
    ),
  },
  {
    additionalProperties: false,
    description: "What a paid order gives.",
    examples: [{ privilege: "points", perUnit: 1 }],
  },
);
export type Earn = Static<typeof Earn>;

/** The members that points of sale have in common. */
export const saleMembers = {
  ...passMembers,
  earn: Type.Optional(Earn),
  receipts: Type.Optional(
    Type.Boolean({
      default: false,
      description: "Whether paid orders become receipts with a public page.",
      examples: [true],
    }),
  ),
};
