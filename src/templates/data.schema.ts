import Type from "typebox";

/**
 * The JSON Schema of `additionalData`, as far as templates may use it. Without `pattern`: an
 * expression of a tenant could keep the process busy for hours. Without `$ref`: nothing points
 * outside, and nothing is endless.
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

const scalar = () => Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);
const size = () => Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 }));
const number = () => Type.Optional(Type.Number());

export const DataSchema = Type.Cyclic(
  {
    DataSchema: Type.Object(
      {
        type: Type.Optional(Type.Enum([...DATA_TYPES])),
        title: Type.Optional(Type.String({ maxLength: 500 })),
        description: Type.Optional(Type.String({ maxLength: 2_000 })),
        properties: Type.Optional(Type.Record(Type.String(), Type.Ref("DataSchema"))),
        required: Type.Optional(Type.Array(Type.String(), { maxItems: 200 })),
        additionalProperties: Type.Optional(Type.Boolean()),
        items: Type.Optional(Type.Ref("DataSchema")),
        enum: Type.Optional(Type.Array(scalar(), { minItems: 1, maxItems: 500 })),
        const: Type.Optional(scalar()),
        format: Type.Optional(Type.Enum([...DATA_FORMATS])),
        minLength: size(),
        maxLength: size(),
        minimum: number(),
        maximum: number(),
        exclusiveMinimum: number(),
        exclusiveMaximum: number(),
        multipleOf: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
        minItems: size(),
        maxItems: size(),
        uniqueItems: Type.Optional(Type.Boolean()),
        default: Type.Optional(Type.Unknown()),
        examples: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 50 })),
      },
      { additionalProperties: false },
    ),
  },
  "DataSchema",
);
