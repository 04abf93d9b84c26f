import Type, { type Static } from "typebox";
import { defineConfigFiles } from "#src/files/public.ts";
import { connectorFile } from "../kit/connector-file.ts";

const closed = { additionalProperties: false } as const;

/** What a customer may be asked for, in the vendor's words. */
const ATTRIBUTE_TYPES = [
  "property",
  "segmentation",
  "expression",
  "aggregate",
  "prediction",
  "consent",
  "id",
] as const;

const NamedAttribute = Type.Object(
  {
    type: Type.Enum([...ATTRIBUTE_TYPES], {
      description: "What kind of attribute it is at the vendor.",
      examples: ["segmentation"],
    }),
    id: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "Its id at the vendor: a property's name, a segmentation's id, a category.",
      examples: ["592ff585fb60094e02bfaf6a"],
    }),
    as: Type.String({
      pattern: "^[A-Za-z_][A-Za-z0-9_]{0,63}$",
      mustBe: "a name of letters, digits and _, such as tier",
      description: "Its name in `metadata.cdp`.",
      examples: ["tier"],
    }),
  },
  { ...closed, title: "CdpAttribute" },
);

export const CdpAttribute = Type.Union([
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: "The name of a property, at the vendor and in `metadata.cdp`.",
    examples: ["first_name"],
  }),
  NamedAttribute,
]);
export type CdpAttribute = Static<typeof CdpAttribute>;

const CustomerCache = Type.Object(
  {
    ttlSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 86_400,
        description:
          "For so long a new pass gets what was read of its customer before. Default: 300.",
        examples: [300],
      }),
    ),
    attributes: Type.Optional(
      Type.Array(CdpAttribute, {
        maxItems: 50,
        description:
          "What is read of a customer, and kept in `metadata.cdp` of their passes. Default: `first_name`, `last_name` and `language`.",
        examples: [["first_name", "language"]],
      }),
    ),
  },
  { ...closed, title: "CdpCustomerCache" },
);

export const cdpFile = connectorFile({
  name: "cdp",
  members: {
    projectToken: Type.String({
      minLength: 1,
      maxLength: 200,
      // Other characters never occur in a token, and some would lead to another address.
      pattern: "^(?!\\.{1,2}$)[\\w.~-]+$",
      mustBe: "the token of a project: letters, digits, '-' and '_'",
      description: "The token of the project at the customer-data platform.",
      examples: ["1f4d3f3a-5b0e-11ee-8c99-0242ac120002"],
    }),
    baseUrl: Type.String({
      format: "uri",
      maxLength: 500,
      pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^\\s?#@\\\\]+$",
      mustBe: "an address such as https://api.exponea.com, without '?', '#' and '@'",
      description: "The address of the platform's API.",
      examples: ["https://api.exponea.com"],
    }),
    apiKeyId: Type.String({
      minLength: 1,
      maxLength: 500,
      // HTTP Basic ends the key ID at the first colon.
      pattern: "^[^:\\s\\u0000-\\u001f]+$",
      mustBe: "a key ID, without ':' and blanks",
      description: "The ID of an API key with private access.",
      examples: ["vx3bfp9e1m0o"],
    }),
    cache: Type.Optional(
      Type.Object(
        {
          customer: Type.Optional(
            Type.Union([CustomerCache, Type.Null()], {
              examples: [{ ttlSeconds: 300, attributes: ["first_name"] }],
              description: "Null: what was read of a customer is used once, and not kept.",
            }),
          ),
        },
        {
          ...closed,
          title: "CdpCache",
          description: "What is kept of customers for a while.",
          examples: [{ customer: { ttlSeconds: 300, attributes: ["first_name"] } }],
        },
      ),
    ),
  },
  about:
    "The project at Bloomreach Engagement: events go there, attributes of customers come from there. [Customer data](cdp.md) tells of its members.",
  example:
    "projectToken: 1f4d3f3a-5b0e-11ee-8c99-0242ac120002\nbaseUrl: https://api.exponea.com\napiKeyId: vx3bfp9e1m0o\ncache:\n  customer: { ttlSeconds: 300, attributes: [first_name, language] }\n",
});

export const configFiles = defineConfigFiles([cdpFile.file]);

export type CdpSettings = Static<typeof cdpFile.schema>;
