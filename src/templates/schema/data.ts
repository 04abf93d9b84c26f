import Type, { type TSchemaOptions } from "typebox";

/**
 * The part of JSON Schema that templates may use to describe `additionalData`. `pattern` is not
 * allowed, because an expression of a tenant could block the process for hours. `$ref` is not
 * allowed, so that a schema cannot refer to other files or to itself.
 */
export type DataSchema = {
  type?: DataType | undefined;
  title?: string;
  description?: string;
  properties?: Record<string, DataSchema>;
  required?: string[];
  additionalProperties?: boolean;
  items?: DataSchema;
  enum?: (string | number | boolean | null)[];
  const?: string | number | boolean | null;
  format?: DataFormat;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  default?: unknown;
  examples?: unknown[];
};

const DATA_TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"] as const;
export type DataType = (typeof DATA_TYPES)[number];

const DATA_FORMATS = ["date", "date-time", "time", "email", "uri", "uuid"] as const;
export type DataFormat = (typeof DATA_FORMATS)[number];

const scalar = (options: TSchemaOptions = {}) =>
  Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], options);
const size = (description: string, example: number) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, description, examples: [example] }));
const number = (description: string, example: number) =>
  Type.Optional(Type.Number({ description, examples: [example] }));

export const DataSchema = Type.Cyclic(
  {
    DataSchema: Type.Object(
      {
        type: Type.Optional(
          Type.Enum([...DATA_TYPES], { description: "What the value is.", examples: ["string"] }),
        ),
        title: Type.Optional(
          Type.String({ maxLength: 500, description: "For people.", examples: ["First name"] }),
        ),
        description: Type.Optional(
          Type.String({
            maxLength: 2_000,
            description: "For people.",
            examples: ["As on the card"],
          }),
        ),
        properties: Type.Optional(
          Type.Record(Type.String(), Type.Ref("DataSchema"), {
            description: "The members of an object, each with a schema of its own.",
            examples: [{ firstName: { type: "string" } }],
          }),
        ),
        required: Type.Optional(
          Type.Array(Type.String(), {
            maxItems: 200,
            description: "The members that must be there.",
            examples: [["firstName"]],
          }),
        ),
        additionalProperties: Type.Optional(
          Type.Boolean({
            default: true,
            description: "Whether there may be members that are not named.",
            examples: [false],
          }),
        ),
        items: Type.Optional(
          Type.Ref("DataSchema", {
            description: "The schema of each entry of a list.",
            examples: [{ type: "string" }],
          }),
        ),
        enum: Type.Optional(
          Type.Array(scalar(), {
            minItems: 1,
            maxItems: 500,
            description: "The values that are allowed.",
            examples: [["Crescent", "Full Moon"]],
          }),
        ),
        const: Type.Optional(
          scalar({ description: "The only value that is allowed.", examples: [1] }),
        ),
        format: Type.Optional(
          Type.Enum([...DATA_FORMATS], {
            description: "The form of a text.",
            examples: ["date"],
          }),
        ),
        minLength: size("The fewest characters.", 1),
        maxLength: size("The most characters.", 60),
        minimum: number("The least number.", 0),
        maximum: number("The greatest number.", 100),
        exclusiveMinimum: number("The number must be greater.", 0),
        exclusiveMaximum: number("The number must be less.", 100),
        multipleOf: Type.Optional(
          Type.Number({
            exclusiveMinimum: 0,
            description: "The number must be a multiple of it.",
            examples: [0.5],
          }),
        ),
        minItems: size("The fewest entries.", 1),
        maxItems: size("The most entries.", 10),
        uniqueItems: Type.Optional(
          Type.Boolean({
            default: false,
            description: "Whether no two entries may be the same.",
            examples: [true],
          }),
        ),
        default: Type.Optional(
          Type.Unknown({ description: "For people; it is not filled in.", examples: ["Crescent"] }),
        ),
        examples: Type.Optional(
          Type.Array(Type.Unknown(), {
            maxItems: 50,
            description: "Values to try the template with.",
            examples: [["Camille"]],
          }),
        ),
      },
      { additionalProperties: false },
    ),
  },
  "DataSchema",
  {
    description: "The JSON Schema of `additionalData`; without it a pass may hold anything.",
    examples: [
      {
        type: "object",
        required: ["firstName"],
        properties: { firstName: { type: "string" } },
      },
    ],
  },
);
